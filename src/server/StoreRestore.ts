/**
 * Restores the store of a home from a backup.
 *
 * The previous store stays in a separate directory of the home. A restored store gets an epoch above the newest one
 * that this home knows, so every other daemon accepts it as a newer state, and refuses the replaced store and the
 * backup itself.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { AuditLog } from "../audit/AuditLog.ts"
import { RequestLog } from "../audit/RequestLog.ts"
import { activeProfile } from "../config/Documents.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { Paths, pathsOf } from "../config/Paths.ts"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { plural } from "../domain/text/Plural.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { namesIn } from "../platform/files/ReadOrEmpty.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { isAlive } from "../platform/process/ProcessIdentity.ts"
import { postgresStore, selectedAddress } from "../store/ConfiguredStore.ts"
import { HomeLock } from "../store/HomeLock.ts"
import { sidecars, Store, type StoreServices } from "../store/Store.ts"
import { copyRows, headOf } from "../store/StoreCopy.ts"
import { MasterKey } from "../vault/keys/MasterKey.ts"
import { anchoredEpoch } from "../vault/manifest/ManifestAnchor.ts"
import { copyOfStore } from "../vault/manifest/StoreManifest.ts"
import { Vault } from "../vault/Vault.ts"
import { keyOf, removeStored, retireFiles, storedDocuments, writeFiles } from "./DocumentTransfer.ts"
import { keyResolverLayer } from "./Services.ts"
import { openCopy, temporaryDirectory, verifyCopy } from "./StoreBackup.ts"

const refused = OperationNotAllowedError.of

/** Opens a store with its vault. */
const opened = Effect.fnUntraced(function*<E, R>(store: Layer.Layer<StoreServices, E, R>) {
  const context = yield* Vault.layerResolver.pipe(
    Layer.provide(keyResolverLayer),
    Layer.provideMerge(Layer.merge(store, ConfigFile.layerNoDeps)),
    Layer.fresh,
    Layer.build
  )
  yield* Context.get(context, Store).check
  return context
})

export interface RestoreOptions {
  readonly file: string
  /** Whether to verify the backup without restoring it. */
  readonly check: boolean
  /** Whether to replace the store of this home. */
  readonly replace: boolean
}

/** Describes the changes that a restore over a store of this epoch would undo. */
const comparison = (present: number, epoch: number) =>
  present > epoch
    ? `which is ${plural(present - epoch, "change")} newer than the backup`
    : present < epoch
    ? `which is ${plural(epoch - present, "change")} older than the backup`
    : "with as many changes as the backup"

