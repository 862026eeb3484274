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
import { type HomePaths, Paths, pathsOf } from "../config/Paths.ts"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { plural } from "../domain/text/Plural.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { namesIn } from "../platform/files/ReadOrEmpty.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { isAlive } from "../platform/process/ProcessIdentity.ts"
import { postgresStore, selectedAddress } from "../store/ConfiguredStore.ts"
import { HomeLock } from "../store/HomeLock.ts"
import { sidecars } from "../store/SqliteDatabase.ts"
import { Store, type StoreServices } from "../store/Store.ts"
import { copyRows, headOf } from "../store/StoreCopy.ts"
import { MasterKey } from "../vault/keys/MasterKey.ts"
import { anchoredEpoch } from "../vault/manifest/ManifestAnchor.ts"
import { copyOfStore } from "../vault/manifest/StoreManifest.ts"
import { Vault } from "../vault/Vault.ts"
import { keyOf, removeStored, retireFiles, storedDocuments, writeFiles } from "./DocumentTransfer.ts"
import { keyResolverLayer } from "./Services.ts"
import { type Copy, openCopy, temporaryDirectory, verifyCopy } from "./StoreBackup.ts"

const refused = OperationNotAllowedError.of

/** Opens a store with its vault. */
const openStore = Effect.fnUntraced(function*<E, R>(store: Layer.Layer<StoreServices, E, R>) {
  const context = yield* Vault.layerResolver.pipe(
    Layer.provide(keyResolverLayer),
    Layer.provideMerge(Layer.merge(store, ConfigFile.layerNoDeps)),
    Layer.fresh,
    Layer.build
  )
  yield* Context.get(context, Store).check
  return context
})

type OpenStore = Effect.Success<ReturnType<typeof openStore>>

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

/** Removes copies that killed checks left behind. */
const removeAbandonedChecks = (server: string): void => {
  for (const name of namesIn(server)) {
    const pid = /^check-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) {
      fs.rmSync(path.join(server, name), { force: true, recursive: true })
    }
  }
}

/** Whether a file starts like an SQLite database and is not longer than its header says, as a sparse file can be. */
const isDatabase = (start: Buffer, size: number): boolean => {
  const pageSize = start.readUInt16BE(16)
  // The value 1 stands for 65536.
  return start.toString("latin1", 0, 16) === "SQLite format 3\0" &&
    size <= (pageSize === 1 ? 65_536 : pageSize) * start.readUInt32BE(28)
}

const damaged = (file: string) =>
  refused(`${file} is damaged or incomplete. Restore another backup. Nothing was changed.`)

/** Refuses the backup of another vault, and a replacement that the user has not asked for. */
const checkReplacement = Effect.fnUntraced(function*(
  { anchored, epoch, isFile, present, replace, storeId, toDatabase }: {
    readonly anchored: Effect.Success<ReturnType<typeof anchoredEpoch>>
    readonly present: Effect.Success<ReturnType<typeof headOf>>
    readonly storeId: string
    readonly epoch: number
  } & Readonly<Record<"isFile" | "replace" | "toDatabase", boolean>>
) {
  if (anchored === null || (present !== undefined && present.storeId !== storeId)) {
    return yield* refused("This home has the store of another vault. Restore into another home. Nothing was changed.")
  }
  const newest = Math.max(anchored ?? 0, present?.epoch ?? 0)
  const exists = isFile || (toDatabase ? present !== undefined : anchored !== undefined)
  // The store moves from the file to the database or back, and has not changed since the backup.
  const isMoved = newest === epoch && (toDatabase ? present === undefined : !isFile)
  if (exists && !replace && !isMoved) {
    return yield* refused(
      `This home has a store already${newest === 0 ? "" : `, ${comparison(newest, epoch)}`}. To replace it, ` +
        "and to keep it in the home as a copy, add --replace. Nothing was changed."
    )
  }
  return { exists, newest }
})

