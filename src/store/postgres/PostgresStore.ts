/**
 * The store on PostgreSQL.
 *
 * Each daemon has its own connection that listens for announcements and holds two advisory locks. One is the lock of the
 * database, which the daemons share and which a restore takes exclusively. The other belongs to the number that owns the
 * daemon's leases. Like the store on SQLite, the layer never fails. While the database is unusable, every statement
 * fails with the reason, and the next statement tries again.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import * as SqlError from "effect/sql/SqlError"
import { builtins } from "../../platform/builtins.ts"
import { listenIn } from "../../platform/Listeners.ts"
import { isDisconnected } from "../../platform/store/Disconnection.ts"
import { LeaseOwner } from "../../platform/store/LeaseOwner.ts"
import { StoreChanges, type Topic, topics } from "../../platform/store/StoreChanges.ts"
import { schemaVersion } from "../Migrations.ts"
import { Store, StoreError, type StoreServices } from "../Store.ts"
import type { DatabaseAddress } from "./DatabaseUrl.ts"
import { bounded, longestRestart, makeClient, restartPauses, sessionOptions } from "./PostgresClient.ts"
import { makeLeaseOwner } from "./PostgresLeases.ts"
import { openSchema } from "./PostgresSchema.ts"

const maxConnections = 8
/** How many milliseconds a failed attempt to connect is cached: a burst of requests must not become a burst of connections. */
const failureKept = 500

/** How long to wait for a daemon that is stopping. */
const longestStop = "3s"

/** The channel for all announcements in a database. Each of its schemas may contain a store. */
const channel = "credsvc"

/** The topic of the announcement that a daemon has migrated the tables. */
const migrated = "migrated"

const lockKeys = (schema: string) => `hashtext('credsvc'), hashtext('${schema}')`

const holder = (schema: string) =>
  `SELECT a.application_name AS name,
    (SELECT (n.classid::bigint << 32 | n.objid::bigint)::text FROM pg_locks n
      WHERE n.pid = l.pid AND n.locktype = 'advisory' AND n.objsubid = 1 LIMIT 1) AS owner,
    (extract(epoch FROM clock_timestamp() - a.state_change) * 1000)::bigint AS silent
  FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid = (hashtext('credsvc')::bigint & 4294967295)::oid
    AND l.objid = (hashtext('${schema}')::bigint & 4294967295)::oid`

const unusable = (message: string, cause: unknown = undefined) =>
  new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause, message, operation: "open" }) })

const pooler = (name: string) =>
  `a pooler such as PgBouncer at ${name} does not keep the settings of a session; set CREDSVC_DATABASE_URL to the ` +
  "address of PostgreSQL itself"

const rootMessage = (error: unknown): string => {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if (!(at.cause instanceof Error)) return at.message
  }
  return "unknown error"
}

/** Explains why the database cannot be used, without any part of the password. */
const asUnusable = (name: string) => (error: SqlError.SqlError | StoreError): SqlError.SqlError => {
  if (error._tag === "StoreError") return unusable(error.message, error)
  const { reason } = error
  if (reason._tag === "ConnectionError" && reason.operation === "open") return error
  switch (reason._tag) {
    case "AuthenticationError":
      return unusable(`PostgreSQL at ${name} rejected the user or the password of CREDSVC_DATABASE_URL`, reason.cause)
    case "AuthorizationError":
      return unusable(
        `the user of CREDSVC_DATABASE_URL must own the schema of credsvc at ${name} (${rootMessage(reason.cause)})`,
        reason.cause
      )
    default: {
      const message = rootMessage(reason.cause)
      return unusable(
        message.includes("unsupported startup parameter")
          ? pooler(name)
          : message.includes("read-write mode")
          ? `PostgreSQL at ${name} is a standby, or its configuration allows only reading`
          : `PostgreSQL at ${name} cannot be used (${message})`,
        reason.cause
      )
    }
  }
}

type Listener = (name: string | undefined) => void

const retries = Schedule.spaced(failureKept)

interface Session {
  /** Describes how the schema differs from the expected one. */
  readonly difference: Effect.Effect<string | undefined, SqlError.SqlError>
}

/** Whether other daemons may use the database at the same time. */
export type Use = "alone" | "shared"

