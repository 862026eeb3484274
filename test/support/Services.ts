/** The services of a home with a real store and vault, and ways to tamper with that home from outside. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { Documents } from "../../src/config/Documents.ts"
import { ConfigFile } from "../../src/config/file/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import { Connections } from "../../src/connections/Connections.ts"
import type { Flow } from "../../src/flows/Flow.ts"
import { FlowRunner } from "../../src/flows/FlowRunner.ts"
import { Flows } from "../../src/flows/Flows.ts"
import { PublicUrl } from "../../src/flows/PublicUrl.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { BundledProviders } from "../../src/providers/BundledProviders.ts"
import { ProviderRegistry } from "../../src/providers/ProviderRegistry.ts"
import { KeyResolver } from "../../src/vault/keys/KeyResolver.ts"
import { Keyring } from "../../src/vault/keys/Keyring.ts"
import { KeyRotation } from "../../src/vault/keys/KeyRotation.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import * as StoredDocuments from "../../src/vault/StoredDocuments.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { noNetwork } from "./FakeOAuthHttp.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"
import { type Returned, toEffect } from "./TestBody.ts"
import { copyStore, executeOn, onPostgres, queryOn, testStore } from "./TestStore.ts"

/** A temporary home with these custom definitions. */
export const withHome = <A, R = never>(
  body: (home: string) => Returned<A, R>,
  ...definitions: ReadonlyArray<{ readonly name: string }>
) =>
  Effect.scoped(Effect.flatMap(temporaryDirectory, (home) => {
    for (const definition of definitions) dropIn(home, definition)
    return toEffect(body(home))
  }))

/** Copies the disk: the home as the next process would find it if this one died now. */
export const copyOf = (home: string) =>
  Effect.tap(temporaryDirectory, (copy) =>
    Effect.sync(() => {
      fs.cpSync(home, copy, { recursive: true })
      copyStore(home, copy)
    }))

/** The documents of homes whose services run. */
const running = new Map<string, Documents["Service"]>()

/** Registers what `dropIn` has written. */
const dropped = Layer.effectDiscard(Effect.gen(function*() {
  const { home, providers } = yield* Paths
  const documents = yield* Documents
  const before = running.get(home)
  running.set(home, documents)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => before === undefined ? running.delete(home) : running.set(home, before))
  )
  for (const file of onPostgres && fs.existsSync(providers) ? fs.readdirSync(providers) : []) {
    const target = path.join(providers, file)
    yield* documents.write({ kind: "provider", name: path.basename(file, ".json") }, fs.readFileSync(target, "utf8"))
    fs.rmSync(target)
  }
}))

/** The documents of a home, with custom definitions that were dropped into its files. */
const documents = dropped.pipe(Layer.orDie, Layer.provideMerge(StoredDocuments.layerNoDeps))

/** Store, vault, profiles and audit log, as one process has them. */
export const foundation = (home: string, store = testStore) =>
  AuditLog.layerNoDeps.pipe(
    Layer.provideMerge(Profiles.layerNoDeps),
    Layer.provideMerge(KeyRotation.layerNoDeps),
    Layer.provideMerge(documents),
    Layer.provideMerge(Vault.layerResolver),
    Layer.provideMerge(KeyResolver.layerLocalKey),
    Layer.provideMerge(Keyring.layerAbsent),
    Layer.provideMerge(store),
    Layer.provideMerge(ConfigFile.layerNoDeps),
    Layer.provideMerge(Paths.layerNoDeps),
    Layer.provideMerge(Settings.layerOf({ home }))
  )

/** The foundation, the bundled providers (or those of another release), the custom providers, and connections. */
export const services = (home: string, bundled = BundledProviders.layer, http = noNetwork, store = testStore) =>
  Connections.layerRoom.pipe(
    Layer.provideMerge(http),
    Layer.provideMerge(Layer.provide(ProviderRegistry.layerNoDeps, bundled)),
    Layer.provideMerge(foundation(home, store))
  )

export type Services = Layer.Success<ReturnType<typeof services>>

export const origin = "http://127.0.0.1:7998"

/** Everything including logins. */
export const logins = (home: string, provider = noNetwork, at = origin) =>
  FlowRunner.layerRoom.pipe(
    Layer.provideMerge(PublicUrl.layerOf(at)),
    Layer.provideMerge(services(home, BundledProviders.layer, provider))
  )

/** Like `logins`, with the test's own flows. */
export const loginsWith = (home: string, flows: ReadonlyArray<Flow>, store = testStore) =>
  FlowRunner.layerFlows.pipe(
    Layer.provide(Flows.layerOf(flows)),
    Layer.provideMerge(PublicUrl.layerOf(origin)),
    Layer.provideMerge(services(home, BundledProviders.layer, noNetwork, store))
  )

/** Writes in a transaction of the store. */
export const transact = <A, E, R>(change: Effect.Effect<A, E, R>) =>
  Effect.flatMap(StoreManifest, (manifest) => manifest.transact(change))

/** Writes a custom definition as a file. */
export const dropIn = (
  home: string,
  definition: { readonly name: string; readonly [field: string]: unknown }
): void => {
  const directory = path.join(home, "providers")
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  fs.writeFileSync(path.join(directory, `${definition.name}.json`), JSON.stringify(definition), { mode: 0o600 })
}

/** Writes a custom definition, even while services run: as a file, or as another daemon of the database does. */
export const define = (home: string, definition: Parameters<typeof dropIn>[1]) =>
  Effect.suspend(() => {
    const documents = running.get(home)
    return onPostgres && documents !== undefined
      ? Effect.orDie(documents.write({ kind: "provider", name: definition.name }, JSON.stringify(definition)))
      : Effect.sync(() => dropIn(home, definition))
  })

/** Removes a custom definition while the services run. */
export const undefine = (home: string, name: string) =>
  Effect.suspend(() => Effect.orDie(running.get(home)!.remove({ kind: "provider", name })))

export { databaseOf } from "./TestStore.ts"

/**
 * Changes the database as an attacker can with write access to it but without the key. With a running daemon, only in
 * `SharedAccess`.
 */
export const tamper = executeOn

export const query = queryOn

/** Every byte below the home, for finding a canary. */
export const contentOf = (directory: string): string =>
  fs.readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), "latin1"))
    .join("\n")
