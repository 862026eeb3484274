import { assert, describe, it } from "@effect/vitest"
import { dueAt, freshnessOf, isValid } from "../../../src/connections/renewal/TokenLife.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const at = 1_000_000 * second

const life = (length: number) => ({ issuedAt: at, expiresAt: at + length })

describe("TokenLife", () => {
  const cases = [
    ["an hour", hour, 6 * minute],
    ["a day", day, 2.4 * hour],
    ["five minutes", 5 * minute, minute],
    ["a minute", minute, 30 * second],
    ["ten seconds", 10 * second, 5 * second]
  ] as const
  for (const [name, length, before] of cases) {
    it(`makes a token with a lifetime of ${name} due ${before / second} seconds before its expiry, and no earlier`, () => {
      const token = life(length)
      assert.strictEqual(dueAt(token), at + length - before)
      assert.strictEqual(freshnessOf(token, at + length - before - 1), "fresh")
      assert.strictEqual(freshnessOf(token, at + length - before), "due")
    })
  }

  it("treats a token as expired ten seconds early, because a request takes time to arrive", () => {
    assert.strictEqual(freshnessOf(life(hour), at + hour - 10 * second - 1), "due")
    assert.strictEqual(freshnessOf(life(hour), at + hour - 10 * second), "spent")
    assert.isTrue(isValid(life(hour), at + hour - 1))
    assert.isFalse(isValid(life(hour), at + hour))
  })

  it("never ends if the server stated no lifetime", () => {
    const token = { issuedAt: at, expiresAt: null }
    assert.strictEqual(freshnessOf(token, at + 3650 * day), "fresh")
    assert.strictEqual(dueAt(token), Infinity)
  })

  it("is unknown if the clock went back before the issue time, so the token is used and refreshed", () => {
    assert.strictEqual(freshnessOf(life(hour), at - 5 * minute), "fresh")
    assert.strictEqual(freshnessOf(life(hour), at - 5 * minute - 1), "due")
    assert.isTrue(isValid(life(hour), at - 3650 * day))
    assert.isTrue(isValid(life(-hour), at - 3650 * day))
  })
})