/** Acquires the lock of the database. Waits for a daemon that is stopping to release it. */
const lock = Effect.fnUntraced(function*(connection: PgConnection.PgConnection, address: DatabaseAddress, use: Use) {
  yield* bounded(connection.query(`SET lock_timeout = '${longestStop}'`))
  yield* Effect.catchIf(
    bounded(
      connection.query(`SELECT pg_advisory_lock${use === "alone" ? "" : "_shared"}(${lockKeys(address.schema)})`)
    ),
    ({ reason }) => reason._tag === "LockTimeoutError",
    () =>
      Effect.flatMap(bounded(connection.query(holder(address.schema))), ({ rows }) => {
        const other = rows[0]?.["name"]
        return unusable(
          `${use === "alone" ? "a daemon" : "credsvc admin restore"}${
            typeof other === "string" ? ` (${other})` : ""
          } uses the database at ${address.name}; ` +
            (use === "alone" ? "stop it first" : "wait until it has ended")
        )
      })
  )
})

/** Acquires the lock of the daemon's number. The server may still hold it for a lost connection. */
const holdNumber = (connection: PgConnection.PgConnection, number: string) =>
  Effect.repeat(connection.query(`SELECT pg_try_advisory_lock(${number}) AS held`), {
    until: ({ rows }) => rows[0]?.["held"] === true,
    schedule: retries
  })

/** Fails if the server, or a pooler before it, does not keep the settings of the session. */
const requireSettings = Effect.fnUntraced(function*(connection: PgConnection.PgConnection, name: string) {
  const { rows } = yield* bounded(connection.query("SHOW idle_in_transaction_session_timeout"))
  if (rows[0]?.["idle_in_transaction_session_timeout"] !== "30s") return yield* unusable(pooler(name))
})

const unexpectedDifference = ({ name }: DatabaseAddress, difference: string) =>
  new StoreError({
    file: name,
    problem: "unexpected_schema",
    message:
      `the database at ${name} does not have the schema that credsvc created (${difference}); restore it from a ` +
      "backup, or use a schema that only credsvc uses"
  })

const newerSchema = ({ name }: DatabaseAddress, version: number) =>
  new StoreError({
    file: name,
    problem: "newer_schema",
    message: `the database at ${name} was written by a newer version of credsvc (schema ${version}, this ` +
      `version supports ${schemaVersion}); use that version`
  })

/** The daemons that use the database. */
const connectedDaemons = (client: SqlClient.SqlClient, schema: string) =>
  Effect.map(
    client.unsafe<{ readonly name: string; readonly owner: string | null; readonly silent: number | null }>(
      holder(schema)
    ),
    (rows) =>
      rows.map(({ name, owner, silent }) => ({
        owner: owner ?? "",
        name: name.replace(/^credsvc on /, ""),
        silentMilliseconds: Math.max(0, silent ?? 0)
      }))
  )

