/** Waits for what a test cannot observe otherwise. If it does not happen, the error shows what was seen instead. */
import * as Effect from "effect/Effect"
import * as util from "node:util"

/** Shorter than the limit of a test (vitest.config.ts), whose error would show nothing. */
const limitMillis = 120_000

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** Looks less often after a while: what takes long is a process that starts, which needs the processor itself. */
const longer = (millis: number): number => Math.min(millis * 1.5, 25)

/** Waits until there is a value other than false and undefined, and returns it. `seen` is shown if there never is. */
export const until = async <A>(
  look: () => A | Promise<A>,
  seen?: () => unknown
): Promise<Exclude<A, false | undefined>> => {
  const error = new Error()
  const end = performance.now() + limitMillis
  for (let millis = 2;; millis = longer(millis)) {
    const found = await look()
    if (found !== false && found !== undefined) return found as Exclude<A, false | undefined>
    if (performance.now() > end) {
      error.message = `did not happen: ${look}${seen === undefined ? "" : `\nseen: ${util.inspect(seen())}`}`
      throw error
    }
    await pause(millis)
  }
}

/** Repeats an effect until its value is the expected one, and returns it. */
export const eventually = <A, E, R>(
  read: Effect.Effect<A, E, R>,
  isExpected: (value: A) => boolean
): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const end = performance.now() + limitMillis
    for (let millis = 2;; millis = longer(millis)) {
      const value = yield* read
      if (isExpected(value)) return value
      if (performance.now() > end) {
        return yield* Effect.die(new Error(`did not happen: ${isExpected}\nseen: ${util.inspect(value)}`))
      }
      yield* Effect.promise(() => pause(millis))
    }
  })
