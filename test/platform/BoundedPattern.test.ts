import { assert, describe, it } from "@effect/vitest"
import { matchesWhole } from "../../src/platform/BoundedPattern.ts"

describe("BoundedPattern", () => {
  it("matches the whole text only", () => {
    assert.strictEqual(matchesWhole("sk-[a-z]+", "sk-abc"), "yes")
    assert.strictEqual(matchesWhole("sk-[a-z]+", "sk-abc1"), "no")
    assert.strictEqual(matchesWhole("a|b", "ab"), "no")
    assert.strictEqual(matchesWhole("a", "a\n"), "no")
  })

  it("gives up on a pattern that backtracks without end, within its time", () => {
    const began = performance.now()
    assert.strictEqual(matchesWhole("(a+)+", `${"a".repeat(40)}!`, { milliseconds: 50 }), "undecided")
    assert.isBelow(performance.now() - began, 2000)
  })

  it("does not decide with a pattern that is none, and runs no code from it", () => {
    assert.strictEqual(matchesWhole("(", "x"), "undecided")
    assert.strictEqual(matchesWhole("')).constructor.constructor('return process')().exit(7)//", "x"), "undecided")
  })
})
