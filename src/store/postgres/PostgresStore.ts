/**
 * The store on PostgreSQL.
 *
 * One daemon uses a database: while it does, it holds an advisory lock on a connection of its own. Like the store on
 * SQLite, the layer never fails. While the database is unusable, every statement fails with the reason, and the next one
 * tries again.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import * as SqlError from "effect/sql/SqlError"
import { builtins } from "../../platform/builtins.ts"
import { StoreChanges } from "../../platform/StoreChanges.ts"
import { schemaVersion } from "../Migrations.ts"
import { SharedAccess, Store, StoreError, type StoreServices } from "../Store.ts"
import type { DatabaseAddress } from "./DatabaseUrl.ts"
import { makeClient, sessionOptions } from "./PostgresClient.ts"
import { openSchema } from "./PostgresSchema.ts"

const maxConnections = 8
/** How long a failed attempt counts, so that a burst of requests does not become a burst of connections. */
const failureKept = 500

/** How long to wait for a daemon that is stopping. */
const longestStop = "3s"

const lockKeys = (schema: string) => `hashtext('credsvc'), hashtext('${schema}')`

const holder = (schema: string) =>
  `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid = (hashtext('credsvc')::bigint & 4294967295)::oid
    AND l.objid = (hashtext('${schema}')::bigint & 4294967295)::oid`

const unusable = (message: string, cause: unknown = undefined) =>
  new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause, message, operation: "open" }) })

const rootMessage = (error: unknown): string => {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if (!(at.cause instanceof Error)) return at.message
  }
  return "unknown error"
}

/** Says why the database cannot be used, without anything of the password. */
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
    default:
      return unusable(`PostgreSQL at ${name} cannot be used (${rootMessage(reason.cause)})`, reason.cause)
  }
}

interface Session {
  /** Describes what is wrong with the schema. */
  readonly difference: Effect.Effect<string | undefined, SqlError.SqlError>
}

export const layer = (address: DatabaseAddress): Layer.Layer<StoreServices> =>
  Layer.effectContext(
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      const shared = yield* SharedAccess
      const clock = yield* Clock.Clock
      const host = builtins.os.hostname()
      const options = sessionOptions(Redacted.make(address.url), address.schema, `credsvc on ${host}`.slice(0, 63))
      // Without connections at the start, so it cannot fail.
      const pool = yield* Effect.orDie(PgPool.make({ ...options, maxConnections }))
      const turn = yield* Semaphore.make(1)
      const direct = yield* makeClient(pool, Effect.void)
      let session: Session | undefined
      let failure: { readonly error: SqlError.SqlError; readonly at: number } | undefined

      /** Acquires the lock of the only daemon, for which one that is stopping gets time to release it. */
      const lock = Effect.fnUntraced(function*(connection: PgConnection.PgConnection) {
        yield* connection.query(`SET lock_timeout = '${longestStop}'`)
        yield* Effect.catchIf(
          connection.query(`SELECT pg_advisory_lock(${lockKeys(address.schema)})`),
          ({ reason }) => reason._tag === "LockTimeoutError",
          () =>
            Effect.flatMap(connection.query(holder(address.schema)), ({ rows }) => {
              const other = rows[0]?.["name"]
              return unusable(
                `another daemon${
                  typeof other === "string" ? ` (${other})` : ""
                } uses the database at ${address.name}; ` +
                  "stop it first"
              )
            })
        )
      })

      const schemaError = (problem: "newer_schema" | "unexpected_schema", message: string) =>
        new StoreError({ file: address.name, problem, message })

      const open = Effect.gen(function*() {
        const own = yield* Scope.fork(scope)
        const opened = Effect.gen(function*() {
          const connection = yield* Scope.provide(PgConnection.make(options), own)
          // Before the migration, which would change the tables of a daemon that runs.
          if (!shared) yield* lock(connection)
          const { version, difference } = yield* openSchema(direct, address.schema)
          if (version > schemaVersion) {
            return yield* schemaError(
              "newer_schema",
              `the database at ${address.name} was written by a newer version of credsvc (schema ${version}, this one ` +
                `knows ${schemaVersion}); use that version`
            )
          }
          const found = yield* difference
          if (found !== undefined) {
            return yield* schemaError(
              "unexpected_schema",
              `the database at ${address.name} does not have the schema that credsvc made (${found}); restore it from a ` +
                "backup, or use a schema that only credsvc uses"
            )
          }
          const notices = yield* Scope.provide(connection.listen("credsvc"), own)
          const current: Session = { difference }
          yield* Effect.forkIn(
            Effect.onExit(Effect.forever(Queue.take(notices)), () =>
              Effect.suspend(() => {
                if (session === current) session = undefined
                return Scope.close(own, Exit.void)
              })),
            scope
          )
          return current
        })
        return yield* Effect.onExit(opened, (exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(own, exit))
      }).pipe(Effect.mapError(asUnusable(address.name)))

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
        return session
      }))

      const current = Effect.suspend(() => session === undefined ? acquire : Effect.succeed(session))

      const unexpectedSchema = Effect.flatMap(current, ({ difference }) => difference)
      const client = yield* makeClient(pool, Effect.asVoid(current))

      const check = Effect.flatMap(unexpectedSchema, (difference) =>
        difference === undefined
          ? Effect.void
          : schemaError("unexpected_schema", `the database at ${address.name} has another schema (${difference})`))
        .pipe(
          Effect.mapError((error) =>
            error._tag === "StoreError"
              ? error
              : new StoreError({ file: address.name, problem: "unavailable", message: error.message })
          )
        )

      return Context.make(SqlClient.SqlClient, client).pipe(
        Context.add(Store, Store.of({ check })),
        Context.add(StoreChanges, StoreChanges.of({ foreignVersion: () => 0, unexpectedSchema }))
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))
