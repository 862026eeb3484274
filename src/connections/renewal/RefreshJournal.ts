/**
 * Records refreshes in progress on disk, from before the refresh token is sent until the new tokens are stored.
 *
 * An entry is both a lease, so that only one process sends the token, and a recovery note: after a crash the token may
 * have been used, and is tried once more.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { VaultUnavailableError } from "../../domain/Errors.ts"
import { builtins } from "../../platform/builtins.ts"
import { isRunning, ownIdentity } from "../../platform/ProcessIdentity.ts"
import { sqlUnavailable } from "../../vault/StoreFailures.ts"
import { rowsOf } from "../../vault/StoreRows.ts"
import type { StoredConnection } from "../ConnectionRepo.ts"

const Entry = Schema.Struct({
  record_id: Schema.String,
  generation: Schema.Int,
  /** Process and instance, separated by a space. */
  owner: Schema.String,
  deadline: Schema.String
})
type Entry = typeof Entry.Type

const entries = rowsOf(Entry)

/**
 * `again`: an earlier attempt has an unknown outcome. `superseded`: the row has changed. `taken`: another process holds
 * the lease.
 */
type Begun = "begun" | "again" | "superseded" | "taken"

/** Longer than two requests can take. A deadline further in the future was written by another clock and is ignored. */
export const leaseMillis = 30_000

export class RefreshJournal extends Context.Service<RefreshJournal, {
  /**
   * Writes the entry of a refresh, durably on return. The refresh token of this generation may be sent only after
   * `begun` or `again`.
   */
  readonly begin: (stored: StoredConnection) => Effect.Effect<Begun, VaultUnavailableError>

  /** Deletes the entry within the transaction of the caller. */
  readonly end: (recordId: string) => Effect.Effect<void, VaultUnavailableError>

  /** Ends the lease after a refresh with an unknown outcome, and keeps the entry. */
  readonly release: (recordId: string, generation: number) => Effect.Effect<void, VaultUnavailableError>

  readonly isUnfinished: (recordId: string) => Effect.Effect<boolean, VaultUnavailableError>

  readonly unfinished: Effect.Effect<
    ReadonlyArray<{ readonly recordId: string; readonly generation: number }>,
    VaultUnavailableError
  >
}>()("credsvc/connections/RefreshJournal") {
  static readonly layerNoDeps = Layer.effect(
    RefreshJournal,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const owner = `${ownIdentity()} ${builtins.crypto.randomBytes(8).toString("hex")}`

      const binds = (entry: Entry, now: number): boolean => {
        const left = Date.parse(entry.deadline) - now
        if (entry.owner === owner || !(left > 0 && left <= leaseMillis)) return false
        // Only one instance runs per home, so another owner with this process ID no longer exists.
        const [process = ""] = entry.owner.split(" ")
        return process !== ownIdentity() && isRunning(process)
      }

      const begin = Effect.fn("RefreshJournal.begin")(
        function*({ row }: StoredConnection) {
          // Read inside the transaction: compared with an earlier time, a lease that another process has just acquired
          // would look too long.
          const now = yield* Clock.currentTimeMillis
          const current = yield* sql`SELECT record_id FROM connections
          WHERE record_id = ${row.record_id} AND generation = ${row.generation}`
          if (current.length === 0) return "superseded" as const
          const [entry] = yield* entries(sql`SELECT * FROM token_refreshes WHERE record_id = ${row.record_id}`)
          if (entry !== undefined && binds(entry, now)) return "taken" as const
          yield* sql`DELETE FROM token_refreshes WHERE record_id = ${row.record_id}`
          yield* sql`INSERT INTO token_refreshes ${
            sql.insert({
              record_id: row.record_id,
              generation: row.generation,
              owner,
              deadline: new Date(now + leaseMillis).toISOString()
            })
          }`
          return entry === undefined ? "begun" as const : "again" as const
        },
        sql.withTransaction,
        sqlUnavailable
      )

      return RefreshJournal.of({
        begin,
        end: (recordId) =>
          sqlUnavailable(Effect.asVoid(sql`DELETE FROM token_refreshes WHERE record_id = ${recordId}`)),
        release: (recordId, generation) =>
          sqlUnavailable(Effect.asVoid(
            sql`UPDATE token_refreshes SET ${
              sql.update({ generation, deadline: new Date(0).toISOString() })
            } WHERE record_id = ${recordId}`
          )),
        isUnfinished: (recordId) =>
          Effect.map(
            entries(sql`SELECT * FROM token_refreshes WHERE record_id = ${recordId}`),
            (found) => found.length > 0
          ),
        unfinished: Effect.map(
          entries(sql`SELECT * FROM token_refreshes`),
          (found) => found.map(({ generation, record_id }) => ({ recordId: record_id, generation }))
        )
      })
    })
  )
}