const restore = Effect.fnUntraced(function*({ check, file, replace }: RestoreOptions) {
  const home = yield* Paths
  // Removes copies that killed checks left behind.
  for (const name of namesIn(home.server)) {
    const pid = /^check-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) {
      fs.rmSync(path.join(home.server, name), { force: true, recursive: true })
    }
  }
  // A check may run beside a daemon, so its copy has a separate directory.
  const directory = path.join(home.server, check ? `check-${process.pid}` : "restore")
  const { database, manifestAnchor } = pathsOf(directory)
  yield* temporaryDirectory(directory)
  yield* SecureFiles.copyOnce(path.resolve(file), database)
  const kept = path.join(home.server, `before-restore-${new Date().toISOString().replace(/[:.]/g, "-")}`)
  const keep = (name: string) => path.join(kept, path.basename(name))

  const isFile = fs.existsSync(home.database)
  const address = check ? undefined : yield* selectedAddress
  const target = address === undefined ? undefined : yield* opened(postgresStore(address, "alone"))
  /** The ID and the epoch of the store in the database, if it has one. */
  const present = target === undefined ? undefined : yield* headOf(target)

  const use = yield* Scope.fork(yield* Effect.scope)
  const { contents, copy } = yield* Effect.gen(function*() {
    const copy = yield* openCopy(directory, keyResolverLayer)
    return { copy, contents: yield* verifyCopy(copy) }
  }).pipe(
    Scope.provide(use),
    Effect.mapError((error) =>
      error._tag === "StoreError" && error.file === database && error.problem === "damaged"
        ? refused(`${file} is damaged or incomplete. Restore another backup. Nothing was changed.`)
        : error
    )
  )
  if (check) return { ...contents, place: null, kept: null }

  const vault = yield* Context.get(copy, MasterKey).unlock
  const anchored = yield* anchoredEpoch(home.manifestAnchor, vault)
  if (anchored === null || (present !== undefined && present.storeId !== vault.storeId)) {
    return yield* refused("This home has the store of another vault. Restore into another home. Nothing was changed.")
  }
  const newest = Math.max(anchored ?? 0, present?.epoch ?? 0)
  const exists = isFile || (address === undefined ? anchored !== undefined : present !== undefined)
  // The store moves from the file to the database or back, and has not changed since the backup.
  const isMoved = newest === contents.epoch && (address === undefined ? !isFile : present === undefined)
  if (exists && !replace && !isMoved) {
    return yield* refused(
      `This home has a store already${newest === 0 ? "" : `, ${comparison(newest, contents.epoch)}`}. To replace it, ` +
        "and to keep it in the home as a copy, add --replace. Nothing was changed."
    )
  }
  // Raises the epoch of the copy above the epoch of the present store.
  const documents = yield* Effect.provide(storedDocuments, copy)
  const identity = (documents.get(keyOf(activeProfile))?.content ?? "") as ProfileHandle
  const record = { event: "store-restore", identity, status: "ok" } as const
  yield* Effect.provideService(Context.get(copy, AuditLog).append(record), copyOfStore, {
    follows: Math.max(newest, contents.epoch)
  })
  yield* SecureFiles.ensurePrivateDirectory(kept)

  if (target !== undefined) {
    if (present !== undefined) {
      yield* copyRows(target, yield* Layer.build(Layer.fresh(Store.layerFile(keep("postgresql.db"), kept))))
    }
    yield* copyRows(copy, target)
    const logs = yield* Layer.build(Layer.fresh(Layer.merge(AuditLog.layerNoDeps, RequestLog.layerNoDeps))).pipe(
      Effect.provide(target),
      Effect.provideService(copyOfStore, {})
    )
    yield* verifyCopy(Context.merge(target, logs))
  }
  // Until now the store of the home was the file. If the database has a store, too, the newer anchor proves this.
  const isReplaced = target === undefined || (isFile && (present === undefined || newest > present.epoch))
  if (isReplaced) {
    // Moved away first: without a database, a daemon refuses the home until both the anchor and the database are restored.
    for (const name of [home.database, ...sidecars(home.database)].filter((name) => fs.existsSync(name))) {
      fs.renameSync(name, keep(name))
    }
  }
  // Keeps the copy of the audit log, whose newest entries the restored store lacks.
  for (const name of namesIn(home.serverLogs)) {
    if (name.startsWith(path.basename(home.auditLog))) fs.renameSync(path.join(home.serverLogs, name), keep(name))
  }
  // If the store of a home is a file, its documents are files, too.
  if (isReplaced && (target !== undefined || documents.size > 0)) yield* retireFiles(keep)
  if (target === undefined) {
    if (documents.size > 0) yield* Effect.provide(writeFiles, copy)
    yield* Scope.close(use, Exit.void)
    if (fs.existsSync(home.manifestAnchor)) fs.copyFileSync(home.manifestAnchor, keep(home.manifestAnchor))
    fs.renameSync(manifestAnchor, home.manifestAnchor)
    fs.renameSync(database, home.database)
    const restored = yield* opened(Store.layerFile(home.database, home.server))
    yield* Effect.provide(removeStored, restored)
  }
  if (fs.readdirSync(kept).length === 0) fs.rmdirSync(kept)
  return {
    ...contents,
    place: address === undefined ? home.database : `PostgreSQL at ${address.name}`,
    kept: exists ? kept : null
  }
})

/** Restores the store of this home, which no daemon may use, from a backup. */
export const restoreStore = (options: RestoreOptions) =>
  Effect.scoped(Effect.gen(function*() {
    if (!options.check) yield* Layer.build(Layer.fresh(HomeLock.layerNoDeps))
    return yield* restore(options)
  })).pipe(
    Effect.catchTags({
      HomeLockedError: ({ message }) => Effect.fail(refused(`${message}. Stop it first with: credsvc daemon stop`)),
      SecureFileError: ({ message }) => Effect.fail(VaultUnavailableError.of(`${message}.`)),
      StoreError: ({ message }) => Effect.fail(VaultUnavailableError.of(`The store cannot be used: ${message}.`)),
      SqlError: ({ message }) =>
        Effect.fail(VaultUnavailableError.of(`The store was not restored and is unchanged: ${message}.`))
    })
  )
