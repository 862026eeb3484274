/**
 * Backups: the store as one file, from which a home is restored, whether its store is a file or in PostgreSQL.
 *
 * A backup is an SQLite database with all rows, still sealed, and the documents of the home as sealed rows. It
 * contains no key. To create or restore a backup, credsvc opens a copy in a separate directory, with the key of the
 * home, and verifies all of it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as fs from "node:fs"
import * as path from "node:path"
import { AuditLog } from "../audit/AuditLog.ts"
import { RequestLog, verifyLogs } from "../audit/RequestLog.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { Paths, pathsOf } from "../config/Paths.ts"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import type { Backup } from "../domain/wire/Backup.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { Store, type StoreServices } from "../store/Store.ts"
import { copySnapshot, headOf } from "../store/StoreCopy.ts"
import { KeyResolver } from "../vault/keys/KeyResolver.ts"
import { MasterKey } from "../vault/keys/MasterKey.ts"
import { copyOfStore, StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { sqlUnavailable } from "../vault/StoreFailures.ts"
import { Vault } from "../vault/Vault.ts"
import { storeFiles } from "./DocumentTransfer.ts"

const refused = OperationNotAllowedError.of

/** A new directory that is removed with the scope. */
export const temporaryDirectory = (directory: string) =>
  Effect.acquireRelease(
    Effect.andThen(
      Effect.sync(() => fs.rmSync(directory, { force: true, recursive: true })),
      SecureFiles.ensurePrivateDirectory(pathsOf(directory).server)
    ),
    () => Effect.sync(() => fs.rmSync(directory, { force: true, recursive: true }))
  )

/** Opens the copy of a store in a directory, with its vault and its logs. */
export const openCopy = Effect.fnUntraced(function*<E, R>(directory: string, keys: Layer.Layer<KeyResolver, E, R>) {
  const { config, masterKey } = yield* Paths
  const paths = { ...pathsOf(directory), config, masterKey }
  const context = yield* Layer.mergeAll(AuditLog.layerNoDeps, RequestLog.layerNoDeps).pipe(
    Layer.provideMerge(Vault.layerResolver),
    Layer.provide(keys),
    Layer.provideMerge(Layer.merge(Store.layerFile(paths.database, paths.server), ConfigFile.layerNoDeps)),
    Layer.provide(Layer.succeed(Paths, paths)),
    Layer.fresh,
    Layer.build,
    Effect.provideService(copyOfStore, {})
  )
  yield* Context.get(context, Store).check
  if ((yield* headOf(context)) === undefined) return yield* refused("The file is not a backup: it has no vault.")
  return context
})

export type Copy = Effect.Success<ReturnType<typeof openCopy>>

/** Verifies every row and both logs of a copy. */
export const verifyCopy = Effect.fnUntraced(function*(copy: Copy) {
  const { epoch, rows } = yield* Context.get(copy, StoreManifest).verify
  const logs = yield* verifyLogs(Context.get(copy, AuditLog), Context.get(copy, RequestLog))
  if (logs.problem !== null) return yield* VaultUnavailableError.of(logs.problem)
  return { rows, epoch, auditEntries: logs.entries, requestBatches: logs.requestBatches }
})

/** Creates backups of the store of a running daemon, one after the other. */
export const makeBackups = Effect.gen(function*() {
  const context = yield* Effect.context<StoreServices | KeyResolver | Paths | MasterKey>()
  const resolver = Context.get(context, KeyResolver)
  const { copyTo } = Context.get(context, Store)
  const directory = path.join(Context.get(context, Paths).server, "backup")
  const { database, server } = pathsOf(directory)
  const turn = yield* Semaphore.make(1)

  const copyStore = copyTo === undefined
    ? Layer.build(Layer.fresh(Store.layerFile(database, server))).pipe(
      Effect.flatMap((copy) => copySnapshot(context, copy)),
      Effect.scoped
    )
    : Effect.andThen(SecureFiles.createOnce(database, ""), copyTo(database))

  /** The backup includes `record`, which is stored before the copy is made. */
  return (file: string, record: Effect.Effect<void, VaultUnavailableError>) =>
    Effect.scoped(Effect.gen(function*() {
      const exists = refused(`${file} already exists. Choose another name. Nothing was changed.`)
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
        // On PostgreSQL the documents are already rows.
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
