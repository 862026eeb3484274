import { assert, describe, it } from "@effect/vitest"
import { setNewest } from "../../src/platform/BoundedMap.ts"

describe("setNewest", () => {
  it("deletes the entries that were set the longest time ago", () => {
    const map = new Map<string, number>()
    for (const key of ["a", "b", "c"]) setNewest(map, key, 1, 3)
    setNewest(map, "a", 2, 3)
    setNewest(map, "d", 1, 3)
    assert.deepStrictEqual([...map], [["c", 1], ["a", 2], ["d", 1]])
  })
})
