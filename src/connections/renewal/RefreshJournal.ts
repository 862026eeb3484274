/**
 * Records refreshes in progress in the store, from before the refresh token is sent until the new tokens are stored.
 *
 * An entry is both a lease, so that only one daemon sends the token, and a recovery note: after a crash the token may
 * have been used, and is tried once more.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { VaultUnavailableError } from "../../domain/Errors.ts"
import { makeLeases } from "../../vault/Leases.ts"
import { sqlUnavailable } from "../../vault/StoreFailures.ts"
import { StoreManifest } from "../../vault/StoreManifest.ts"
import type { StoredConnection } from "../ConnectionRepo.ts"

/**
 * `again`: an earlier attempt has an unknown outcome. `superseded`: the row has changed. `taken`: another daemon holds
 * the lease.
 */
type Begun = "begun" | "again" | "superseded" | "taken"

/** Longer than three requests can take. */
export const leaseMillis = 300_000

export class RefreshJournal extends Context.Service<RefreshJournal, {
  /**
   * Writes the entry of a refresh, durably on return. The refresh token of this generation may be sent only after
   * `begun` or `again`.
   */
  readonly begin: (stored: StoredConnection) => Effect.Effect<Begun, VaultUnavailableError>

  /** Deletes the entry, if it has this generation. */
  readonly end: (recordId: string, generation?: number) => Effect.Effect<void, VaultUnavailableError>

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
      const leases = yield* makeLeases
      const manifest = yield* StoreManifest

      const begin = Effect.fn("RefreshJournal.begin")(
        function*({ row }: StoredConnection) {
          const current = yield* sql`SELECT record_id FROM connections
          WHERE record_id = ${row.record_id} AND generation = ${row.generation}`
          if (current.length === 0) return "superseded" as const
          return yield* leases.acquire({ key: row.record_id, generation: row.generation, millis: leaseMillis })
        },
        manifest.transact
      )

      return RefreshJournal.of({
        begin,
        end: (recordId, generation) =>
          sqlUnavailable(Effect.asVoid(
            generation === undefined
              ? sql`DELETE FROM token_refreshes WHERE record_id = ${recordId}`
              : sql`DELETE FROM token_refreshes WHERE record_id = ${recordId} AND generation = ${generation}`
          )),
        release: (recordId, generation) =>
          sqlUnavailable(Effect.asVoid(
            sql`UPDATE token_refreshes SET ${
              sql.update({ generation, deadline: new Date(0).toISOString() })
            } WHERE record_id = ${recordId}`
          )),
        isUnfinished: (recordId) => Effect.map(leases.find(recordId), (lease) => lease !== undefined),
        unfinished: Effect.map(
          leases.all,
          (all) =>
            // Leases on other work have a prefix.
            all.filter(({ record_id }) => !record_id.includes(":"))
              .map(({ generation, record_id }) => ({ recordId: record_id, generation }))
        )
      })
    })
  )
}
