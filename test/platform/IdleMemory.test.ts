import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as v8 from "node:v8"
import { collectGarbage } from "../../src/platform/GarbageCollection.ts"
import { returnMemoryIf } from "../../src/platform/IdleMemory.ts"
import { eventually } from "../support/Until.ts"

const always = { periodMilliseconds: 10, idleMilliseconds: Infinity, idlePeriods: 1, grownBytes: 0 }

const counted = () => {
  const found = { count: 0 }
  return { found, collect: () => void found.count++ }
}

describe("IdleMemory", () => {
  it.live("collects garbage while the process is idle, until the scope closes", () =>
    Effect.gen(function*() {
      const { collect, found } = counted()
      yield* Effect.scoped(Effect.gen(function*() {
        yield* returnMemoryIf(always, collect)
        yield* eventually(Effect.sync(() => found.count), (count) => count >= 2)
      }))
      const { count } = found
      yield* Effect.sleep(100)
      assert.strictEqual(found.count, count)
    }))

  it.live("collects nothing while the process is busy", () =>
    Effect.gen(function*() {
      const { collect, found } = counted()
      yield* returnMemoryIf({ ...always, idleMilliseconds: 0 }, collect)
      yield* Effect.sleep(200)
      assert.strictEqual(found.count, 0)
    }))

  it.live("collects again only when memory has grown", () =>
    Effect.gen(function*() {
      const { collect, found } = counted()
      // Less than this process needs, and more than it grows by during the test.
      yield* returnMemoryIf({ ...always, grownBytes: process.memoryUsage.rss() * 0.9 }, collect)
      yield* eventually(Effect.sync(() => found.count), (count) => count > 0)
      yield* Effect.sleep(200)
      assert.strictEqual(found.count, 1)
    }))

  it.live("collects what the start has left after one idle period, and later only after several in a row", () =>
    Effect.gen(function*() {
      const { collect, found } = counted()
      yield* returnMemoryIf({ ...always, idlePeriods: 1000 }, collect)
      yield* eventually(Effect.sync(() => found.count), (count) => count > 0)
      yield* Effect.sleep(200)
      assert.strictEqual(found.count, 1)
    }))

  it("leaves the flags of V8 as they were, so that it accepts code that is cached later", () => {
    const before = v8.cachedDataVersionTag()
    collectGarbage({ type: "minor" })
    assert.strictEqual(v8.cachedDataVersionTag(), before)
  })

  it.live("frees what nothing refers to", () =>
    Effect.gen(function*() {
      const unused = new WeakRef({})
      yield* Effect.sleep(1)
      collectGarbage({ type: "major", flavor: "last-resort" })
      assert.isUndefined(unused.deref())
    }))
})
