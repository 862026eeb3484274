/** Bodies of tests: a function that returns an effect, or a generator function as `Effect.gen` takes it. */
import * as Effect from "effect/Effect"

/** Its failures are not typed: one that a test does not expect makes it fail. */
export type Returned<A, R = never> = Effect.Effect<A, any, R> | Effect.fn.Return<A, any, R>

export const toEffect = <A, R>(returned: Returned<A, R>): Effect.Effect<A, any, R> =>
  Effect.isEffect(returned) ? returned : Effect.gen(() => returned)

/** Gives other fibers every turn that they can use without the clock. */
export const settle = Effect.gen(function*() {
  for (let turn = 0; turn < 200; turn++) yield* Effect.yieldNow
})
