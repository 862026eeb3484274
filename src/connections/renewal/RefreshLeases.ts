/**
 * Keeps a lease in the store for each refresh, from before the refresh token is sent until the new tokens are stored
 * (`RefreshedTokens`).
 *
 * With the lease, which contains no token, only one daemon sends the refresh token. It is also a recovery note: after a crash, the
 * server may have used up the token, and the daemon sends it once more.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { makeLeases } from "../../vault/Leases.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { sqlUnavailable } from "../../vault/StoreFailures.ts"
import type { StoredConnection } from "../ConnectionRepo.ts"

/** The record and generation of a lease. */
type Entry = Pick<StoredConnection["row"], "generation" | "record_id">

export const makeRefreshLeases = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const leases = yield* makeLeases
  const manifest = yield* StoreManifest

  return {
    /**
     * Writes the lease of a refresh durably. The refresh token of this generation may be sent only after `begun` or `again`.
     * `again`: an earlier attempt has an unknown outcome. `superseded`: the row has changed. `taken`: another daemon holds
     * the lease.
     */
    begin: Effect.fn("RefreshLeases.begin")(
      function*({ row }: StoredConnection) {
        const current = yield* sql`SELECT record_id FROM connections
          WHERE record_id = ${row.record_id} AND generation = ${row.generation}`
        if (current.length === 0) return "superseded" as const
        return yield* leases.acquire(row.record_id, row.generation)
      },
      manifest.transact
    ),

    /** Deletes the lease of this generation. Another daemon may already refresh the token of a later one. */
    end: ({ generation, record_id }: Entry) =>
      sqlUnavailable(Effect.asVoid(
        sql`DELETE FROM token_refreshes WHERE record_id = ${record_id} AND generation = ${generation}`
      )),

    /** Ends the lease after a refresh with an unknown outcome, but keeps its row for this generation of the record. */
    release: (entry: Entry, generation: number) =>
      sqlUnavailable(Effect.asVoid(
        sql`UPDATE token_refreshes SET ${
          sql.update({ generation, deadline: new Date(0).toISOString() })
        } WHERE record_id = ${entry.record_id} AND generation = ${entry.generation}`
      )),

    isUnfinished: (recordId: string) => Effect.map(leases.find(recordId), (lease) => lease !== undefined),

    /** The unfinished refreshes of all connections. Leases on other work have a colon in their ID. */
    unfinished: Effect.map(leases.all, (all) => all.filter(({ record_id }) => !record_id.includes(":")))
  }
})
