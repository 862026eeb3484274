import { assert, describe, it } from "@effect/vitest"
import { matchesWhole } from "../../src/platform/PatternMatch.ts"

describe("matchesWhole", () => {
  it("matches the whole text only", () => {
    assert.strictEqual(matchesWhole("sk-[a-z]+", "sk-abc"), "match")
    assert.strictEqual(matchesWhole("sk-[a-z]+", "xsk-abc"), "mismatch")
    assert.strictEqual(matchesWhole("sk-[a-z]+", "sk-abc1"), "mismatch")
    assert.strictEqual(matchesWhole("a|b", "ab"), "mismatch")
    assert.strictEqual(matchesWhole("^a$", "a"), "match")
  })

  it("gives up on a pattern that would take exponential time", () => {
    const start = performance.now()
    assert.strictEqual(matchesWhole("(a+)+b", "a".repeat(64)), "undecided")
    assert.isBelow(performance.now() - start, 5000)
    assert.strictEqual(matchesWhole("a+", "aaa"), "match")
  })

  it("returns no decision for a pattern that does not compile", () => {
    assert.strictEqual(matchesWhole("(", "x"), "undecided")
  })

  it("treats the pattern and the text as data, never as code", () => {
    for (const text of ["\"); globalThis.hacked = 1; (\"", "${globalThis.hacked = 1}", "`", "\\", "\u2028"]) {
      assert.strictEqual(matchesWhole("[^]*", text), "match")
      matchesWhole(text, text)
    }
    assert.isFalse("hacked" in globalThis)
  })
})
