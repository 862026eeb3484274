/**
 * The database: a `SqlClient` for one database to which only this process writes. The layers never fail. If the
 * database is unusable, every statement fails with the reason, so that the daemon can still report the problem.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { Paths } from "../config/Paths.ts"
import { builtins } from "../platform/builtins.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { LeaseOwner } from "../platform/store/LeaseOwner.ts"
import { primaryResult } from "../platform/store/SqliteResult.ts"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import { makeLogFlush } from "./LogFlush.ts"
import { migrations, schemaDifference, schemaVersion, temporaryTables } from "./Migrations.ts"
import { makeSqliteClient, type Opened } from "./SqliteClient.ts"

/** Whether other processes may use the file while it is open. Only tests set this, to simulate another writer. */
export const SharedAccess = Context.Reference<boolean>("credsvc/store/Store/SharedAccess", {
  defaultValue: () => false
})

export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  file: Schema.String,
  problem: Schema.Literals(["newer_schema", "unexpected_schema", "damaged", "unsafe_file", "unavailable"]),
  message: Schema.String
}) {}

const BUSY_TIMEOUT = 5000

/** The name of an SQLite database in memory. */
const memory = ":memory:"

// Names are not filtered, because a crafted file can contain a trigger with any name, even with the prefix `sqlite_`.
const schemaOf = (db: DatabaseSync): ReadonlyArray<string> =>
  db.prepare("SELECT type, name, sql FROM sqlite_schema").all()
    .map(({ name, sql, type }) => `${String(type)} ${String(name)}: ${String(sql ?? "").replace(/\s+/g, " ")}`)
    .toSorted()

const userVersion = (db: DatabaseSync): number => {
  const row = db.prepare("PRAGMA user_version").get()
  return Number(row?.["user_version"])
}

const runMigrations = (db: DatabaseSync, from: number, to: number): void => {
  for (const { statements, version } of migrations) {
    if (version <= from || version > to) continue
    for (const statement of statements) db.exec(statement)
    db.exec(`PRAGMA user_version = ${version}`)
  }
}

const expectedSchema = (version: number): ReadonlyArray<string> => {
  const db = new builtins.sqlite.DatabaseSync(memory)
  try {
    runMigrations(db, 0, version)
    return schemaOf(db)
  } finally {
    db.close()
  }
}

/** SQLite's primary result codes. */
const Code = { busy: 5, readOnly: 8, corrupt: 11, notADatabase: 26 }

const damaged = (file: string) =>
  new StoreError({ file, problem: "damaged", message: `${file} is damaged; restore it from a backup` })

const storeError = (file: string, cause: unknown): StoreError => {
  if (cause instanceof StoreError) return cause
  const code = primaryResult(cause)
  if (code === Code.busy) {
    return new StoreError({
      file,
      problem: "unavailable",
      message: `${file} is open in another program; close that program and restart the daemon`
    })
  }
  if (cause instanceof SecureFiles.SecureFileError) {
    return new StoreError({ file, problem: "unsafe_file", message: cause.message })
  }
  return code === Code.corrupt || code === Code.notADatabase
    ? damaged(file)
    : new StoreError({
      file,
      problem: "unavailable",
      message: `${file} cannot be opened (${cause instanceof Error ? cause.message : "unknown error"})`
    })
}

/** The settings of every connection. */
const hardeningPragmas: ReadonlyArray<string> = ["PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON"]

