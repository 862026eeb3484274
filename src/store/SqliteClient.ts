/** The `SqlClient` of an open SQLite database, whose COMMIT also flushes the write-ahead log. */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlConnection from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { resultCode } from "../platform/store/SqliteResult.ts"
import type { LogFlush } from "./LogFlush.ts"

const STATEMENT_CACHE = 200

const bind = (value: unknown): SQLInputValue => {
  if (value === undefined) return null
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  return value as SQLInputValue
}

const sqlError = (cause: unknown, operation: string): SqlError.SqlError => {
  // `node:sqlite` stores the result code in `errcode`, but the classification reads `errno`.
  if (cause instanceof Error) Object.assign(cause, { errno: resultCode(cause) })
  return new SqlError.SqlError({
    // SQLite's messages name tables and columns, never values.
    reason: SqlError.classifySqliteError(cause, {
      message: cause instanceof Error ? cause.message : "SQLite statement failed",
      operation
    })
  })
}

export interface Opened {
  readonly db: DatabaseSync
  /** The write-ahead log; absent for a database in memory. */
  readonly log: LogFlush | undefined
}

const makeConnection = ({ db, log }: Opened): SqlConnection.Connection => {
  const cache = new Map<string, StatementSync>()

  const prepare = (sql: string, keep: boolean): StatementSync => {
    const cached = cache.get(sql)
    if (cached !== undefined) return cached
    const statement = db.prepare(sql)
    if (keep) {
      if (cache.size >= STATEMENT_CACHE) cache.delete(cache.keys().next().value ?? "")
      cache.set(sql, statement)
    }
    return statement
  }

  const run = (sql: string, params: ReadonlyArray<unknown>, options: { values: boolean; keep: boolean }) =>
    Effect.try({
      try: () => {
        log?.before(sql)
        const statement = prepare(sql, options.keep)
        // A cached statement keeps this setting, so it is set for every run.
        statement.setReturnArrays(options.values)
        return statement.all(...params.map(bind)) as ReadonlyArray<any>
      },
      catch: (cause) => sqlError(cause, "execute")
    })

  const rows = (options: { keep: boolean }): SqlConnection.Connection["execute"] => (sql, params, transformRows) => {
    const result = run(sql, params, { values: false, ...options })
    return transformRows === undefined ? result : Effect.map(result, transformRows)
  }
  const execute = rows({ keep: true })

  return {
    execute,
    executeUnprepared: rows({ keep: false }),
    executeRaw: (sql, params) => run(sql, params, { values: false, keep: true }),
    executeValues: (sql, params) => run(sql, params, { values: true, keep: true }),
    executeValuesUnprepared: (sql, params) => run(sql, params, { values: true, keep: false }),
    executeStream: (...query) => Stream.fromIterableEffect(execute(...query))
  }
}

/** Creates the client. If the database could not be opened, each statement fails with the reason. */
export const makeSqliteClient = Effect.fnUntraced(function*(opened: Exit.Exit<Opened, { readonly message: string }>) {
  const connection = yield* Effect.cached(Effect.map(opened, makeConnection))
  const store = opened._tag === "Success" ? opened.value : undefined
  const flush = store?.log?.flush ?? Effect.void
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.mapError(connection, (error) =>
      new SqlError.SqlError({
        reason: new SqlError.ConnectionError({ cause: error, message: error.message, operation: "open" })
      })),
    semaphore: yield* Semaphore.make(1),
    isTransaction: () => store?.db.isTransaction === true
  })
  return yield* SqlClient.make({
    driver: "node:sqlite",
    compiler: Statement.makeCompilerSqlite(),
    ...acquirers,
    beginTransaction: "BEGIN IMMEDIATE",
    prepareTransactionControls: true,
    commit: (conn) => Effect.andThen(conn.execute("COMMIT", [], undefined), flush),
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
})
