/** Waits for what a test cannot observe otherwise. If it does not happen, the error shows what was seen instead. */
import * as Effect from "effect/Effect"
import * as util from "node:util"

/** Shorter than the limit of a test (vitest.config.ts), whose error would show nothing. */
const limitMillis = 120_000

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

/** Waits until a condition holds. `seen` is shown if it never does. */
export const until = async (condition: () => boolean | Promise<boolean>, seen?: () => unknown): Promise<void> => {
  const error = new Error()
  const end = performance.now() + limitMillis
  while (!(await condition())) {
    if (performance.now() > end) {
      error.message = `did not happen: ${condition}${seen === undefined ? "" : `\nseen: ${util.inspect(seen())}`}`
      throw error
    }
    await pause()
  }
}

/** Repeats an effect until its value is the expected one, and returns it. */
export const eventually = <A, E, R>(
  read: Effect.Effect<A, E, R>,
  isExpected: (value: A) => boolean
): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const end = performance.now() + limitMillis
    while (true) {
      const value = yield* read
      if (isExpected(value)) return value
      if (performance.now() > end) {
        return yield* Effect.die(new Error(`did not happen: ${isExpected}\nseen: ${util.inspect(value)}`))
      }
      yield* Effect.promise(pause)
    }
  })
