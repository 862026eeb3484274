import { assert, describe, it } from "@effect/vitest"
import { readQuestion, routesQuestion } from "../../src/domain/ResolveChannel.ts"
import * as fc from "../support/FastCheck.ts"

describe("ResolveChannel", () => {
  it("reads back a question about the routes", () => {
    fc.assert(fc.property(fc.option(fc.string(), { nil: undefined }), (version) => {
      const line = routesQuestion(version)
      if (line !== undefined) assert.deepStrictEqual(readQuestion(line), { _tag: "routes", version })
    }))
    assert.strictEqual(routesQuestion("v7"), "routes v7")
  })

  it("rejects a version that could end the line or be read as several words", () => {
    for (const version of ["", "a b", "a\n", "a\nroutes", "\"a\"", "ü", "a".repeat(65)]) {
      assert.isUndefined(routesQuestion(version), JSON.stringify(version))
    }
  })

  it("reads any JSON as a body", () => {
    fc.assert(fc.property(fc.json(), (body) => assert.deepStrictEqual(readQuestion(body), { _tag: "resolve", body })))
  })
})
