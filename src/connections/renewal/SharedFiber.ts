/** Runs work that several callers share. The work continues when a caller is interrupted. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"

/** Returns the running fiber for a key, or starts one, which ends with the scope of the map and not with the caller. */
export const sharedFiber = <A, E>(
  fibers: FiberMap.FiberMap<string, A, E>,
  key: string,
  effect: Effect.Effect<A, E>
): Effect.Effect<Fiber.Fiber<A, E>> =>
  Effect.suspend(() => {
    const known = FiberMap.getUnsafe(fibers, key)
    return Option.isSome(known) ? Effect.succeed(known.value) : FiberMap.run(fibers, key, effect)
  })
