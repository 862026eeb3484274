/** A clock ahead of the machine's, so that tests need not wait for an expiry. Sleeps take as long as before. */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** A clock that is ahead by as many milliseconds as `ahead` returns at each call. */
export const aheadOf = (clock: Clock.Clock, ahead: () => number): Clock.Clock => {
  const millis = () => clock.currentTimeMillisUnsafe() + ahead()
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(ahead()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

export interface MovableClock {
  readonly clock: Clock.Clock
  readonly pass: (duration: Duration.Input) => Effect.Effect<void>
}

export const movableClock: Effect.Effect<MovableClock> = Effect.clockWith((clock) =>
  Effect.sync(() => {
    let ahead = 0
    return {
      clock: aheadOf(clock, () => ahead),
      pass: (duration) => Effect.sync(() => void (ahead += Duration.toMillis(duration)))
    }
  })
)
