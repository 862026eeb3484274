/**
 * The nonces of accepted signatures, which the daemons of a PostgreSQL database share.
 *
 * Each accepted signature inserts a unique row, so only one of several daemons accepts it. With an SQLite file there is
 * only one daemon, which has the rows in a temporary table.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { isDisconnected } from "../platform/store/Disconnection.ts"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import { rowsOf } from "../vault/StoreRows.ts"

interface UsedNonce {
  readonly keyid: string
  readonly nonce: string
  /** The time of the signature, in seconds since 1970. */
  readonly created: number
}

/** How far the time of a signature may differ from the verifier's clock, in seconds. */
export const replayWindow = 60

const insertedRows = rowsOf(Schema.Struct({ now: Schema.Number }))
const deletedRows = rowsOf(Schema.Struct({ created: Schema.Number }))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const clock = () =>
    sql.onDialectOrElse({
      pg: () => sql`extract(epoch FROM clock_timestamp())::float8`,
      orElse: () => sql`${Date.now() / 1000}`
    })
  let deletedAt = -Infinity
  /** The latest time of a deleted nonce. If the clock was ahead and is set back, earlier signatures are recent again. */
  let deletedUntil = -Infinity

  /** Deletes nonces that are twice as old as necessary, in case the clock of the database is set back. */
  const deleteOld = Effect.suspend(() => {
    const now = performance.now()
    if (now - deletedAt < replayWindow * 1000) return Effect.void
    deletedAt = now
    const deletion = sql`DELETE FROM used_nonces WHERE created < ${clock()} - ${2 * replayWindow} RETURNING created`
    return Effect.ignore(Effect.map(deletedRows(deletion), (rows) => {
      for (const { created } of rows) deletedUntil = Math.max(deletedUntil, created)
    }))
  })

  return {
    /** Whether nonces are still known after the daemon that accepted them has ended. */
    areKept: (yield* StoreChanges).isShared,

    /**
     * Uses up the nonce of a signature. `stale`: the signature is too old by the clock of the database. Nonces are deleted
     * by the same clock, so daemons whose clocks differ accept no signature twice.
     */
    use: Effect.fnUntraced(function*({ created, keyid, nonce }: UsedNonce) {
      if (created <= deletedUntil) return "stale" as const
      const insert = sql`INSERT INTO used_nonces ${sql.insert({ key_id: keyid, nonce, created })}
        ON CONFLICT DO NOTHING RETURNING ${clock()} AS now`
      // If the connection is lost, the row may have been inserted. A second attempt cannot distinguish this row from the row
      // of another daemon.
      const [inserted] = yield* insertedRows(
        Effect.catchIf(
          insert,
          isDisconnected,
          (error) => Effect.filterOrFail(insert, ({ length }) => length > 0, () => error)
        )
      )
      yield* deleteOld
      if (inserted === undefined) return "used" as const
      return created < inserted.now - replayWindow ? "stale" as const : "fresh" as const
    })
  }
})

export class UsedNonces
  extends Context.Service<UsedNonces, Effect.Success<typeof make>>()("credsvc/callers/UsedNonces")
{
  static readonly layerNoDeps = Layer.effect(UsedNonces, make)
}
