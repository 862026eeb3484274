import { assert, describe, it } from "@effect/vitest"
import { fill, fillAll, fillDocument, segment } from "../../../src/connections/grants/GrantTemplates.ts"

const values = { id: "a/b", list: "x,y", map: "k=v,l=w", empty: "" }

describe("fill", () => {
  it("is undefined if a value is missing, even if every object inherits a property of that name", () => {
    assert.strictEqual(fill("{id}!{empty}", values), "a/b!")
    assert.isUndefined(fill("{id}{other}", values))
    assert.isUndefined(fill("{toString}", values))
  })

  it("inserts each value as one segment of a path, and is undefined for an empty or a dot segment", () => {
    assert.strictEqual(fill("/v1/{id}", values, segment), "/v1/a%2Fb")
    for (const id of ["", ".", ".."]) assert.isUndefined(fill("/v1/{id}", { id }, segment), id)
  })
})

describe("filledDocument", () => {
  it("replaces a string that consists of one field by a value of the field's type, and omits strings with a missing value", () => {
    const kinds = new Map([["list", "list"], ["map", "map"]])
    const document = { a: "{list}", b: ["{map}", "{other}", "-{list}"], c: "{other}", d: 1 }
    assert.deepStrictEqual(fillDocument(document, values, kinds), {
      a: ["x", "y"],
      b: [{ k: "v", l: "w" }, "-x,y"],
      d: 1
    })
    assert.deepStrictEqual(fillAll({ a: "{id}", b: "{other}" }, values), { a: "a/b" })
  })
})
