import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as v8 from "node:v8"
import { vi } from "vitest"
import { collectGarbage, returnMemoryIf } from "../../../src/platform/process/IdleMemory.ts"
import { effect, live } from "../../support/Fixture.ts"

const options = { periodMilliseconds: 10, idleMilliseconds: 2, idlePeriods: 3, grownBytes: 100 }

/** A process whose time and memory the test sets. */
const fakeProcess = Effect.acquireRelease(
  Effect.sync(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    const of = { rss: 1000, needed: 0, collections: 0 }
    vi.spyOn(process, "cpuUsage").mockImplementation(() => ({ user: of.needed * 1000, system: 0 }))
    vi.spyOn(process.memoryUsage, "rss").mockImplementation(() => of.rss)
    /** Lets one period pass for each character: `b` is busy, `.` is idle. */
    const pass = (periods: string): void => {
      for (const period of periods) {
        of.needed = period === "b" ? options.idleMilliseconds : 0
        vi.advanceTimersByTime(options.periodMilliseconds)
      }
    }
    return { of, pass, watching: returnMemoryIf(options, () => void of.collections++) }
  }),
  () =>
    Effect.sync(() => {
      vi.restoreAllMocks()
      vi.useRealTimers()
    })
)

const watched = Effect.tap(fakeProcess, ({ watching }) => watching)

describe("IdleMemory", () => {
  effect(
    "collects the garbage of the start after one idle period, and later garbage only after several periods",
    function*() {
      const { of, pass } = yield* watched
      pass("b.")
      assert.strictEqual(of.collections, 1)
      of.rss = 2000
      pass("..b..b")
      assert.strictEqual(of.collections, 1)
      pass("...")
      assert.strictEqual(of.collections, 2)
    }
  )

  effect("collects again only when memory has grown", function*() {
    const { of, pass } = yield* watched
    pass(".")
    of.rss = 1000 + options.grownBytes - 1
    pass("......")
    assert.strictEqual(of.collections, 1)
    of.rss++
    pass("......")
    assert.strictEqual(of.collections, 2)
  })

  it("restores the flags of V8, so that V8 accepts code that is cached later", () => {
    const before = v8.cachedDataVersionTag()
    collectGarbage()
    assert.strictEqual(v8.cachedDataVersionTag(), before)
  })

  live("frees objects that nothing refers to", function*() {
    const unused = new WeakRef({})
    yield* Effect.sleep(1)
    collectGarbage()
    assert.isUndefined(unused.deref())
  })
})
