/**
 * A `SqlClient` for PostgreSQL that gives transactions the isolation of SQLite's: one writes at a time.
 *
 * It uses the connections of `@effect/sql-pg`, but not its client, which cannot lock tables as a part of `BEGIN`.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlConnection from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { isDisconnected, lostCommit } from "../../platform/store/Disconnection.ts"
import { lockTables } from "./PostgresSchema.ts"

const begin = "BEGIN"

/** Reads `BIGINT` as a number, like SQLite's integers. */
const types = (): PgTypes.Registry => {
  const registry = PgTypes.makeRegistry()
  registry.register<number>(PgTypes.OID.int8, {
    encode: (value) => PgTypes.encode(BigInt(value), PgTypes.OID.int8),
    decode: (bytes) => Result.map(PgTypes.decode(bytes, PgTypes.OID.int8, 1), Number)
  })
  return registry
}

/** Settings of every session. */
export const sessionOptions = (url: PgConnection.Config["url"], schema: string, name: string): PgConnection.Config => ({
  url,
  applicationName: name,
  types: types(),
  connectTimeout: "5 seconds",
  keepAlive: "15 seconds",
  startupParameters: {
    search_path: `"${schema}"`,
    // A transaction of another daemon that stalls must not block everybody else.
    lock_timeout: "10s",
    idle_in_transaction_session_timeout: "30s",
    statement_timeout: "60s",
    synchronous_commit: "on",
    // The server gives up the locks of a daemon whose machine is gone, instead of after two hours.
    tcp_keepalives_idle: "15",
    tcp_keepalives_interval: "5",
    tcp_keepalives_count: "3",
    default_transaction_read_only: "off",
    // The versions of rows (`RowVersions.ts`) are read in the order of their places.
    synchronize_seqscans: "off",
    max_parallel_workers_per_gather: "0",
    timezone: "UTC"
  }
})

const bind = (value: unknown): unknown => {
  if (value === undefined) return null
  if (typeof value === "boolean") return value ? 1 : 0
  return value instanceof Date ? value.toISOString() : value
}

const silent = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({
    cause: undefined,
    message: "PostgreSQL does not respond",
    operation: "query"
  })
})

/** How long a statement waits for a server that is stalled or behind a dead network: longer than for a lock. */
const longestStatement = "12 seconds"

/** Fails if the server does not respond in time. The interrupted statement ends the connection, unless the server confirms that. */
export const bounded = <A, R>(
  query: Effect.Effect<A, SqlError.SqlError, R>,
  limit: Duration.Input = longestStatement
) => Effect.timeoutOrElse(query, { duration: limit, orElse: () => Effect.fail(silent) })

/** How long an operation waits for a server that restarts, in milliseconds. Clients and servers in front of the daemon wait longer. */
export const longestRestart = 5000
export const restartPauses = Schedule.spaced("100 millis")

/** One attempt at a statement or a transaction. */
interface Attempt {
  /** The first statement whose connection was lost, or an empty text if there was no connection. */
  lost?: string
}

const currentAttempt = Context.Reference<Attempt>("credsvc/store/PostgresClient/currentAttempt", {
  defaultValue: () => ({})
})

const noteLoss = (attempt: Attempt, sql: string) => (error: SqlError.SqlError) =>
  Effect.sync(() => {
    if (isDisconnected(error)) attempt.lost ??= sql
  })

/** Repeats what was lost while the server restarts, if that has changed nothing. */
const repeated = <A, E, R>(once: Effect.Effect<A, E, R>, hasChangedNothing: (lost: string) => boolean) =>
  Effect.suspend(() => {
    const end = performance.now() + longestRestart
    let attempt: Attempt = {}
    return Effect.retry(Effect.suspend(() => Effect.provideService(once, currentAttempt, attempt = {})), {
      while: () => attempt.lost !== undefined && hasChangedNothing(attempt.lost) && performance.now() < end,
      schedule: restartPauses
    })
  })

const isRead = (sql: string) => sql === "" || /^\s*SELECT\b/.test(sql)

/** The server rolls back a transaction whose connection ends before COMMIT. */
const isBeforeEnd = (sql: string) => !/^(?:COMMIT|ROLLBACK)\b/.test(sql)

