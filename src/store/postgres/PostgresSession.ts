/**
 * The connection of a daemon that listens for announcements and holds two advisory locks. One is the lock of the
 * database, which the daemons share and which a restore takes exclusively. The other belongs to the number that owns the
 * daemon's leases.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import { isDisconnected } from "../../platform/store/Disconnection.ts"
import { schemaVersion } from "../Migrations.ts"
import type { StoreError } from "../StoreError.ts"
import { asUnusable, newerSchema, unexpectedDifference, unkeptSettings, unusable } from "./DatabaseFailures.ts"
import type { DatabaseAddress } from "./DatabaseUrl.ts"
import { announcementChannel, type Announcements, migratedTopic } from "./PostgresAnnouncements.ts"
import { bounded, longestRestart, restartPauses } from "./PostgresClient.ts"
import { openSchema } from "./PostgresSchema.ts"

/** How many milliseconds a failed attempt to connect is cached: a burst of requests must not become a burst of connections. */
const failureKept = 500

const retries = Schedule.spaced(failureKept)

/** How long to wait for a daemon that is stopping. */
const longestStop = "3s"

/** Whether other daemons may use the database at the same time. */
export type Use = "alone" | "shared"

interface SessionOptions {
  readonly address: DatabaseAddress
  readonly use: Use
  readonly connection: PgConnection.Config
  /** The number that owns the daemon's leases. */
  readonly number: string
  readonly announcements: Announcements
  /** A client that opens no session, and one that also allows the time that a migration of large tables takes. */
  readonly direct: SqlClient.SqlClient
  readonly migrating: SqlClient.SqlClient
  /** Called with a sentence once a newer version has migrated the tables. */
  readonly onOutdated: (message: string) => void
}

export interface Session {
  /** Describes how the schema differs from the expected one. */
  readonly difference: Effect.Effect<string | undefined, SqlError.SqlError>
  /** Passes announcements on until the connection is lost or a newer version has migrated the tables. */
  readonly listen: Effect.Effect<void>
}

const lockKeys = (schema: string) => `hashtext('credsvc'), hashtext('${schema}')`

/** A query for the daemons that hold the lock of the database, each with its name, its number and the time since its last statement. */
export const lockHolders = (schema: string) =>
  `SELECT a.application_name AS name,
    (SELECT (n.classid::bigint << 32 | n.objid::bigint)::text FROM pg_locks n
      WHERE n.pid = l.pid AND n.locktype = 'advisory' AND n.objsubid = 1 LIMIT 1) AS owner,
    (extract(epoch FROM clock_timestamp() - a.state_change) * 1000)::bigint AS silent
  FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid = (hashtext('credsvc')::bigint & 4294967295)::oid
    AND l.objid = (hashtext('${schema}')::bigint & 4294967295)::oid`

/** Acquires the lock of the database. Waits for a daemon that is stopping to release it. */
const lockDatabase = Effect.fnUntraced(
  function*(connection: PgConnection.PgConnection, { name, schema }: DatabaseAddress, use: Use) {
    yield* bounded(connection.query(`SET lock_timeout = '${longestStop}'`))
    yield* Effect.catchIf(
      bounded(connection.query(`SELECT pg_advisory_lock${use === "alone" ? "" : "_shared"}(${lockKeys(schema)})`)),
      ({ reason }) => reason._tag === "LockTimeoutError",
      () =>
        Effect.flatMap(bounded(connection.query(lockHolders(schema))), ({ rows }) => {
          const other = rows[0]?.["name"]
          return unusable(
            `${use === "alone" ? "a daemon" : "credsvc admin restore"}${
              typeof other === "string" ? ` (${other})` : ""
            } uses the database at ${name}; ` + (use === "alone" ? "stop it first" : "wait until it has ended")
          )
        })
    )
  }
)

/** Acquires the lock of the daemon's number. The server may still hold it for a lost connection. */
const lockNumber = (connection: PgConnection.PgConnection, number: string) =>
  Effect.repeat(connection.query(`SELECT pg_try_advisory_lock(${number}) AS held`), {
    until: ({ rows }) => rows[0]?.["held"] === true,
    schedule: retries
  })

/** Fails if the server, or a pooler before it, does not keep the settings of the session. */
const requireSettings = Effect.fnUntraced(function*(connection: PgConnection.PgConnection, name: string) {
  const { rows } = yield* bounded(connection.query("SHOW idle_in_transaction_session_timeout"))
  if (rows[0]?.["idle_in_transaction_session_timeout"] !== "30s") return yield* unusable(unkeptSettings(name))
})

