import { assert, describe, it } from "@effect/vitest"
import { nearest } from "../../../src/domain/text/EditDistance.ts"

describe("nearest", () => {
  it("suggests only similar words", () => {
    assert.deepStrictEqual(nearest("statsu", ["status", "provider"]), ["status"])
    assert.deepStrictEqual(nearest("zzz", ["status", "provider"]), [])
  })
})
