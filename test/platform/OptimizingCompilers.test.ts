import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { compileWhenBusy } from "../../src/platform/OptimizingCompilers.ts"

const waiting = (busyMilliseconds: number, periods: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const enabled = { count: 0 }
      const stop = compileWhenBusy({ periodMilliseconds: 10, busyMilliseconds, periods }, () => void enabled.count++)
      return { enabled, stop }
    }),
    ({ stop }) => Effect.sync(stop)
  )

describe("OptimizingCompilers", () => {
  it.live("enables the compilers once when the process has been busy", () =>
    Effect.gen(function*() {
      const { enabled } = yield* waiting(0, 3)
      while (enabled.count === 0) yield* Effect.sleep(10)
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

  it.live("stops waiting", () =>
    Effect.gen(function*() {
      const { enabled, stop } = yield* waiting(0, 3)
      stop()
      yield* Effect.sleep(200)
      assert.strictEqual(enabled.count, 0)
    }))
})
