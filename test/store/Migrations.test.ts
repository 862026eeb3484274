/**
 * A small home of each past schema opens, on SQLite and on PostgreSQL.
 *
 * The homes have the rows of a home in version 1 of the stored format, in the tables of their version. They must open forever: if
 * one does not, secrets of users would not open either. Then add a format version that is read in addition to the old one, and keep
 * the fixture. If a digest differs, a released migration was edited: restore it, and add a migration.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import { restoreStore } from "../../src/server/StoreRestore.ts"
import { migrations, schemaVersion } from "../../src/store/Migrations.ts"
import { statementsAfter } from "../../src/store/postgres/PostgresSchema.ts"
import { DataKeys } from "../../src/vault/keys/DataKeys.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { databaseOf, executeOn, onPostgres, queryOn, schemaOf } from "../support/TestStore.ts"
import { fixture } from "../vault/fixtures/homeV1.ts"
import { identity, started } from "../vault/support.ts"

/** Of the statements that lead to each version. A new migration adds its own. */
const digests: Readonly<Record<number, string>> = {
  1: "3692661a595aa55a",
  2: "d93600d62cb12841",
  3: "19e4650225e3018d",
  4: "6a1738c4d3bc69a8",
  5: "b1a3eb7dd677b58c",
  6: "99c087907f0070ea",
  7: "bb17d82faaaea039",
  8: "29d7db2740e5135c",
  9: "aaaef192a8bf0585",
  10: "d23b24a60311cbba",
  11: "e623f06cdd1deced",
  12: "b2f7817481c3e110",
  13: "1216f050723401c9",
  14: "15c7536a3da970e3"
}

/** The first version on PostgreSQL. */
const first = onPostgres ? 6 : 1

const literal = (value: unknown): string =>
  typeof value === "number"
    ? String(value)
    : typeof value === "string"
    ? `'${value.replaceAll("'", "''")}'`
    : `x'${(value as { readonly hex: string }).hex}'`

const rows = Object.entries(fixture.tables).flatMap(([table, rows]) =>
  rows.map((row) =>
    `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.values(row).map(literal).join(", ")})`
  )
)

/** A home whose database has this version of the schema. */
const homeOf = (version: number) =>
  Effect.tap(temporaryDirectory, (home) =>
    Effect.sync(() => {
      fs.mkdirSync(path.join(home, "server"), { mode: 0o700 })
      for (const [name, content] of Object.entries(fixture.files)) {
        fs.writeFileSync(path.join(home, name), content, { mode: 0o600 })
      }
      if (onPostgres) {
        const statements = statementsAfter(0).slice(0, statementsAfter(0).length - statementsAfter(version).length)
        executeOn(
          home,
          `CREATE SCHEMA ${schemaOf(home)}`,
          ...statements,
          ...rows,
          `INSERT INTO schema_version VALUES (${version})`
        )
        return
      }
      fs.writeFileSync(databaseOf(home), "", { mode: 0o600 })
      const statements = migrations.filter((migration) => migration.version <= version)
        .flatMap(({ statements }) => statements)
      executeOn(home, "PRAGMA journal_mode = WAL", ...statements, ...rows, `PRAGMA user_version = ${version}`)
    }))

const opens = (home: string) =>
  started(home)(Effect.gen(function*() {
    const vault = yield* Vault
    const [row] = fixture.tables["connections"]!
    const open = (field: "sealed" | "secret") => {
      const sealed = Buffer.from((row![field] as { readonly hex: string }).hex, "hex")
      return Effect.map(vault.open({ ...identity, field }, sealed), Redacted.value)
    }
    assert.strictEqual(yield* open("secret"), "the secret of version 1 – ünïcödé")
    assert.strictEqual(yield* open("sealed"), "{\"status\":\"connected\"}")
    assert.strictEqual((yield* vault.masterKey).source, "local_key")
    const audit = yield* (yield* DataKeys).storeKey("credsvc/audit/v1")
    assert.strictEqual(audit.export().toString("hex"), fixture.audit_mac_key)
    return yield* (yield* StoreManifest).verify
  }))

const versionOf = (home: string) =>
  onPostgres
    ? queryOn(home, "SELECT version FROM schema_version")[0]!["version"]
    : queryOn(home, "PRAGMA user_version")[0]!["user_version"]

describe("A home of schema", () => {
  for (let version = first; version <= schemaVersion; version++) {
    const inHome = testsWith(homeOf(version))
    inHome.effect(`${version} opens with its secrets, and then has the newest schema`, function*(home) {
      assert.strictEqual(versionOf(home), version)
      assert.deepStrictEqual(yield* opens(home), { rows: 9, epoch: 4 })
      assert.strictEqual(versionOf(home), schemaVersion)
      // And again, without a migration.
      assert.deepStrictEqual(yield* opens(home), { rows: 9, epoch: 4 })
      // An anchor that this version would write differently is written again.
      const anchor = path.join("server", "manifest.anchor")
      assert.strictEqual(fs.readFileSync(path.join(home, anchor), "utf8"), fixture.files[anchor])
    })
  }
})

describe.skipIf(onPostgres)("A migration", () => {
  it("is not edited after its release", () => {
    const found = migrations.map(({ shared = [], statements, version }) => [
      version,
      createHash("sha256").update([...statements, ...shared].join(";").replace(/\s+/g, " ")).digest("hex").slice(0, 16)
    ])
    assert.deepStrictEqual(Object.fromEntries(found), digests)
  })

  testsWith(homeOf(schemaVersion - 1)).effect("keeps the previous database, which can be restored", function*(home) {
    fs.writeFileSync(`${databaseOf(home)}.before-${schemaVersion - 1}`, "the copy of an earlier migration")
    yield* opens(home)
    const copies = fs.readdirSync(path.join(home, "server")).filter((name) => name.includes("before"))
    assert.deepStrictEqual(copies, [`credsvc.db.before-${schemaVersion}`])
    const copy = path.join(home, "server", copies[0]!)
    assert.strictEqual(fs.statSync(copy).mode & 0o777, 0o600)
    const database = new DatabaseSync(copy, { readOnly: true })
    assert.strictEqual(database.prepare("PRAGMA user_version").get()!["user_version"], schemaVersion - 1)
    database.close()
    const options = { file: copy, check: false, replace: true }
    fs.mkdirSync(path.join(home, "identities"), { mode: 0o700 })
    fs.writeFileSync(path.join(home, "identities/calm-otter-0042.json"), "the identity", { mode: 0o600 })
    yield* Effect.provide(
      restoreStore(options),
      Layer.provideMerge(Paths.layerNoDeps, Settings.layerOf({ home, masterKeyMode: Option.some("local_key") }))
    )
    assert.isAbove((yield* opens(home)).epoch, 4)
    assert.isTrue(fs.existsSync(path.join(home, "identities/calm-otter-0042.json")))
  })
})
