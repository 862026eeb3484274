/**
 * Audits the use of connections: once per run and connection, and every time for a caller without a run. Memory is
 * bounded: the oldest use is forgotten, and audited again when it recurs.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"

const CAPACITY = 10_000

export const makeResolveAudit = (capacity = CAPACITY) => {
  const recorded = new Set<string>()
  const turn = Semaphore.makeUnsafe(1)

  /** Succeeds once the use is recorded, by this `append` or by an earlier call for the same run. */
  const record = <E>(
    run: Option.Option<string>,
    connection: string,
    append: Effect.Effect<void, E>
  ): Effect.Effect<void, E> => {
    if (Option.isNone(run)) return append
    const key = `${run.value}\n${connection}`
    const first = Effect.suspend(() =>
      recorded.has(key) ? Effect.void : Effect.map(append, () => {
        if (recorded.size >= capacity) recorded.delete(recorded.values().next().value!)
        recorded.add(key)
      })
    )
    return Effect.suspend(() => recorded.has(key) ? Effect.void : turn.withPermits(1)(Effect.uninterruptible(first)))
  }

  return { record }
}
