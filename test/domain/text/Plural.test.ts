import { assert, describe, it } from "vitest"
import { plural } from "../../../src/domain/text/Plural.ts"

describe("plural", () => {
  it("uses the singular for exactly one", () => {
    assert.strictEqual(plural(1, "second"), "1 second")
    assert.strictEqual(plural(1, "entry", "entries"), "1 entry")
  })

  it("uses the plural for zero, many and fractions", () => {
    assert.strictEqual(plural(0, "second"), "0 seconds")
    assert.strictEqual(plural(2, "entry", "entries"), "2 entries")
    assert.strictEqual(plural(0.5, "second"), "0.5 seconds")
  })
})
