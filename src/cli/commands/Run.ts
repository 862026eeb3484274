/**
 * Runs a command behind a proxy that lives as long as it does.
 *
 * stdin, stdout and the terminal belong to the command; what we have to say goes to stderr.
 */
import * as Effect from "effect/Effect"
export const run = Effect.fnUntraced(function*(_input: unknown) {
  return yield* Effect.die(new Error("not here yet"))
})
