/**
 * The lease owner of a daemon on PostgreSQL. The owner is a number, for which the daemon's session holds an advisory
 * lock. A daemon that loses its session keeps its leases for a moment, so that it can connect again.
 */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { LeaseOwner } from "../../platform/store/LeaseOwner.ts"

/**
 * How many milliseconds a daemon may be without a session before others consider it dead: after a restart of the server,
 * all daemons are without a session for a moment.
 */
const reconnectTime = 2000
/** How often, and for how long, to check for a session again, because other daemons may ask about an owner only seldom. */
const lookPause = 1000
const longestLook = 60_000

export const makeLeaseOwner = (client: SqlClient.SqlClient, own: string) =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    /** The owners without a session that are being watched, with the time when each was first seen without one. */
    const absent = new Map<string, number>()

    const hasSession = Effect.fnUntraced(function*(owner: string) {
      const [row] = yield* client.unsafe<{ readonly free: boolean }>(
        `SELECT pg_try_advisory_xact_lock_shared(${owner}) AS free`
      )
      return row?.free !== true
    })

    /** Checks repeatedly, for a limited time, whether an owner has a session again. */
    const watch = (owner: string) =>
      Effect.delay(hasSession(owner), lookPause).pipe(
        Effect.repeat({ until: (has) => has }),
        Effect.timeoutOption(longestLook)
      )

    const isAlive = Effect.fnUntraced(function*(owner: string) {
      if (!/^\d{1,18}$/.test(owner)) return false
      if (yield* hasSession(owner)) return true
      const now = performance.now()
      const since = absent.get(owner)
      if (since !== undefined) return now - since < reconnectTime
      absent.set(owner, now)
      // Runs in its own fiber, outside of the caller's transaction.
      fork(
        watch(owner).pipe(Effect.ignore, Effect.ensuring(Effect.sync(() => absent.delete(owner))), Effect.forkIn(scope))
      )
      return true
    })

    const now = Effect.map(
      client.unsafe<{ readonly now: number }>("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now"),
      ([row]) => row!.now
    )

    return LeaseOwner.of({ own, isAlive, now })
  })
