/** Work that many wait for and nobody owns. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"

/** The fiber under way for the key, or a new one. It ends with the map's scope, and not with whoever began it. */
export const shared = <A, E>(
  fibers: FiberMap.FiberMap<string, A, E>,
  key: string,
  effect: Effect.Effect<A, E>
): Effect.Effect<Fiber.Fiber<A, E>> =>
  Effect.suspend(() => {
    const known = FiberMap.getUnsafe(fibers, key)
    return Option.isSome(known) ? Effect.succeed(known.value) : FiberMap.run(fibers, key, effect)
  })