/** The tables to check at the start. The logs, which can be ten times as large, are left to the manifest. */
const checkedAtStart = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('audit', 'use_batches')`

/** Checks the schema and the pages of a database. At the start, the pages of the logs are skipped. */
const inspect = (db: DatabaseSync, file: string, isStart: boolean): void => {
  const version = userVersion(db)
  if (version > schemaVersion) {
    throw new StoreError({
      file,
      problem: "newer_schema",
      message:
        `${file} was written by a newer version of credsvc (schema ${version}, this version supports ${schemaVersion}); ` +
        "use that version"
    })
  }
  const difference = schemaDifference(schemaOf(db), expectedSchema(version))
  if (difference !== undefined) {
    throw new StoreError({
      file,
      problem: "unexpected_schema",
      message: `${file} does not have the schema that credsvc created (${difference}); restore it from a backup`
    })
  }
  const parts = isStart ? db.prepare(checkedAtStart).all().map(({ name }) => `"${String(name)}"`) : ["1"]
  for (const part of parts) {
    const findings = db.prepare(`PRAGMA quick_check(${part})`).all()
    if (findings.length !== 1 || findings[0]?.["quick_check"] !== "ok") throw damaged(file)
  }
}

/** Lists the files that SQLite keeps beside a database. */
export const sidecars = (file: string): ReadonlyArray<string> => [`${file}-wal`, `${file}-shm`, `${file}-journal`]

/**
 * Locks other processes out, and keeps the index of the write-ahead log in memory. With a mapped `-shm` file on a full
 * disk, a page that cannot be allocated would end the process with SIGBUS.
 */
const lockExclusively = (db: DatabaseSync): void => db.exec("PRAGMA locking_mode = EXCLUSIVE")

/** Checks a database without writing to it: even closing a writable connection would merge the write-ahead log. */
const inspectUnopened = (file: string, shared: boolean): void => {
  // A read-only file cannot be locked exclusively, but the home lock keeps other daemons out.
  const unlocked = !shared && process.platform !== "win32"
  const reader = new builtins.sqlite.DatabaseSync(
    unlocked ? new URL("?vfs=unix-none", pathToFileURL(file)) : file,
    { readOnly: true, timeout: BUSY_TIMEOUT, allowExtension: false }
  )
  try {
    if (unlocked) lockExclusively(reader)
    for (const pragma of hardeningPragmas) reader.exec(pragma)
    inspect(reader, file, true)
  } finally {
    reader.close()
  }
}

const openDatabase = (file: string, shared: boolean): DatabaseSync => {
  const { DatabaseSync } = builtins.sqlite
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    try {
      inspectUnopened(file, shared)
    } catch (cause) {
      if (primaryResult(cause) !== Code.readOnly) throw cause
      // A crash during the creation of the database may leave a rollback journal, which only a writer can apply.
      const writer = new DatabaseSync(file, { timeout: BUSY_TIMEOUT, allowExtension: false, defensive: true })
      try {
        if (!shared) lockExclusively(writer)
        writer.prepare("SELECT count(*) FROM sqlite_schema").get()
      } finally {
        writer.close()
      }
      inspectUnopened(file, shared)
    }
  }
  return openWritable(file, shared)
}

/** The settings of a connection that writes. */
const writerPragmas: ReadonlyArray<string> = [
  ...hardeningPragmas,
  "PRAGMA journal_mode = WAL",
  "PRAGMA synchronous = FULL",
  "PRAGMA secure_delete = ON",
  "PRAGMA temp_store = MEMORY",
  // Without this, INSERT OR REPLACE removes rows without running the manifest's delete triggers.
  "PRAGMA recursive_triggers = ON"
]

/**
 * Copies a database before a migration. The copy replaces that from an earlier migration. `credsvc admin restore` of the
 * older version accepts it.
 */
const keepBefore = (db: DatabaseSync, file: string): void => {
  const copies = `${path.basename(file)}.before-`
  for (const name of fs.readdirSync(path.dirname(file)).filter((name) => name.startsWith(copies))) {
    fs.rmSync(path.join(path.dirname(file), name))
  }
  const copy = `${file}.before-${schemaVersion}`
  fs.closeSync(fs.openSync(copy, "wx", 0o600))
  db.prepare("VACUUM INTO ?").run(copy)
}

const openWritable = (file: string, shared: boolean): DatabaseSync => {
  const db = new builtins.sqlite.DatabaseSync(file, {
    timeout: BUSY_TIMEOUT,
    allowExtension: false,
    defensive: true,
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false
  })
  try {
    if (!shared) lockExclusively(db)
    for (const pragma of writerPragmas) db.exec(pragma)
    const version = userVersion(db)
    if (version > 0 && version < schemaVersion) keepBefore(db, file)
    db.exec("BEGIN IMMEDIATE")
    runMigrations(db, version, schemaVersion)
    db.exec("COMMIT")
    for (const statement of temporaryTables) db.exec(statement)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

const open = (file: string, directory: string): Effect.Effect<DatabaseSync, StoreError> =>
  Effect.gen(function*() {
    yield* SecureFiles.ensurePrivateDirectory(directory)
    for (const path of [file, ...sidecars(file)]) yield* SecureFiles.checkFile(path)
    // SQLite would create the file with the umask's mode. Its -wal and -shm files get the same mode.
    if (!fs.existsSync(file)) yield* SecureFiles.createOnce(file, "")
    const shared = yield* SharedAccess
    return yield* Effect.try({ try: () => openDatabase(file, shared), catch: (cause) => storeError(file, cause) })
  }).pipe(Effect.mapError((error) => storeError(file, error)))

/** Opens the log for flushing. If this fails, closes the database. */
const withLog = (db: DatabaseSync, file: string): Effect.Effect<Opened, StoreError> =>
  Effect.try({
    try: () => ({ db, log: file === memory ? undefined : makeLogFlush(db, file) }),
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
      const check = Effect.flatMap(
        opened,
        ({ db }) => Effect.try({ try: () => inspect(db, file, false), catch: (cause) => storeError(file, cause) })
      )
      const dataVersion = store?.db.prepare("PRAGMA data_version")
      dataVersion?.setReturnArrays(true)
      const foreignVersion = () => (dataVersion?.get() as readonly [number] | undefined)?.[0]
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
    memory,
    Effect.try({
      try: () => openWritable(memory, false),
      catch: (cause) => storeError(memory, cause)
    })
  )

  /** The database of this home. Acquire the `HomeLock` first: two writers would undo each other's manifest. */
  static readonly layerNoDeps: Layer.Layer<StoreServices, never, Paths> = Layer.unwrap(
    Effect.map(Paths, (paths) => Store.layerFile(paths.database, paths.server))
  )
}