const passAnnouncements = (
  connection: PgConnection.PgConnection,
  notices: Queue.Dequeue<{ readonly payload: string }, SqlError.SqlError>,
  receive: Announcements["receive"]
) => {
  const heartbeat = Effect.repeat(bounded(connection.query("SELECT 1"), "8 seconds"), Schedule.spaced("4 seconds"))
  // Anyone who can connect can send an announcement, so the tables decide. The next session describes the problem.
  const isNewer = Effect.map(
    connection.query("SELECT version FROM schema_version"),
    ({ rows }) => Number(rows[0]?.["version"]) > schemaVersion
  )
  return Effect.repeat(
    Effect.flatMap(Queue.take(notices), ({ payload }) => receive(payload) ? isNewer : Effect.succeed(false)),
    { until: (isOver) => isOver }
  ).pipe(Effect.asVoid, Effect.raceFirst(heartbeat), Effect.ignore)
}

/** Opens a session, which ends with the scope. Creates or migrates the tables. */
export const openSession = Effect.fnUntraced(function*(options: SessionOptions) {
  const { address, announcements } = options
  const opened = yield* PgConnection.make(options.connection)
  const connection = yield* opened.pin
  yield* lockDatabase(connection, address, options.use)
  yield* requireSettings(connection, address.name)
  const { difference: differenceOn, version } = yield* openSchema(
    options.migrating,
    address.schema,
    lockHolders(address.schema)
  )
  if (version > schemaVersion) {
    const error = newerSchema(address, version)
    options.onOutdated(error.message)
    return yield* error
  }
  if (version > 0 && version < schemaVersion) {
    yield* bounded(connection.query(...announcements.statement(migratedTopic, "")))
  }
  const difference = differenceOn(options.direct)
  const found = yield* difference
  if (found !== undefined) return yield* unexpectedDifference(address, found)
  const notices = yield* bounded(connection.listen(announcementChannel))
  yield* Effect.forkScoped(Effect.ignore(lockNumber(connection, options.number)), { startImmediately: true })
  return { difference, listen: passAnnouncements(connection, notices, announcements.receive) } satisfies Session
})

/**
 * Returns the open session, opened again after a lost connection. `name` is the database in messages. `onReopened` is
 * called with each session after the first.
 */
export const makeCurrentSession = Effect.fnUntraced(function*(
  open: Effect.Effect<Session, SqlError.SqlError | StoreError, Scope.Scope>,
  name: string,
  onReopened: () => void
) {
  const scope = yield* Effect.scope
  const turn = yield* Semaphore.make(1)
  let session: Session | undefined
  /** When the last session was lost, by the monotonic clock. */
  let lostAt = -Infinity
  let failure: { readonly error: SqlError.SqlError; readonly at: number } | undefined

  const openOnce = Effect.flatMap(Scope.fork(scope), (used) =>
    Scope.provide(open, used).pipe(
      Effect.tap((opened) => {
        const listened = Effect.onExit(opened.listen, () => {
          if (session === opened) session = undefined
          lostAt = performance.now()
          return Scope.close(used, Exit.void)
        })
        return Effect.forkIn(Effect.andThen(listened, reopen), scope)
      }),
      Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(used, exit))
    ))

  /** For a moment after a lost connection, requests wait until the server has restarted. Later ones fail immediately. */
  const openWhileRestarting = Effect.retry(openOnce, {
    while: (error) => error._tag === "SqlError" && isDisconnected(error) && performance.now() - lostAt < longestRestart,
    schedule: restartPauses
  })

  const acquire = turn.withPermits(1)(Effect.gen(function*() {
    if (session !== undefined) return session
    if (failure !== undefined && performance.now() - failure.at < failureKept) return yield* failure.error
    session = yield* openWhileRestarting.pipe(
      Effect.mapError(asUnusable(name)),
      Effect.tapError((error) =>
        Effect.sync(() => {
          failure = { error, at: performance.now() }
        })
      )
    )
    if (lostAt > -Infinity) onReopened()
    return session
  }))

  /** Opens a session even while the store is not used, because leases and announcements need the connection. */
  const reopen: Effect.Effect<void> = Effect.suspend(() => Effect.ignore(Effect.retry(acquire, retries)))

  return Effect.suspend(() => session === undefined ? acquire : Effect.succeed(session))
})
