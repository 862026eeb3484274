/** Shows that a login is waiting for the user, and for how long. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ResponseOf } from "../../api/Operations.ts"
import { Output } from "../output/Output.ts"

const clockOf = (millis: number): string => {
  const seconds = Math.max(0, Math.ceil(millis / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

export const whileWaiting = Effect.fnUntraced(function*<A, E, R>(
  { expires_at }: ResponseOf<"auth.get">,
  effect: Effect.Effect<A, E, R>
) {
  const output = yield* Output
  if (!output.interactive || output.quiet) return yield* effect
  const line = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const text = `Waiting (${clockOf(Date.parse(expires_at) - now)} left, Ctrl-C cancels)`
    return output.draw(`\r\u001b[K${output.paintMessage("dim", text)}`)
  })
  const ticking = Effect.forever(Effect.andThen(line, Effect.sleep("1 second")))
  return yield* Effect.raceFirst(effect, ticking).pipe(Effect.ensuring(output.draw("\r\u001b[K")))
})
