/**
 * Audits the use of connections: once per run and connection, and every time for a caller without a run. Memory is
 * bounded: the oldest use is forgotten, and audited again when it recurs.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

const CAPACITY = 10_000

export const makeResolveAudit = (capacity = CAPACITY) => {
  const recorded = new Set<string>()
  const pending = new Map<string, Deferred.Deferred<void, never>>()

  /** Succeeds once the use is recorded, by this `append` or by an earlier call for the same run. */
  const record = <E>(
    run: Option.Option<string>,
    connection: string,
    append: Effect.Effect<void, E>
  ): Effect.Effect<void, E> => {
    if (Option.isNone(run)) return append
    const key = `${run.value}\n${connection}`
    // Uninterruptible: an interruption between acquiring the turn and passing it on would block all other waiters.
    const attempt: Effect.Effect<void, E> = Effect.uninterruptibleMask((restore) => {
      if (recorded.has(key)) return Effect.void
      const other = pending.get(key)
      // If the first caller fails, the next one takes over.
      if (other !== undefined) return restore(Effect.andThen(Deferred.await(other), attempt))
      const done = Deferred.makeUnsafe<void, never>()
      pending.set(key, done)
      return Effect.onExit(append, (exit) =>
        Effect.suspend(() => {
          pending.delete(key)
          if (Exit.isSuccess(exit)) {
            if (recorded.size >= capacity) recorded.delete(recorded.values().next().value!)
            recorded.add(key)
          }
          return Deferred.succeed(done, undefined)
        }))
    })
    return attempt
  }

  return { record }
}
