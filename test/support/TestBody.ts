/** Bodies of tests: a function that returns an effect, or a generator function as `Effect.gen` takes it. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

/** Its failures are not typed: one that a test does not expect makes it fail. */
export type Returned<A, R = never> = Effect.Effect<A, any, R> | Effect.fn.Return<A, any, R>

export const toEffect = <A, R>(returned: Returned<A, R>): Effect.Effect<A, any, R> =>
  Effect.isEffect(returned) ? returned : Effect.gen(() => returned)

const writes = (): boolean => process.getActiveResourcesInfo().includes("FSReqCallback")

const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Gives other fibers every turn that they can use without the clock, and waits for files that are being written. */
export const settle = Effect.gen(function*() {
  do {
    while (writes()) yield* turn
    for (let yields = 0; yields < 200; yields++) yield* Effect.yieldNow
  } while (writes())
})

/** Lets minutes pass by the test clock, which does not wait for files: fibers do after each one what they can. */
export const passMinutes = (minutes: number) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("1 minute"), settle), { times: minutes - 1 })