/** Replaces the rows of a database by those of a copy, and verifies them. Keeps the previous rows in the file `previous`. */
const replaceRows = Effect.fnUntraced(function*(target: OpenStore, copy: Copy, previous: string | undefined) {
  if (previous !== undefined) {
    const file = Layer.build(Layer.fresh(Store.layerFile(previous, path.dirname(previous))))
    yield* copyRows(target, yield* file)
  }
  yield* copyRows(copy, target)
  const logs = yield* Layer.build(Layer.fresh(Layer.merge(AuditLog.layerNoDeps, RequestLog.layerNoDeps))).pipe(
    Effect.provide(target),
    Effect.provideService(copyOfStore, {})
  )
  yield* verifyCopy(Context.merge(target, logs))
})

/** Moves the copy of the audit log, whose newest entries the restored store lacks, and the database if it is replaced. */
const moveAside = (home: HomePaths, keep: (name: string) => string, isReplaced: boolean): void => {
  // Moved away first: without a database, a daemon refuses the home until both the anchor and the database are restored.
  const databases = isReplaced ? [home.database, ...sidecars(home.database)] : []
  for (const name of databases.filter((name) => fs.existsSync(name))) fs.renameSync(name, keep(name))
  for (const name of namesIn(home.serverLogs)) {
    if (name.startsWith(path.basename(home.auditLog))) fs.renameSync(path.join(home.serverLogs, name), keep(name))
  }
}

const restore = Effect.fnUntraced(function*({ check, file, replace }: RestoreOptions) {
  const home = yield* Paths
  removeAbandonedChecks(home.server)
  // A check may run beside a daemon, so its copy has a separate directory.
  const directory = path.join(home.server, check ? `check-${process.pid}` : "restore")
  const { database, manifestAnchor } = pathsOf(directory)
  yield* temporaryDirectory(directory)
  // Another file may be large, so it is refused before it is copied.
  yield* SecureFiles.copyOnce(path.resolve(file), database, isDatabase).pipe(
    Effect.mapError((error) => error.problem === "other_format" ? damaged(file) : error)
  )
  const kept = path.join(home.server, `before-restore-${new Date().toISOString().replace(/[:.]/g, "-")}`)
  const keep = (name: string) => path.join(kept, path.basename(name))

  const isFile = fs.existsSync(home.database)
  const address = check ? undefined : yield* selectedAddress
  const target = address === undefined ? undefined : yield* openStore(postgresStore(address, "alone"))
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
        ? damaged(file)
        : error
    )
  )
  if (check) return { ...contents, place: null, kept: null }

  const vault = yield* Context.get(copy, MasterKey).unlock
  const anchored = yield* anchoredEpoch(home.manifestAnchor, vault)
  const { exists, newest } = yield* checkReplacement({
    anchored,
    isFile,
    present,
    replace,
    storeId: vault.storeId,
    epoch: contents.epoch,
    toDatabase: address !== undefined
  })
  // Raises the epoch of the copy above the epoch of the present store.
  const documents = yield* Effect.provide(storedDocuments, copy)
  const identity = (documents.get(keyOf(activeProfile))?.content ?? "") as ProfileHandle
  const record = { event: "store-restore", identity, status: "ok" } as const
  yield* Effect.provideService(Context.get(copy, AuditLog).append(record), copyOfStore, {
    follows: Math.max(newest, contents.epoch)
  })
  yield* SecureFiles.ensurePrivateDirectory(kept)

  if (target !== undefined) {
    yield* replaceRows(target, copy, present === undefined ? undefined : keep("postgresql.db"))
  }
  // Until now the store of the home was the file. If the database has a store, too, the newer anchor proves this.
  const isReplaced = target === undefined || (isFile && (present === undefined || newest > present.epoch))
  moveAside(home, keep, isReplaced)
  // If the store of a home is a file, its documents are files, too.
  if (isReplaced && (target !== undefined || documents.size > 0)) yield* retireFiles(keep)
  if (target === undefined) {
    if (documents.size > 0) yield* Effect.provide(writeFiles, copy)
    yield* Scope.close(use, Exit.void)
    if (fs.existsSync(home.manifestAnchor)) fs.copyFileSync(home.manifestAnchor, keep(home.manifestAnchor))
    fs.renameSync(manifestAnchor, home.manifestAnchor)
    fs.renameSync(database, home.database)
    yield* Effect.provide(removeStored, yield* openStore(Store.layerFile(home.database, home.server)))
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
