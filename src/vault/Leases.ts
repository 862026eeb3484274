/**
 * Leases on work that only one daemon may do at a time. A lease ends with its owner, or at its deadline. The manifest
 * does not cover the rows of leases, because a forged row can only repeat or delay work.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { LeaseOwner } from "../platform/store/LeaseOwner.ts"
import { StoreTransaction } from "./manifest/StoreManifest.ts"
import { rowsOf } from "./StoreRows.ts"

const Lease = Schema.Struct({
  record_id: Schema.String,
  generation: Schema.Int,
  owner: Schema.String,
  deadline: Schema.String
})
type Lease = typeof Lease.Type

const leases = rowsOf(Lease)

/**
 * How long a lease is valid: longer than the requests of one piece of work can take. The lease of a daemon that has
 * ended becomes invalid earlier. A deadline further in the future was written by another clock, and is ignored.
 */
export const leaseMillis = 300_000

export const makeLeases = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const owner = yield* LeaseOwner

  const isHeld = (lease: Lease, now: number) => {
    const left = Date.parse(lease.deadline) - now
    const isOver = lease.owner === owner.own || !(left > 0 && left <= leaseMillis)
    return isOver ? Effect.succeed(false) : owner.isAlive(lease.owner)
  }

  const find = (key: string) =>
    Effect.map(leases(sql`SELECT * FROM token_refreshes WHERE record_id = ${key}`), ([lease]) => lease)

  return {
    find,

    all: leases(sql`SELECT * FROM token_refreshes`),

    /** Acquires or extends a lease. `again`: an earlier lease was left behind. `taken`: another daemon holds it. */
    acquire: Effect.fnUntraced(function*(key: string, generation = 0) {
      yield* StoreTransaction
      // Read inside the transaction: with an earlier time, a lease that another daemon has just acquired would seem too
      // long.
      const now = yield* owner.now
      const lease = yield* find(key)
      if (lease !== undefined && (yield* isHeld(lease, now))) return "taken" as const
      const row = { generation, owner: owner.own, deadline: new Date(now + leaseMillis).toISOString() }
      yield* lease === undefined
        ? sql`INSERT INTO token_refreshes ${sql.insert({ record_id: key, ...row })}`
        : sql`UPDATE token_refreshes SET ${sql.update(row)} WHERE record_id = ${key}`
      return lease === undefined ? "begun" as const : "again" as const
    }),

    /** Deletes expired leases on one kind of work. */
    prune: (prefix: string) =>
      Effect.flatMap(owner.now, (now) =>
        sql`DELETE FROM token_refreshes
          WHERE record_id LIKE ${`${prefix}%`} AND deadline < ${new Date(now).toISOString()}`),

    end: (key: string) => sql`DELETE FROM token_refreshes WHERE record_id = ${key}`
  }
})
