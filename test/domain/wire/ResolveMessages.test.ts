import { assert, describe, it } from "@effect/vitest"
import { readQuery, resolveQuery, routesQuery } from "../../../src/domain/wire/ResolveMessages.ts"
import * as fc from "../../support/FastCheck.ts"

describe("ResolveMessages", () => {
  it("reads back a query about the routes", () => {
    fc.assert(fc.property(fc.option(fc.string(), { nil: undefined }), (version) => {
      const line = routesQuery(version)
      if (line !== undefined) assert.deepStrictEqual(readQuery(line), { _tag: "routes", version })
    }))
    assert.strictEqual(routesQuery("v7"), "routes v7")
  })

  it("rejects a version with a line break or a space", () => {
    for (const version of ["", "a b", "a\n", "a\nroutes", "\"a\"", "ü", "a".repeat(65)]) {
      assert.isUndefined(routesQuery(version), JSON.stringify(version))
    }
  })

  it("reads any JSON as a body", () => {
    fc.assert(fc.property(fc.json(), (body) => assert.deepStrictEqual(readQuery(body), { _tag: "resolve", body })))
  })

  it("carries the span of a request before its body, and rejects an invalid span", () => {
    const traceparent = `00-${"a1".repeat(16)}-${"b2".repeat(8)}-01`
    const body = "{\"host\":\"traceparent\"}"
    assert.deepStrictEqual(readQuery(resolveQuery(body, traceparent)), { _tag: "resolve", body, traceparent })
    assert.deepStrictEqual(readQuery(resolveQuery(body, undefined)), { _tag: "resolve", body })
    for (
      const invalid of ["", "00-1-2-01", traceparent.toUpperCase(), `${traceparent}0`, `01${traceparent.slice(2)}`]
    ) {
      assert.isUndefined(readQuery(resolveQuery(body, invalid)), invalid)
    }
  })
})
