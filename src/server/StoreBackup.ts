/**
 * Backups: the store as one file, which restores a home with a file as well as one with PostgreSQL.
 *
 * A backup is an SQLite database with all rows, sealed as they are, and the documents of the home as sealed rows. It contains no
 * key. Making one and restoring it open it in a directory of its own, with the key of the home, and verify all of it.
 *
 * A restored store continues after the newest epoch that this home knows. So every other daemon takes it for a newer state, and still
 * refuses the older one that it replaces, or the backup itself.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as fs from "node:fs"
import * as path from "node:path"
import { AuditLog } from "../audit/AuditLog.ts"
import { RequestLog } from "../audit/RequestLog.ts"
import { verifyLogs } from "../audit/Verification.ts"
import { activeProfile } from "../config/Documents.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { type HomePaths, Paths, pathsOf } from "../config/Paths.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import type { Backup } from "../domain/wire/Backup.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { namesIn } from "../platform/files/IfPresent.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { isAlive } from "../platform/process/ProcessIdentity.ts"
import { postgresStore, selectedAddress } from "../store/ConfiguredStore.ts"
import { sidecars, Store, type StoreServices } from "../store/Store.ts"
import { compareRows, copyRows, copySnapshot, headOf } from "../store/StoreCopy.ts"
import { KeyResolver } from "../vault/keys/KeyResolver.ts"
import { MasterKey } from "../vault/keys/MasterKey.ts"
import { anchoredEpoch } from "../vault/manifest/ManifestAnchor.ts"
import { copyOfStore } from "../vault/manifest/StoreManifest.ts"
import { sqlUnavailable } from "../vault/StoreFailures.ts"
import { Vault } from "../vault/Vault.ts"
import { keyResolverLayer } from "./Services.ts"
import {
  inLockedHome,
  keyOf,
  opened,
  refused,
  removeStored,
  retireFiles,
  storedDocuments,
  storeFiles,
  verifyStore,
  writeFiles
} from "./StoreMigration.ts"

/** A new directory that is removed with the scope. */
const temporaryDirectory = (directory: string) =>
  Effect.acquireRelease(
    Effect.andThen(
      Effect.sync(() => fs.rmSync(directory, { force: true, recursive: true })),
      SecureFiles.ensurePrivateDirectory(pathsOf(directory).server)
    ),
    () => Effect.sync(() => fs.rmSync(directory, { force: true, recursive: true }))
  )

/** The home of a copy: only the settings and the key are those of this home. */
const pathsOfCopy = ({ config, masterKey }: HomePaths, directory: string): HomePaths => ({
  ...pathsOf(directory),
  config,
  masterKey
})

/** Opens the copy of a store in a directory, with its vault and its logs. */
const openCopy = <E, R>(directory: string, keys: Layer.Layer<KeyResolver, E, R>) =>
  Effect.gen(function*() {
    const { database, server } = pathsOf(directory)
    const context = yield* Layer.mergeAll(AuditLog.layerNoDeps, RequestLog.layerNoDeps).pipe(
      Layer.provideMerge(Vault.layerResolver),
      Layer.provide(keys),
      Layer.provideMerge(Layer.merge(Store.layerFile(database, server), ConfigFile.layerNoDeps)),
      Layer.provide(Layer.succeed(Paths, pathsOfCopy(yield* Paths, directory))),
      Layer.fresh,
      (layer) => Effect.flatMap(Effect.scope, (scope) => Layer.buildWithScope(layer, scope)),
      Effect.provideService(copyOfStore, {})
    )
    yield* Context.get(context, Store).check
    if ((yield* headOf(context)) === undefined) return yield* refused("The file is not a backup: it has no vault.")
    return context
  })

type Copy = Effect.Success<ReturnType<typeof openCopy>>

/** Verifies every row and both logs of a copy. */
const verifyCopy = (copy: Copy) =>
  Effect.gen(function*() {
    const { epoch, rows } = yield* verifyStore(copy)
    const logs = yield* verifyLogs(Context.get(copy, AuditLog), Context.get(copy, RequestLog))
    if (logs.problem !== null) return yield* VaultUnavailableError.of(logs.problem)
    return { rows, epoch, auditEntries: logs.entries, requestBatches: logs.requestBatches }
  })

