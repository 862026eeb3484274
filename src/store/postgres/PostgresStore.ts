/**
 * The store on PostgreSQL. Like the store on SQLite, the layer never fails. While the database is unusable, every
 * statement fails with the reason, and the next statement tries again.
 */
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import { builtins } from "../../platform/builtins.ts"
import { LeaseOwner } from "../../platform/store/LeaseOwner.ts"
import { StoreChanges } from "../../platform/store/StoreChanges.ts"
import { schemaVersion } from "../Migrations.ts"
import { Store, type StoreServices } from "../Store.ts"
import { StoreError } from "../StoreError.ts"
import { asUnusable, newerSchema, unexpectedDifference } from "./DatabaseFailures.ts"
import type { DatabaseAddress } from "./DatabaseUrl.ts"
import { makeAnnouncements } from "./PostgresAnnouncements.ts"
import { makeClient, sessionOptions } from "./PostgresClient.ts"
import { makeLeaseOwner } from "./PostgresLeases.ts"
import { lockHolders, makeCurrentSession, openSession, type Use } from "./PostgresSession.ts"

const maxConnections = 8

/** The daemons that use the database. */
const connectedDaemons = (client: SqlClient.SqlClient, schema: string) =>
  Effect.map(
    client.unsafe<{ readonly name: string; readonly owner: string | null; readonly silent: number | null }>(
      lockHolders(schema)
    ),
    (rows) =>
      rows.map(({ name, owner, silent }) => ({
        owner: owner ?? "",
        name: name.replace(/^credsvc on /, ""),
        silentMilliseconds: Math.max(0, silent ?? 0)
      }))
  )

const asStoreError = ({ name }: DatabaseAddress) => (error: SqlError.SqlError | StoreError): StoreError => {
  const cause = error._tag === "StoreError" ? error : error.reason.cause
  return cause instanceof StoreError ? cause : StoreError.unavailable(name, error.message)
}

/** The services of the store in the database at this address. */
export const postgresLayer = (address: DatabaseAddress, use: Use): Layer.Layer<StoreServices> =>
  Layer.effectContext(
    Effect.gen(function*() {
      const name = `credsvc on ${builtins.os.hostname()}`.slice(0, 63)
      const connection = sessionOptions(Redacted.make(address.url), address.schema, name)
      // The pool opens no connection at the start, so creating it cannot fail.
      const pool = yield* Effect.orDie(PgPool.make({ ...connection, maxConnections }))
      const number = BigInt(`0x${builtins.crypto.randomBytes(7).toString("hex")}`).toString()
      const announcements = makeAnnouncements(address.schema, number)
      const outdated = yield* Deferred.make<string>()
      const onOutdated = (message: string) => void Deferred.doneUnsafe(outdated, Effect.succeed(message))
      const direct = yield* makeClient(pool, Effect.void)
      const migrating = yield* makeClient(pool, Effect.void, "2 minutes")
      const session = yield* makeCurrentSession(
        openSession({ address, use, connection, number, announcements, direct, migrating, onOutdated }),
        address.name,
        announcements.reportMissed
      )
      const client = yield* makeClient(pool, Effect.asVoid(session))

      const unexpectedSchema = Effect.gen(function*() {
        const difference = yield* Effect.flatMap(session, ({ difference }) => difference)
        if (difference === undefined) return undefined
        // A version that is higher means that a newer daemon has migrated the tables. A foreign change would not increase it.
        const [row] = yield* client.unsafe<{ readonly version: number }>("SELECT version FROM schema_version")
        const version = row?.version ?? 0
        if (version <= schemaVersion) return difference
        const error = newerSchema(address, version)
        onOutdated(error.message)
        return yield* asUnusable(address.name)(error)
      })

      const check = Effect.flatMap(unexpectedSchema, (difference) =>
        difference === undefined ? Effect.void : unexpectedDifference(address, difference))

      return Context.make(SqlClient.SqlClient, client).pipe(
        Context.add(Store, Store.of({ check: Effect.mapError(check, asStoreError(address)) })),
        Context.add(
          StoreChanges,
          StoreChanges.of({
            isShared: true,
            outdated: Deferred.await(outdated),
            daemons: connectedDaemons(client, address.schema),
            foreignVersion: () =>
              0,
            unexpectedSchema,
            announce: (topic, name) => Effect.asVoid(client.unsafe(...announcements.statement(topic, name))),
            onAnnounced: announcements.onAnnounced
          })
        ),
        Context.add(LeaseOwner, yield* makeLeaseOwner(client, number))
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))
