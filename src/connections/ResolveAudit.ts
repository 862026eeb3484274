/**
 * Recording that a connection was used: once for each run and connection, and every time for a caller without a run.
 *
 * What has been recorded is remembered up to a bound; beyond it the oldest is forgotten, and recorded again on its next
 * use. So memory stays small, and no use goes unrecorded.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

const CAPACITY = 10_000

export const makeResolveAudit = (capacity = CAPACITY) => {
  const recorded = new Set<string>()
  const pending = new Map<string, Deferred.Deferred<void, never>>()

  /** Succeeds when the use is on record: by this `append`, or by an earlier one of the same run. */
  const record = <E>(
    run: Option.Option<string>,
    connection: string,
    append: Effect.Effect<void, E>
  ): Effect.Effect<void, E> => {
    if (Option.isNone(run)) return append
    const key = `${run.value}\n${connection}`
    // Interrupted between taking the turn and passing it on, a request would keep all the others waiting.
    const attempt: Effect.Effect<void, E> = Effect.uninterruptibleMask((restore) => {
      if (recorded.has(key)) return Effect.void
      const other = pending.get(key)
      // Whoever came first may fail; then it is this one's turn.
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
