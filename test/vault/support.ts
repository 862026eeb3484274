import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { ConfigFile } from "../../src/config/file/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings, type SettingsShape } from "../../src/config/Settings.ts"
import { KeyringError } from "../../src/platform/process/KeyringEntries.ts"
import { KeyResolver } from "../../src/vault/keys/KeyResolver.ts"
import { Keyring } from "../../src/vault/keys/Keyring.ts"
import type { SecretIdentity } from "../../src/vault/SecretIdentity.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { testStore } from "../support/TestStore.ts"

export interface Situation {
  readonly mode?: "auto" | "local_key" | "keyring"
  readonly env?: string
  readonly keyring?: Layer.Layer<Keyring>
  readonly settings?: Partial<SettingsShape>
  /** The source of the key of a program that embeds the daemon. */
  readonly resolver?: Layer.Layer<KeyResolver>
}

export const environmentOf = (home: string, situation: Situation) =>
  Layer.mergeAll(ConfigFile.layerNoDeps, situation.keyring ?? Keyring.layerAbsent).pipe(
    Layer.provideMerge(Paths.layerHome(home)),
    Layer.provideMerge(Settings.layerOf({
      home,
      masterKey: Option.map(Option.fromUndefinedOr(situation.env), Redacted.make),
      masterKeyMode: Option.fromUndefinedOr(situation.mode),
      ...situation.settings
    }))
  )

/** The vault as a newly started daemon has it. Each call is a new start. */
export const vaultOf = (home: string, situation: Situation = {}) =>
  Layer.fresh(
    Vault.layerResolver.pipe(
      Layer.provideMerge(situation.resolver ?? KeyResolver.layerNoDeps),
      Layer.provideMerge(testStore),
      Layer.provideMerge(environmentOf(home, situation))
    )
  )

/** Runs `body` with a newly started vault. */
export const started = (home: string, situation: Situation = {}) => <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.provide(body, vaultOf(home, situation))

export const identity: SecretIdentity = {
  profile: "quiet-heron-4821",
  provider: "github",
  connection: "default",
  field: "secret",
  recordId: "record-1",
  generation: 1,
  definitionFp: "fp-1"
}

/** Client credentials in the table, without the sealed part. */
export const clientRow = {
  record_id: "r",
  profile: "p",
  provider: "github",
  issuer: "i",
  generation: 1,
  definition_fp: "",
  created_at: "",
  updated_at: ""
}

/** The identity of what `crashVictim.ts` seals. */
export const victimIdentity = (generation: number): SecretIdentity => ({
  ...identity,
  profile: "p",
  recordId: "r",
  generation,
  definitionFp: ""
})

/** Changes the database of a stopped daemon, as with an editor for SQLite files. */
export const tamper = (home: string, work: (db: DatabaseSync) => void) => {
  const db = new DatabaseSync(path.join(home, "server", "credsvc.db"), { defensive: false })
  try {
    work(db)
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  } finally {
    db.close()
  }
}

/** All files below a directory with their contents. */
export const snapshot = (directory: string): ReadonlyMap<string, Buffer> => {
  const files = new Map<string, Buffer>()
  for (const name of fs.readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const file = path.join(directory, name)
    if (fs.statSync(file).isFile()) files.set(name, fs.readFileSync(file))
  }
  return files
}

export const restore = (directory: string, files: ReadonlyMap<string, Buffer>) => {
  for (const name of fs.readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const file = path.join(directory, name)
    if (fs.statSync(file).isFile() && !files.has(name)) fs.rmSync(file)
  }
  for (const [name, content] of files) fs.writeFileSync(path.join(directory, name), content)
}

/** A keyring in memory, with a switch for its availability. */
export const memoryKeyring = (
  entries: Map<string, string>,
  condition: () => "open" | "locked" | "unavailable"
): Layer.Layer<Keyring> => {
  const backend = "memory"
  const guarded = <A>(evaluate: () => A) =>
    Effect.suspend(() => {
      const problem = condition()
      return problem === "open" ? Effect.sync(evaluate) : Effect.fail(new KeyringError({ backend, problem }))
    })
  return Layer.succeed(Keyring, {
    backend,
    get: (account) => guarded(() => Option.map(Option.fromUndefinedOr(entries.get(account)), Redacted.make)),
    set: (account, secret) => guarded(() => void entries.set(account, Redacted.value(secret)))
  })
}