const aborted = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("the transaction was aborted"),
    message: "the transaction was aborted",
    operation: "commit"
  })
})

/** Looks whether a lost COMMIT has taken effect. If not, the transaction is repeated. */
const settleLost = Effect.fnUntraced(function*(error: SqlError.SqlError) {
  const isCommitted = yield* Effect.orElseSucceed(yield* lostCommit, () => undefined)
  if (isCommitted === true) return
  if (isCommitted === false) (yield* currentAttempt).lost = begin
  return yield* error
})

/** A transaction that PostgreSQL has aborted is rolled back by COMMIT without an error. */
const commit = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  connection.executeRaw("COMMIT", []).pipe(
    Effect.flatMap((result) =>
      (result as PgConnection.Result).command === "COMMIT" ? Effect.void : Effect.fail(aborted)
    ),
    Effect.catchIf(isDisconnected, settleLost)
  )

const makeConnection = (
  connection: PgConnection.PgConnection,
  limit: Duration.Input,
  attempt: Attempt
): SqlConnection.Connection => {
  const query = (sql: string, params: ReadonlyArray<unknown>, prepare?: boolean) =>
    bounded(Effect.tapError(connection.query(sql, params.map(bind), prepare), noteLoss(attempt, sql)), limit)

  const run = (sql: string, params: ReadonlyArray<unknown>, prepare: boolean) =>
    Effect.map(query(sql, params, prepare), ({ rows }) => rows)

  const beginLocked = Effect.andThen(
    run(begin, [], true),
    Effect.tapError(run(lockTables, [], true), () => Effect.ignore(run("ROLLBACK", [], true)))
  )

  const statement = (sql: string, params: ReadonlyArray<unknown>, prepare: boolean) => {
    if (sql === begin && prepare) return beginLocked
    // A lost connection has ended its transaction. The failure that matters is the one of the statement before.
    return /^(?:ROLLBACK|RELEASE)\b/.test(sql)
      ? Effect.orElseSucceed(run(sql, params, prepare), () => [])
      : run(sql, params, prepare)
  }

  const rows = (prepare: boolean): SqlConnection.Connection["execute"] => (sql, params, transformRows) => {
    const result = statement(sql, params, prepare)
    return transformRows === undefined ? result : Effect.map(result, transformRows)
  }

  const values = (prepare: boolean) => (sql: string, params: ReadonlyArray<unknown>) =>
    bounded(Effect.tapError(connection.queryValues(sql, params.map(bind), prepare), noteLoss(attempt, sql)), limit)

  return {
    execute: rows(true),
    executeUnprepared: rows(false),
    executeRaw: query,
    executeValues: values(true),
    executeValuesUnprepared: values(false),
    executeStream: (sql, params, transformRows) =>
      Stream.unwrap(Effect.map(rows(true)(sql, params, transformRows), Stream.fromIterable))
  }
}

/**
 * A client over a pool. Each statement outside of a transaction, and each transaction, first waits for `opened`. Reads, and
 * transactions before their COMMIT, are repeated while the server restarts, so the effect of a transaction must not change
 * anything but the database.
 */
export const makeClient = Effect.fnUntraced(function*(
  pool: PgPool.PgPool,
  opened: Effect.Effect<void, SqlError.SqlError>,
  limit: Duration.Input = longestStatement
) {
  const acquire = Effect.fnUntraced(function*(get: PgPool.PgPool["get"]) {
    yield* opened
    const attempt = yield* currentAttempt
    return makeConnection(yield* Effect.tapError(get, noteLoss(attempt, "")), limit, attempt)
  })
  const client = yield* SqlClient.make({
    driver: "pg",
    acquirer: acquire(pool.get),
    borrower: (use) => repeated(Effect.scoped(Effect.flatMap(acquire(pool.get), use)), isRead),
    transactionAcquirer: acquire(pool.reserve),
    compiler: PgClient.makeCompiler(),
    beginTransaction: begin,
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const { transactionService, withTransaction } = client
  return Object.assign(client, {
    withTransaction: <R, E, A>(body: Effect.Effect<A, E, R>) =>
      Effect.flatMap(
        Effect.serviceOption(transactionService),
        (outer) => Option.isSome(outer) ? withTransaction(body) : repeated(withTransaction(body), isBeforeEnd)
      )
  })
})
