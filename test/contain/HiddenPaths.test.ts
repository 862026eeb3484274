import { assert, describe, it } from "vitest"
import { hiddenLists } from "../../src/contain/HiddenPaths.ts"

describe("hidden-paths.json", () => {
  it("has sorted lists without duplicates", () => {
    const { inHome, relocatedBy, ...lists } = hiddenLists()
    for (const [name, list] of Object.entries({ ...inHome, ...lists, relocatedBy: Object.keys(relocatedBy) })) {
      assert.deepStrictEqual(list, [...new Set(list)].toSorted(), name)
    }
  })
})
