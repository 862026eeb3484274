import { assert, describe, it } from "@effect/vitest"
import { ExpiringSet } from "../../src/platform/ExpiringSet.ts"

describe("ExpiringSet", () => {
  it("has a name until it expires, or until newer names exceed the limit", () => {
    const set = new ExpiringSet(10, 2)
    set.add("a", 0)
    assert.deepStrictEqual([0, 9, 10].map((now) => set.has("a", now)), [true, true, false])
    set.add("b", 5)
    set.add("c", 6)
    assert.deepStrictEqual(["a", "b", "c", "d"].map((name) => set.has(name, 6)), [false, true, true, false])
  })
})
