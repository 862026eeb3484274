import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { collectGarbage } from "../../src/platform/GarbageCollection.ts"
import { returnMemoryIf } from "../../src/platform/IdleMemory.ts"

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
        while (found.count < 2) yield* Effect.sleep(10)
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
      while (found.count === 0) yield* Effect.sleep(10)
      yield* Effect.sleep(200)
      assert.strictEqual(found.count, 1)
    }))

  it.live("collects what the start has left after one idle period, and later only after several in a row", () =>
    Effect.gen(function*() {
      const { collect, found } = counted()
      yield* returnMemoryIf({ ...always, idlePeriods: 1000 }, collect)
      while (found.count === 0) yield* Effect.sleep(10)
      yield* Effect.sleep(200)
      assert.strictEqual(found.count, 1)
    }))

  it("keeps the young generation from growing", () => {
    const program = `
      import { execFileSync } from "node:child_process"
      import { keepYoungGeneration } from ${
      JSON.stringify(import.meta.resolve("../../src/platform/GarbageCollection.ts"))
    }
      const size = () => v8.getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size
      keepYoungGeneration()
      const before = size()
      const kept = []
      for (let i = 0; i < 2_000_000; i++) {
        kept.push({ i })
        if (kept.length === 50_000) kept.length = 0
      }
      console.log(size() - before)`
    const grown = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })
    // One semi-space is committed when it is first used. Without the setting it is seven.
    assert.isAtMost(Number(grown), 2 * 1024 * 1024)
  })

  it.live("frees what nothing refers to", () =>
    Effect.gen(function*() {
      const unused = new WeakRef({})
      yield* Effect.sleep(1)
      collectGarbage({ type: "major", flavor: "last-resort" })
      assert.isUndefined(unused.deref())
    }))
})
