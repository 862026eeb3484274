/**
 * A `SqlClient` for PostgreSQL with the isolation of SQLite transactions: only one transaction writes at a time. It
 * uses the connections of `@effect/sql-pg`, but not its client, which cannot lock tables as part of `BEGIN`.
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

/** The options of every connection. `name` appears in the server's list of its sessions. */
export const sessionOptions = (url: PgConnection.Config["url"], schema: string, name: string): PgConnection.Config => ({
  url,
  applicationName: name,
  types: types(),
  connectTimeout: "5 seconds",
  keepAlive: "15 seconds",
  startupParameters: {
    search_path: `"${schema}"`,
    // A stalled transaction of another daemon must not block everybody else.
    lock_timeout: "10s",
    idle_in_transaction_session_timeout: "30s",
    statement_timeout: "60s",
    synchronous_commit: "on",
    // Detects a lost machine within 30 seconds instead of two hours, so that the server releases its daemon's locks.
    tcp_keepalives_idle: "15",
    tcp_keepalives_interval: "5",
    tcp_keepalives_count: "3",
    default_transaction_read_only: "off",
    // A standby refuses this. During a failover, the address may lead to a standby, and the pool would keep the
    // connection.
    transaction_read_only: "off",
    // `PostgresRowTracking.ts` needs a sequential scan to return rows in their physical order.
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

/** How long a statement waits for a server that is stalled or unreachable. This is longer than the limit for locks. */
const longestStatement = "12 seconds"

/**
 * Limits the time of a query. Fails if the server does not respond in time. The connection ends, unless the server confirms the
 * cancellation.
 */
export const bounded = <A, R>(
  query: Effect.Effect<A, SqlError.SqlError, R>,
  limit: Duration.Input = longestStatement
) => Effect.timeoutOrElse(query, { duration: limit, orElse: () => Effect.fail(silent) })

/** How many milliseconds an operation waits for a server that restarts. Clients and front servers wait longer. */
export const longestRestart = 5000
/** When it tries again. */
export const restartPauses = Schedule.spaced("100 millis")

/** One attempt at a statement or a transaction. */
class Attempt {
  /** Whether the attempt lost its connection, or got none. */
  isLost = false
  /** Whether it sent a COMMIT, or a write outside of a transaction. Without either, the server rolls everything back. */
  hasWritten = false
}

const currentAttempt = Context.Reference<Attempt>("credsvc/store/PostgresClient/currentAttempt", {
  defaultValue: () => new Attempt()
})

const noteLoss = (attempt: Attempt) => (error: SqlError.SqlError) =>
  Effect.sync(() => {
    if (isDisconnected(error)) attempt.isLost = true
  })

/** Repeats an operation that lost its connection while the server restarts, if it has changed nothing. */
const repeated = <A, E, R>(once: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const end = performance.now() + longestRestart
    let attempt: Attempt
    return Effect.retry(Effect.suspend(() => Effect.provideService(once, currentAttempt, attempt = new Attempt())), {
      while: () => attempt.isLost && !attempt.hasWritten && performance.now() < end,
      schedule: restartPauses
    })
  })

const aborted = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("the transaction was aborted"),
    message: "the transaction was aborted",
    operation: "commit"
  })
})

/** Checks whether a lost COMMIT has taken effect. If it has not, the transaction may be repeated. */
const settleLost = Effect.fnUntraced(function*(error: SqlError.SqlError) {
  const isCommitted = yield* Effect.orElseSucceed(yield* lostCommit, () => undefined)
  if (isCommitted === true) return
  if (isCommitted === false) (yield* currentAttempt).hasWritten = false
  return yield* error
})

/** Commits, and checks the result: PostgreSQL rolls back an aborted transaction on COMMIT without an error. */
const commit = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  currentAttempt.pipe(
    Effect.tap((attempt) => Effect.sync(() => void (attempt.hasWritten = true))),
    Effect.andThen(connection.executeRaw("COMMIT", [])),
    Effect.flatMap((result) =>
      (result as PgConnection.Result).command === "COMMIT" ? Effect.void : Effect.fail(aborted)
    ),
    Effect.catchIf(isDisconnected, settleLost)
  )