/** Makes backups of the store of a running daemon, one after the other. */
export const makeBackups = Effect.gen(function*() {
  const context = yield* Effect.context<StoreServices | KeyResolver | Paths | MasterKey>()
  const resolver = Context.get(context, KeyResolver)
  const { copyTo } = Context.get(context, Store)
  const directory = path.join(Context.get(context, Paths).server, "backup")
  const { database, server } = pathsOf(directory)
  const turn = yield* Semaphore.make(1)

  const copyStore = copyTo === undefined
    ? Effect.scoped(Effect.flatMap(
      Effect.flatMap(
        Effect.scope,
        (scope) => Layer.buildWithScope(Layer.fresh(Store.layerFile(database, server)), scope)
      ),
      (copy) => copySnapshot(context, copy)
    ))
    : Effect.andThen(SecureFiles.createOnce(database, ""), copyTo(database))

  /** `record` is stored before the copy is made, so that the backup has it too. */
  return (file: string, record: Effect.Effect<void, VaultUnavailableError>) =>
    Effect.scoped(Effect.gen(function*() {
      const exists = refused(`${file} exists already. Choose another name. Nothing was changed.`)
      if (!path.isAbsolute(file)) return yield* refused(`"${file}" is not an absolute path.`)
      if (fs.existsSync(file)) return yield* exists
      if (!fs.existsSync(path.dirname(file))) {
        return yield* refused(`The directory ${path.dirname(file)} does not exist. Create it first.`)
      }
      yield* temporaryDirectory(directory)
      yield* record
      yield* copyStore
      const contents = yield* Effect.scoped(Effect.gen(function*() {
        const copy = yield* openCopy(directory, Layer.succeed(KeyResolver, resolver))
        // On PostgreSQL they are rows already.
        if (copyTo !== undefined) {
          const epoch = (yield* headOf(copy))?.epoch ?? 0
          yield* Effect.provide(storeFiles, copy).pipe(Effect.provideService(copyOfStore, { follows: epoch - 1 }))
        }
        return yield* verifyCopy(copy)
      }))
      if (!(yield* SecureFiles.copyOnce(database, file))) return yield* exists
      const { key, source } = yield* Context.get(context, MasterKey).unlock
      return {
        file,
        bytes: fs.statSync(file).size,
        ...contents,
        keySource: source,
        keyDescription: resolver.describe(source),
        keyId: key.id
      } satisfies Backup
    })).pipe(
      turn.withPermits(1),
      Effect.provideContext(context),
      sqlUnavailable,
      Effect.catchTags({
        SecureFileError: ({ message }) => Effect.fail(refused(`The backup was not made: ${message}.`)),
        StoreError: ({ message }) => Effect.fail(VaultUnavailableError.of(`The backup was not made: ${message}.`))
      })
    )
})

export interface RestoreOptions {
  readonly file: string
  /** Only verifies the backup. */
  readonly check: boolean
  /** Replaces the store of this home. */
  readonly replace: boolean
}

const changes = (count: number) => count === 1 ? "1 change" : `${count} changes`

/** Describes the changes that a restore over a store of this epoch would undo. */
const comparison = (present: number, epoch: number) =>
  present > epoch
    ? `which is ${changes(present - epoch)} newer than the backup`
    : present < epoch
    ? `which is ${changes(epoch - present)} older than the backup`
    : "with as many changes as the backup"

