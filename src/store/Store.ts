/**
 * The store, and its layers for SQLite: a `SqlClient` for one database to which only this process writes. The layers never fail. If
 * the database is unusable, every statement fails with the reason, so that the daemon can still report the problem.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { Paths } from "../config/Paths.ts"
import { builtins } from "../platform/builtins.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { LeaseOwner } from "../platform/store/LeaseOwner.ts"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import { makeLogFlush } from "./LogFlush.ts"
import { schemaDifference, schemaVersion } from "./Migrations.ts"
import { makeSqliteClient, type Opened } from "./SqliteClient.ts"
import {
  expectedSchema,
  inMemory,
  inspectDatabase,
  openDatabase,
  openWritable,
  schemaOf,
  sidecars,
  storeError
} from "./SqliteDatabase.ts"
import type { StoreError } from "./StoreError.ts"

/** Whether other processes may use the file while it is open. Only tests set this, to simulate another writer. */
export const SharedAccess = Context.Reference<boolean>("credsvc/store/Store/SharedAccess", {
  defaultValue: () => false
})

const tryOn = <A>(file: string, use: () => A): Effect.Effect<A, StoreError> =>
  Effect.try({ try: use, catch: (cause) => storeError(file, cause) })

const open = (file: string, directory: string): Effect.Effect<DatabaseSync, StoreError> =>
  Effect.gen(function*() {
    yield* SecureFiles.ensurePrivateDirectory(directory)
    for (const path of [file, ...sidecars(file)]) yield* SecureFiles.checkFile(path)
    // SQLite would create the file with the umask's mode. Its -wal and -shm files get the same mode.
    if (!fs.existsSync(file)) yield* SecureFiles.createOnce(file, "")
    const shared = yield* SharedAccess
    return yield* tryOn(file, () => openDatabase(file, { shared }))
  }).pipe(Effect.mapError((error) => storeError(file, error)))

/** Opens the log for flushing. If this fails, closes the database. */
const withLog = (db: DatabaseSync, file: string): Effect.Effect<Opened, StoreError> =>
  Effect.try({
    try: () => ({ db, log: file === inMemory ? undefined : makeLogFlush(db, file) }),
    catch: (cause) => {
      db.close()
      return storeError(file, cause)
    }
  })

/** Opens a database with `acquire`, and closes it with the scope. */
const layerOpened = (file: string, acquire: Effect.Effect<DatabaseSync, StoreError>): Layer.Layer<StoreServices> =>
  Layer.effectContext(
    Effect.gen(function*() {
      const opened = yield* Effect.acquireRelease(
        Effect.exit(Effect.flatMap(acquire, (db) => withLog(db, file))),
        (exit) =>
          Effect.sync(() => {
            if (exit._tag !== "Success") return
            exit.value.db.close()
            exit.value.log?.close()
          })
      )
      const store = opened._tag === "Success" ? opened.value : undefined
      const client = yield* makeSqliteClient(opened)
      /** Copies the database in a thread of Node's pool, which does not block the process. Other statements wait meanwhile. */
      const copyTo = (copy: string) =>
        Effect.scoped(Effect.gen(function*() {
          const { db } = yield* opened
          yield* client.reserve
          yield* Effect.tryPromise({
            try: () => builtins.sqlite.backup(db, copy, { rate: 1000 }),
            catch: (cause) => storeError(copy, cause)
          })
        })).pipe(Effect.mapError((cause) => storeError(copy, cause)))
      const check = Effect.flatMap(opened, ({ db }) => tryOn(file, () => inspectDatabase(db, file, { logs: true })))
      const dataVersion = store?.db.prepare("PRAGMA data_version")
      const foreignVersion = () => dataVersion === undefined ? undefined : Number(dataVersion.get()?.["data_version"])
      return Context.make(SqlClient.SqlClient, client).pipe(
        Context.add(Store, Store.of({ check, copyTo })),
        Context.add(
          StoreChanges,
          StoreChanges.of({
            ...StoreChanges.unannounced,
            foreignVersion,
            unexpectedSchema: Effect.try(() =>
              store === undefined ? undefined : schemaDifference(schemaOf(store.db), expectedSchema(schemaVersion))
            )
          })
        ),
        Context.add(LeaseOwner, LeaseOwner.ofProcess())
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))

/** The services of a store: its client, its check, the detection of changes by others, and the owner of its leases. */
export type StoreServices = SqlClient.SqlClient | Store | StoreChanges | LeaseOwner

export class Store extends Context.Service<Store, {
  /** Fails if the database could not be opened or no longer passes the startup checks. */
  readonly check: Effect.Effect<void, StoreError>

  /** Copies the last committed state to an empty file. Absent unless the database is a file. */
  readonly copyTo?: (file: string) => Effect.Effect<void, StoreError>
}>()("credsvc/store/Store") {
  static readonly layerFile = (
    file: string,
    directory: string
  ): Layer.Layer<StoreServices> => layerOpened(file, open(file, directory))

  /** A database in memory that ends with the scope, for tests. The anchor of its manifest is in the home, which must be new. */
  static readonly layerMemory: Layer.Layer<StoreServices> = layerOpened(
    inMemory,
    tryOn(inMemory, () => openWritable(inMemory, { shared: false }))
  )

  /** The database of this home. Acquire the `HomeLock` first: two writers would undo each other's manifest. */
  static readonly layerNoDeps: Layer.Layer<StoreServices, never, Paths> = Layer.unwrap(
    Effect.map(Paths, (paths) => Store.layerFile(paths.database, paths.server))
  )
}