/** Whether the connection keeps the prepared statement. */
type Mode = "prepared" | "unprepared"

interface ConnectionOptions {
  readonly limit: Duration.Input
  readonly attempt: Attempt
  readonly inTransaction: boolean
}

const makeConnection = (
  connection: PgConnection.PgConnection,
  { attempt, inTransaction, limit }: ConnectionOptions
): SqlConnection.Connection => {
  const send = <A>(sql: string, statement: Effect.Effect<A, SqlError.SqlError>) =>
    Effect.suspend(() => {
      if (!inTransaction && !/^\s*SELECT\b/.test(sql)) attempt.hasWritten = true
      return bounded(Effect.tapError(statement, noteLoss(attempt)), limit)
    })

  const query = (sql: string, params: ReadonlyArray<unknown>, mode: Mode) =>
    send(sql, connection.query(sql, params.map(bind), mode === "prepared"))

  const run = (sql: string, params: ReadonlyArray<unknown>, mode: Mode) =>
    Effect.map(query(sql, params, mode), ({ rows }) => rows)

  /** Ends a failed transaction. Its own failure is ignored, because a lost connection has ended the transaction, too. */
  const cleanUp = (sql: string, mode: Mode) =>
    Effect.ignore(bounded(connection.query(sql, [], mode === "prepared"), limit)).pipe(Effect.as([]))

  const beginLocked = Effect.andThen(
    run(begin, [], "prepared"),
    Effect.tapError(run(lockTables, [], "prepared"), () => cleanUp("ROLLBACK", "prepared"))
  )

  const statement = (sql: string, params: ReadonlyArray<unknown>, mode: Mode) => {
    if (sql === begin && mode === "prepared") return beginLocked
    return /^(?:ROLLBACK|RELEASE)\b/.test(sql) ? cleanUp(sql, mode) : run(sql, params, mode)
  }

  const rows = (mode: Mode): SqlConnection.Connection["execute"] => (sql, params, transformRows) => {
    const result = statement(sql, params, mode)
    return transformRows === undefined ? result : Effect.map(result, transformRows)
  }
  const execute = rows("prepared")

  const values = (mode: Mode) => (sql: string, params: ReadonlyArray<unknown>) =>
    send(sql, connection.queryValues(sql, params.map(bind), mode === "prepared"))

  return {
    execute,
    executeUnprepared: rows("unprepared"),
    executeRaw: (sql, params) => query(sql, params, "prepared"),
    executeValues: values("prepared"),
    executeValuesUnprepared: values("unprepared"),
    executeStream: (...statement) => Stream.fromIterableEffect(execute(...statement))
  }
}

/**
 * Creates a client that uses a pool. Each statement outside of a transaction, and each transaction, first waits for
 * `opened`. Reads, and transactions before their COMMIT, are repeated while the server restarts, so the effect of a
 * transaction must change nothing but the database.
 */
export const makeClient = Effect.fnUntraced(function*(
  pool: PgPool.PgPool,
  opened: Effect.Effect<void, SqlError.SqlError>,
  limit: Duration.Input = longestStatement
) {
  const acquire = Effect.fnUntraced(
    function*(get: PgPool.PgPool["get"], options: Pick<ConnectionOptions, "inTransaction">) {
      yield* opened
      const attempt = yield* currentAttempt
      return makeConnection(yield* Effect.tapError(get, noteLoss(attempt)), { ...options, attempt, limit })
    }
  )
  const acquireOne = acquire(pool.get, { inTransaction: false })
  const client = yield* SqlClient.make({
    driver: "pg",
    acquirer: acquireOne,
    borrower: (use) => repeated(Effect.scoped(Effect.flatMap(acquireOne, use))),
    transactionAcquirer: acquire(pool.reserve, { inTransaction: true }),
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
        (outer) => Option.isSome(outer) ? withTransaction(body) : repeated(withTransaction(body))
      )
  })
})
