/**
 * What is known of refreshes under way, on the disk: an entry is there before the refresh token is sent, and goes in the
 * transaction that stores the answer.
 *
 * It is a lease, so that of several processes one sends the token, and a note for the time after a crash: the token
 * may have been spent, and is tried once more at the next start.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import { builtins } from "../platform/builtins.ts"
import { isRunning, ownIdentity } from "../platform/ProcessIdentity.ts"
import { sqlUnavailable } from "../vault/MasterKey.ts"
import type { StoredConnection } from "./ConnectionRepo.ts"

interface Entry {
  readonly record_id: string
  readonly generation: number
  /** Process and instance, separated by a space. */
  readonly owner: string
  readonly deadline: string
}

/**
 * `again`: begun, after an earlier attempt of which nobody knows how it ended. `superseded`: what was read is not what is
 * stored any more. `taken`: another process is at it.
 */
export type Begun = "begun" | "again" | "superseded" | "taken"

/** Longer than two requests may take. A deadline further away was written by another clock, and binds nobody. */
export const leaseMillis = 30_000

export class RefreshJournal extends Context.Service<RefreshJournal, {
  /** Durable when it returns. Only after `begun` or `again` may the refresh token of this generation be sent. */
  readonly begin: (stored: StoredConnection) => Effect.Effect<Begun, VaultUnavailableError>

  /** Forgets the refresh. Joins the transaction of the caller. */
  readonly end: (recordId: string) => Effect.Effect<void, SqlError>

  /** Lets go of a refresh of this process that nobody knows the outcome of: the note stays, the lease does not. */
  readonly release: (recordId: string, generation: number) => Effect.Effect<void, SqlError>

  /** Refreshes that were begun and have not ended, of whichever process. */
  readonly unfinished: Effect.Effect<
    ReadonlyArray<{ readonly recordId: string; readonly generation: number }>,
    VaultUnavailableError
  >
}>()("credsvc/connections/RefreshJournal") {
  static readonly layerNoDeps: Layer.Layer<RefreshJournal, never, SqlClient.SqlClient> = Layer.effect(
    RefreshJournal,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const owner = `${ownIdentity()} ${builtins.crypto.randomBytes(8).toString("hex")}`

      const binds = (entry: Entry, now: number): boolean => {
        const left = Date.parse(entry.deadline) - now
        if (entry.owner === owner || !(left > 0 && left <= leaseMillis)) return false
        // Whoever wrote it in this process is gone: a home has one instance at a time.
        const [process = ""] = entry.owner.split(" ")
        return process !== ownIdentity() && isRunning(process)
      }

      const begin = Effect.fn("RefreshJournal.begin")(function*({ row }: StoredConnection) {
        return yield* sql.withTransaction(Effect.gen(function*() {
          // Not before others have had their turn: beside a time from before it, a lease just taken looks too long to bind.
          const now = yield* Clock.currentTimeMillis
          const current = yield* sql`SELECT record_id FROM connections
            WHERE record_id = ${row.record_id} AND generation = ${row.generation}`
          if (current.length === 0) return "superseded" as const
          const [entry] = yield* sql<Entry>`SELECT * FROM token_refreshes WHERE record_id = ${row.record_id}`
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
        }))
      }, sqlUnavailable)

      return RefreshJournal.of({
        begin,
        end: (recordId) => Effect.asVoid(sql`DELETE FROM token_refreshes WHERE record_id = ${recordId}`),
        release: (recordId, generation) =>
          Effect.asVoid(
            sql`UPDATE token_refreshes SET ${
              sql.update({ generation, deadline: new Date(0).toISOString() })
            } WHERE record_id = ${recordId}`
          ),
        unfinished: sqlUnavailable(Effect.map(
          sql<Entry>`SELECT record_id, generation FROM token_refreshes`,
          (entries) => entries.map(({ generation, record_id }) => ({ recordId: record_id, generation }))
        ))
      })
    })
  )
}
