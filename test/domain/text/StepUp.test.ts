import { assert, describe, it } from "@effect/vitest"
import { missingScopes } from "../../../src/domain/text/StepUp.ts"

describe("missingScopes", () => {
  const lists = [",bearer ".repeat(8000), `Bearer ${"error=".repeat(10_000)}`, `Bearer scope=${" ".repeat(60_000)}`]
  it("reads challenges as long as a header section can be, in linear time", () => {
    const began = performance.now()
    for (const list of lists) assert.isUndefined(missingScopes(list))
    assert.isBelow(performance.now() - began, 300)
    assert.deepStrictEqual(missingScopes(`${lists[0]}, Bearer error=insufficient_scope, scope=a`), ["a"])
  })
})
