/** Opens SQLite databases: checks their schema and pages before the first write, migrates them, and sets the options of connections. */
import * as fs from "node:fs"
import * as path from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { builtins } from "../platform/builtins.ts"
import { SecureFileError } from "../platform/files/SecureFiles.ts"
import { primaryResult } from "../platform/store/SqliteResult.ts"
import { migrations, schemaDifference, schemaVersion, temporaryTables } from "./Migrations.ts"
import { StoreError } from "./StoreError.ts"

const BUSY_TIMEOUT = 5000

/** The name of an SQLite database in memory. */
export const inMemory = ":memory:"

/** Describes each part of a schema in a line. */
// Names are not filtered, because a crafted file can contain a trigger with any name, even with the prefix `sqlite_`.
export const schemaOf = (db: DatabaseSync): ReadonlyArray<string> =>
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

/** The schema of a database of this version. */
export const expectedSchema = (version: number): ReadonlyArray<string> => {
  const db = new builtins.sqlite.DatabaseSync(inMemory)
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

/** The failure of an operation on a database, with the reason. */
export const storeError = (file: string, cause: unknown): StoreError => {
  if (cause instanceof StoreError) return cause
  const code = primaryResult(cause)
  if (code === Code.busy) {
    return StoreError.unavailable(
      file,
      `${file} is open in another program; close that program and restart the daemon`
    )
  }
  if (cause instanceof SecureFileError) {
    return new StoreError({ file, problem: "unsafe_file", message: cause.message })
  }
  if (code === Code.corrupt || code === Code.notADatabase) return damaged(file)
  return StoreError.unavailable(
    file,
    `${file} cannot be opened (${cause instanceof Error ? cause.message : "unknown error"})`
  )
}

/** The settings of every connection. */
const hardeningPragmas: ReadonlyArray<string> = ["PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON"]

/** The tables whose pages are checked at the start. The logs can be ten times as large. */
const tablesWithoutLogs = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('audit', 'use_batches')`

/** Checks the schema and the pages of a database. Throws a `StoreError`. */
export const inspectDatabase = (db: DatabaseSync, file: string, { logs }: { readonly logs: boolean }): void => {
  const version = userVersion(db)
  if (version > schemaVersion) throw StoreError.newerSchema(file, file, version)
  const difference = schemaDifference(schemaOf(db), expectedSchema(version))
  if (difference !== undefined) {
    throw new StoreError({
      file,
      problem: "unexpected_schema",
      message: `${file} does not have the schema that credsvc created (${difference}); restore it from a backup`
    })
  }
  const parts = logs ? ["1"] : db.prepare(tablesWithoutLogs).all().map(({ name }) => `"${String(name)}"`)
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

interface Access {
  /** Whether other processes may use the database while it is open. */
  readonly shared: boolean
}

/** Checks a database without writing to it: even closing a writable connection would merge the write-ahead log. */
const inspectUnopened = (file: string, { shared }: Access): void => {
  // A read-only file cannot be locked exclusively, but the home lock keeps other daemons out.
  const unlocked = !shared && process.platform !== "win32"
  const reader = new builtins.sqlite.DatabaseSync(
    unlocked ? new URL("?vfs=unix-none", pathToFileURL(file)) : file,
    { readOnly: true, timeout: BUSY_TIMEOUT, allowExtension: false }
  )
  try {
    if (unlocked) lockExclusively(reader)
    for (const pragma of hardeningPragmas) reader.exec(pragma)
    inspectDatabase(reader, file, { logs: false })
  } finally {
    reader.close()
  }
}

/** Opens the database in a file, which may be empty. Checks an existing database before anything is written to it. */
export const openDatabase = (file: string, access: Access): DatabaseSync => {
  const { DatabaseSync } = builtins.sqlite
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    try {
      inspectUnopened(file, access)
    } catch (cause) {
      if (primaryResult(cause) !== Code.readOnly) throw cause
      // A crash during the creation of the database may leave a rollback journal, which only a writer can apply.
      const writer = new DatabaseSync(file, { timeout: BUSY_TIMEOUT, allowExtension: false, defensive: true })
      try {
        if (!access.shared) lockExclusively(writer)
        writer.prepare("SELECT count(*) FROM sqlite_schema").get()
      } finally {
        writer.close()
      }
      inspectUnopened(file, access)
    }
  }
  return openWritable(file, access)
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

/** Opens a database without a check, and creates or migrates its tables. */
export const openWritable = (file: string, { shared }: Access): DatabaseSync => {
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