const restore = ({ check, file, replace }: RestoreOptions) =>
  Effect.gen(function*() {
    const home = yield* Paths
    // A check that was killed has left a copy.
    for (const name of namesIn(home.server)) {
      const pid = /^check-(\d+)$/.exec(name)?.[1]
      if (pid !== undefined && !isAlive(Number(pid))) {
        fs.rmSync(path.join(home.server, name), { force: true, recursive: true })
      }
    }
    // A daemon may run while a backup is checked.
    const directory = path.join(home.server, check ? `check-${process.pid}` : "restore")
    const { database, manifestAnchor } = pathsOf(directory)
    yield* temporaryDirectory(directory)
    yield* SecureFiles.copyOnce(path.resolve(file), database)
    const kept = path.join(home.server, `before-restore-${new Date().toISOString().replace(/[:.]/g, "-")}`)
    const keep = (name: string) => path.join(kept, path.basename(name))

    /** Opens the copy, and makes it follow the present store. `present` is the one in the database. */
    const prepared = (present: { readonly storeId: string; readonly epoch: number } | undefined, exists: boolean) =>
      Effect.gen(function*() {
        const copy = yield* openCopy(directory, keyResolverLayer)
        const contents = yield* verifyCopy(copy)
        const result = { ...contents, place: null as string | null, kept: null as string | null }
        if (check) return { copy, result }
        const vault = yield* Context.get(copy, MasterKey).unlock
        const anchored = yield* anchoredEpoch(home.manifestAnchor, vault)
        if (anchored === null || (present !== undefined && present.storeId !== vault.storeId)) {
          return yield* refused(
            "This home has the store of another vault. Restore into another home. Nothing was changed."
          )
        }
        const newest = Math.max(anchored ?? 0, present?.epoch ?? 0)
        if (exists && !replace) {
          return yield* refused(
            `This home has a store already${
              newest === 0 ? "" : `, ${comparison(newest, contents.epoch)}`
            }. To replace it, ` +
              "and to keep it in the home as a copy, add --replace. Nothing was changed."
          )
        }
        const documents = yield* Effect.provide(storedDocuments, copy)
        const identity = (documents.get(keyOf(activeProfile))?.content ?? "") as ProfileHandle
        const record = { event: "store-restore", provider: null, connection: null, identity, status: "ok" } as const
        yield* Effect.provideService(Context.get(copy, AuditLog).append(record), copyOfStore, {
          follows: Math.max(newest, contents.epoch)
        })
        yield* SecureFiles.ensurePrivateDirectory(kept)
        return { copy, result: { ...result, kept: exists ? kept : null } }
      }).pipe(
        Effect.mapError((error) =>
          error._tag === "StoreError" && error.file === database && error.problem === "damaged"
            ? refused(`${file} is damaged or incomplete. Restore another backup. Nothing was changed.`)
            : error
        )
      )

    /** The copy of the audit log has entries that the restored store lacks. */
    const keepLogs = Effect.sync(() => {
      for (const name of fs.existsSync(home.serverLogs) ? fs.readdirSync(home.serverLogs) : []) {
        if (name.startsWith(path.basename(home.auditLog))) fs.renameSync(path.join(home.serverLogs, name), keep(name))
      }
    })

    const address = yield* selectedAddress
    if (address !== undefined && !check) {
      return yield* Effect.scoped(Effect.gen(function*() {
        const target = yield* opened(postgresStore(address, "alone"))
        const present = yield* headOf(target)
        const { copy, result } = yield* prepared(present, present !== undefined)
        if (present !== undefined) {
          const before = Layer.fresh(Store.layerFile(keep(home.database), kept))
          yield* copyRows(target, yield* Layer.buildWithScope(before, yield* Effect.scope))
        }
        yield* copyRows(copy, target)
        const { difference } = yield* compareRows(copy, target)
        if (difference !== undefined) {
          return yield* VaultUnavailableError.of(
            `The restored store differs from the backup in the table ${difference}.`
          )
        }
        yield* verifyStore(target)
        yield* keepLogs
        return { ...result, place: `PostgreSQL at ${address.name}` }
      }))
    }
    const result = yield* Effect.scoped(Effect.gen(function*() {
      const { copy, result } = yield* prepared(
        undefined,
        [home.database, home.manifestAnchor].some((file) => fs.existsSync(file))
      )
      if (check) return result
      // Without its database, a daemon refuses the home until the anchor and the database are the restored ones.
      for (const name of [home.database, ...sidecars(home.database)].filter((name) => fs.existsSync(name))) {
        fs.renameSync(name, keep(name))
      }
      yield* keepLogs
      if (fs.existsSync(home.manifestAnchor)) fs.copyFileSync(home.manifestAnchor, keep(home.manifestAnchor))
      // The database of a home has none: they are its files.
      if ((yield* Effect.provide(storedDocuments, copy)).size > 0) {
        yield* retireFiles(keep)
        yield* Effect.provide(writeFiles, copy)
      }
      return { ...result, place: home.database }
    }))
    if (check) return result
    fs.renameSync(manifestAnchor, home.manifestAnchor)
    fs.renameSync(database, home.database)
    yield* Effect.scoped(Effect.flatMap(
      opened(Store.layerFile(home.database, home.server)),
      (store) => Effect.provide(removeStored, store)
    ))
    if (fs.readdirSync(kept).length === 0) fs.rmdirSync(kept)
    return result
  })

/** Restores the store of this home, which no daemon may use, from a backup. */
export const restoreStore = (options: RestoreOptions) =>
  inLockedHome(Effect.scoped(restore(options)), "The store was not restored and is unchanged", options.check)
