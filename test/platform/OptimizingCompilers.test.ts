import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { compileWhenBusy } from "../../src/platform/OptimizingCompilers.ts"
import { eventually } from "../support/Until.ts"

const periodMilliseconds = 20

const waiting = (busyMilliseconds: number, periods: number, idlePeriods = 60) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const enabled = { count: 0 }
      const stop = compileWhenBusy(
        { periodMilliseconds, busyMilliseconds, periods, idlePeriods },
        () => void enabled.count++
      )
      return { enabled, stop }
    }),
    ({ stop }) => Effect.sync(stop)
  )

/** Keeps the process busy for some periods, with pauses between them. */
const work = Effect.fnUntraced(function*(bursts: number, pausePeriods: number) {
  for (let burst = 0; burst < bursts; burst++) {
    const before = process.cpuUsage()
    while (process.cpuUsage(before).user < periodMilliseconds * 1000) { /* uses the processor */ }
    yield* Effect.sleep(pausePeriods * periodMilliseconds)
  }
})

describe("OptimizingCompilers", () => {
  it.live("enables the compilers once when the process has been busy", () =>
    Effect.gen(function*() {
      const { enabled } = yield* waiting(0, 3)
      yield* eventually(Effect.sync(() => enabled.count), (count) => count > 0)
      yield* Effect.sleep(100)
      assert.strictEqual(enabled.count, 1)
    }))

  it.live("leaves them off while the process is idle", () =>
    Effect.gen(function*() {
      const { enabled } = yield* waiting(Infinity, 1)
      yield* Effect.sleep(200)
      assert.strictEqual(enabled.count, 0)
    }))

  it.live("leaves them off after fewer busy periods", () =>
    Effect.gen(function*() {
      const { enabled } = yield* waiting(0, 1000)
      yield* Effect.sleep(200)
      assert.strictEqual(enabled.count, 0)
    }))

  it.live("counts busy periods across short pauses", () =>
    Effect.gen(function*() {
      const { enabled } = yield* waiting(periodMilliseconds * 0.75, 4)
      yield* work(8, 4)
      assert.strictEqual(enabled.count, 1)
    }))

  it.live("forgets busy periods after a long pause", () =>
    Effect.gen(function*() {
      const { enabled } = yield* waiting(periodMilliseconds * 0.75, 4, 3)
      yield* work(8, 8)
      assert.strictEqual(enabled.count, 0)
    }))

  it.live("stops waiting", () =>
    Effect.gen(function*() {
      const { enabled, stop } = yield* waiting(0, 3)
      stop()
      yield* Effect.sleep(200)
      assert.strictEqual(enabled.count, 0)
    }))
})