export const layer = (address: DatabaseAddress, use: Use): Layer.Layer<StoreServices> =>
  Layer.effectContext(
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      const clock = yield* Clock.Clock
      const host = builtins.os.hostname()
      const options = sessionOptions(Redacted.make(address.url), address.schema, `credsvc on ${host}`.slice(0, 63))
      // The pool opens no connection at the start, so creating it cannot fail.
      const pool = yield* Effect.orDie(PgPool.make({ ...options, maxConnections }))
      const turn = yield* Semaphore.make(1)
      const direct = yield* makeClient(pool, Effect.void)
      // A migration may change large tables.
      const migrating = yield* makeClient(pool, Effect.void, "2 minutes")
      const own = BigInt(`0x${builtins.crypto.randomBytes(7).toString("hex")}`).toString()
      const listeners = new Map<string | undefined, Set<Listener>>(topics.map((topic) => [topic, new Set()]))
      const outdated = yield* Deferred.make<string>()
      let sessions = 0
      let session: Session | undefined
      let lostAt = -Infinity
      let failure: { readonly error: SqlError.SqlError; readonly at: number } | undefined

      /** Returns whether the announcement says that the tables were migrated. */
      const receive = (payload: string): boolean => {
        const [schema, sender, topic, name] = payload.split(" ")
        if (schema !== address.schema || sender === own) return false
        for (const listener of listeners.get(topic) ?? []) listener(name)
        return topic === migrated
      }

      /** Passes announcements on until the connection is lost or a newer version has migrated the tables. */
      const passNotices = (
        connection: PgConnection.PgConnection,
        notices: Queue.Dequeue<{ readonly payload: string }, SqlError.SqlError>
      ) => {
        const heartbeat = Effect.repeat(
          bounded(connection.query("SELECT 1"), "8 seconds"),
          Schedule.spaced("4 seconds")
        )
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

      const notify = (topic: string, name: string) =>
        [`SELECT pg_notify('${channel}', $1)`, [`${address.schema} ${own} ${topic} ${name}`]] as const

      const outdatedBy = (version: number) => {
        const error = newerSchema(address, version)
        Deferred.doneUnsafe(outdated, Effect.succeed(error.message))
        return error
      }

      const open = Effect.gen(function*() {
        const used = yield* Scope.fork(scope)
        const opened = Effect.gen(function*() {
          const made = yield* Scope.provide(PgConnection.make(options), used)
          const connection = yield* Scope.provide(made.pin, used)
          yield* lock(connection, address, use)
          yield* requireSettings(connection, address.name)
          const { difference: differenceOn, version } = yield* openSchema(
            migrating,
            address.schema,
            holder(address.schema)
          )
          if (version > schemaVersion) return yield* outdatedBy(version)
          if (version > 0 && version < schemaVersion) yield* bounded(connection.query(...notify(migrated, "")))
          const difference = differenceOn(direct)
          const found = yield* difference
          if (found !== undefined) return yield* unexpectedDifference(address, found)
          const notices = yield* bounded(Scope.provide(connection.listen(channel), used))
          yield* Effect.forkIn(Effect.ignore(holdNumber(connection, own)), used, { startImmediately: true })
          const live: Session = { difference }
          const received = passNotices(connection, notices).pipe(
            Effect.onExit(() =>
              Effect.suspend(() => {
                if (session === live) session = undefined
                lostAt = performance.now()
                return Scope.close(used, Exit.void)
              })
            )
          )
          yield* Effect.forkIn(Effect.andThen(received, reconnect), scope)
          return live
        })
        return yield* Effect.onExit(opened, (exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(used, exit))
      }).pipe(
        // For a moment after a lost connection, requests wait until the server has restarted. Later ones fail immediately.
        Effect.retry({
          while: (error) =>
            error._tag === "SqlError" && isDisconnected(error) && performance.now() - lostAt < longestRestart,
          schedule: restartPauses
        }),
        Effect.mapError(asUnusable(address.name))
      )

      const acquire = turn.withPermits(1)(Effect.gen(function*() {
        if (session !== undefined) return session
        const now = clock.currentTimeMillisUnsafe()
        if (failure !== undefined && now - failure.at >= 0 && now - failure.at < failureKept) {
          return yield* failure.error
        }
        session = yield* Effect.tapError(open, (error) =>
          Effect.sync(() => {
            failure = { error, at: clock.currentTimeMillisUnsafe() }
          }))
        if (sessions++ > 0) {
          // Announcements may have been missed while there was no session.
          for (const all of listeners.values()) {
            for (const listener of all) listener(undefined)
          }
        }
        return session
      }))

      /** Reconnects even while the store is not used, because leases and announcements need the connection. */
      const reconnect: Effect.Effect<void> = Effect.suspend(() => Effect.ignore(Effect.retry(acquire, retries)))

      const current = Effect.suspend(() => session === undefined ? acquire : Effect.succeed(session))

      const client = yield* makeClient(pool, Effect.asVoid(current))

      const unexpectedSchema = Effect.gen(function*() {
        const difference = yield* Effect.flatMap(current, ({ difference }) => difference)
        if (difference === undefined) return undefined
        // A version that is higher means that a newer daemon has migrated the tables. A foreign change would not increase it.
        const [row] = yield* client.unsafe<{ readonly version: number }>("SELECT version FROM schema_version")
        const version = row?.version ?? 0
        return version > schemaVersion ? yield* asUnusable(address.name)(outdatedBy(version)) : difference
      })

      const check = Effect.flatMap(unexpectedSchema, (difference) =>
        difference === undefined ? Effect.void : unexpectedDifference(address, difference)).pipe(
          Effect.mapError((error) => {
            const cause = error._tag === "StoreError" ? error : error.reason.cause
            return cause instanceof StoreError
              ? cause
              : new StoreError({ file: address.name, problem: "unavailable", message: error.message })
          })
        )

      const announce = (topic: Topic, name: string) =>
        Effect.asVoid(client.unsafe(...notify(topic, name)))

      return Context.make(SqlClient.SqlClient, client).pipe(
        Context.add(Store, Store.of({ check })),
        Context.add(
          StoreChanges,
          StoreChanges.of({
            isShared: true,
            outdated: Deferred.await(outdated),
            daemons: connectedDaemons(client, address.schema),
            foreignVersion: () => 0,
            unexpectedSchema,
            announce,
            onAnnounced: (topic, listener) => listenIn(listeners.get(topic)!, listener)
          })
        ),
        Context.add(LeaseOwner, yield* makeLeaseOwner(client, own))
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))
