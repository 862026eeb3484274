import { assert, describe, it } from "@effect/vitest"
import { sanitize, sanitizeLine } from "../../../src/cli/output/Sanitize.ts"

describe("sanitize", () => {
  it("removes escape sequences, control characters and bidirectional overrides, but keeps tabs and newlines", () => {
    assert.strictEqual(
      sanitize("a\u001b]52;c;AAAA\u0007b\u009bc\rd\u202ee\tf\ng"),
      "a]52;c;AAAAbcde\tf\ng"
    )
  })

  it("puts multi-line text on one line", () => {
    assert.strictEqual(sanitizeLine("one\r\n2026 INFO login ok\ttwo"), "one 2026 INFO login ok two")
    assert.strictEqual(sanitizeLine("a\u007fb"), "ab")
  })
})
