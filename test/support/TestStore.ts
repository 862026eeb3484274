/**
 * The store of a test's home. The same tests run on SQLite and, in another project of `vitest.config.ts`, on PostgreSQL,
 * where each home has a schema of its own.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { Paths } from "../../src/config/Paths.ts"
import { tables } from "../../src/store/Migrations.ts"
import { parseDatabaseUrl } from "../../src/store/postgres/DatabaseUrl.ts"
import { statementsAfter } from "../../src/store/postgres/PostgresSchema.ts"
import type { Use } from "../../src/store/postgres/PostgresSession.ts"
import { Store, type StoreServices } from "../../src/store/Store.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { programsDirectory } from "./postgres/Installation.ts"

export const onPostgres = process.env["CREDSVC_TEST_STORE"] === "postgres"

export const databaseOf = (home: string): string => path.join(home, "server", "credsvc.db")

export const schemaOf = (home: string): string =>
  `home_${createHash("sha256").update(path.resolve(home)).digest("hex").slice(0, 24)}`

const socket = () => process.env["CREDSVC_TEST_POSTGRES_SOCKET"]!

/** The URL of a home's database on PostgreSQL. */
export const databaseUrlOf = (home: string): string =>
  `postgres:///postgres?host=${socket()}&user=credsvc&schema=${schemaOf(home)}`

export const storeOfHome = (home: string, use: Use = "shared"): Layer.Layer<StoreServices> =>
  Layer.unwrap(Effect.promise(async () => {
    const { postgresLayer } = await import("../../src/store/postgres/PostgresStore.ts")
    fs.mkdirSync(path.join(home, "server"), { recursive: true, mode: 0o700 })
    return postgresLayer(Result.getOrThrow(parseDatabaseUrl(databaseUrlOf(home))), use)
  }))

/** Connects now, by the real clock: while a test moves its own clock by minutes, the server could not respond in time. */
const connected = (store: Layer.Layer<StoreServices>): Layer.Layer<StoreServices> =>
  Layer.tap(store, (services) => Effect.ignore(Context.get(services, SqlClient.SqlClient)`SELECT 1`)).pipe(
    Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue()))
  )

/** The store of the home in `Paths`. */
export const testStore: Layer.Layer<StoreServices, StoreError, Paths> = onPostgres
  ? Layer.unwrap(Effect.map(Paths, ({ home }) => connected(storeOfHome(home))))
  : Store.layerNoDeps

const psql = (home: string, script: string): string =>
  execFileSync(
    path.join(programsDirectory()!, "psql"),
    ["-h", socket(), "-U", "credsvc", "-qAtX", "-v", "ON_ERROR_STOP=1", "postgres"],
    { input: `SET search_path = ${schemaOf(home)};\n${script}`, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] }
  )

/** Replaces what only SQLite has: its literals of type BLOB, and their functions. */
const inDialect = (statement: string): string =>
  onPostgres
    ? statement.replace(/\bx'([0-9a-f]*)'/gi, String.raw`'\x$1'::bytea`)
      .replace(/\bzeroblob\(length\((\w+)\)\)/g, "decode(repeat('00', length($1)), 'hex')")
    : statement

/** Runs statements on a home's database, as somebody with write access but without the key can. */
export const executeOn = (home: string, ...statements: ReadonlyArray<string>): void => {
  if (onPostgres) {
    psql(home, statements.map((statement) => `${inDialect(statement)};`).join("\n"))
    return
  }
  const db = new DatabaseSync(databaseOf(home))
  try {
    for (const statement of statements) db.exec(statement)
  } finally {
    db.close()
  }
}

/** Reads a home's database without its locks, which also works while a daemon has it open. */
export const queryOn = (home: string, statement: string): ReadonlyArray<Record<string, unknown>> => {
  if (onPostgres) {
    return JSON.parse(psql(home, `SELECT coalesce(json_agg(t), '[]') FROM (${inDialect(statement)}) AS t`))
  }
  const db = new DatabaseSync(new URL("?vfs=unix-none", pathToFileURL(databaseOf(home))), { readOnly: true })
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE")
    return db.prepare(statement).all() as ReadonlyArray<Record<string, unknown>>
  } finally {
    db.close()
  }
}

/** Replaces the rows of a table by those of another home. */
export const replaceRows = (home: string, table: string, other: string): void =>
  onPostgres
    ? executeOn(home, `DELETE FROM ${table}`, `INSERT INTO ${table} SELECT * FROM ${schemaOf(other)}.${table}`)
    : executeOn(
      home,
      `ATTACH '${databaseOf(other)}' AS other`,
      `DELETE FROM ${table}`,
      `INSERT INTO ${table} SELECT * FROM other.${table}`
    )

/** Copies the database of a home to that of another, whose files are a copy. */
export const copyStore = (home: string, copy: string): void => {
  if (!onPostgres) return
  const [from, to] = [schemaOf(home), schemaOf(copy)]
  const columns = [...tables.map(({ name }) => name), "schema_version"].map((table) =>
    `INSERT INTO ${to}.${table} OVERRIDING SYSTEM VALUE SELECT * FROM ${from}.${table};`
  )
  psql(copy, [`CREATE SCHEMA ${to};`, ...statementsAfter(0).map((statement) => `${statement};`), ...columns].join("\n"))
}
