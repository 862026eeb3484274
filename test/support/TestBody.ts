/** Bodies of tests: a function that returns an effect, or a generator function as `Effect.gen` takes it. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

/** The body of a test. Its failures are not typed: an unexpected failure makes the test fail. */
export type Returned<A, R = never> = Effect.Effect<A, any, R> | Effect.fn.Return<A, any, R>

export const toEffect = <A, R>(returned: Returned<A, R>): Effect.Effect<A, any, R> =>
  Effect.isEffect(returned) ? returned : Effect.gen(() => returned)

const writes = (): boolean => process.getActiveResourcesInfo().includes("FSReqCallback")

const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Runs other fibers as far as they get without the clock, and waits for files that are being written. */
export const settle = Effect.gen(function*() {
  do {
    while (writes()) yield* turn
    for (let yields = 0; yields < 200; yields++) yield* Effect.yieldNow
  } while (writes())
})

/** Advances the test clock minute by minute. After each minute, waits for fibers and files, as the clock itself does not. */
export const passMinutes = (minutes: number) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("1 minute"), settle), { times: minutes - 1 })
