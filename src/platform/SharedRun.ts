/** Joins operations that need the same work at the same time. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

/** Shares one run of an effect among all operations that request it while an earlier run is in progress. */
export const shareRun = <A, E>(effect: Effect.Effect<A, E>, scope: Scope.Scope): Effect.Effect<A, E> => {
  let asked: Deferred.Deferred<A, E> | undefined
  const turn = Semaphore.makeUnsafe(1)
  return Effect.suspend(() => {
    if (asked !== undefined) return Deferred.await(asked)
    // Nothing would run in it, so the operation would wait for ever.
    if (scope.state._tag === "Closed") return Effect.interrupt
    const answer = Deferred.makeUnsafe<A, E>()
    asked = answer
    const run = turn.withPermits(1)(Effect.suspend(() => {
      // The effect starts now, so operations that request it later need another run of the effect.
      asked = undefined
      return effect
    }))
    // Runs in its own fiber, because interrupting this operation must not affect the others.
    return Effect.andThen(
      Effect.forkIn(Deferred.into(run, answer), scope, { startImmediately: true }),
      Deferred.await(answer)
    )
  })
}
