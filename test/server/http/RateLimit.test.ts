import { assert, describe, it } from "@effect/vitest"
import { burst, rate, RateLimit } from "../../../src/server/http/RateLimit.ts"

describe("RateLimit", () => {
  it("refills at a steady rate, up to the burst, and not when the clock goes back", () => {
    const limit = new RateLimit()
    for (let taken = 0; taken < burst; taken++) assert.strictEqual(limit.take("a", 0), 0)
    assert.strictEqual(limit.take("a", 0), 1)
    assert.strictEqual(limit.take("a", -60_000), 1)
    assert.strictEqual(limit.take("b", 0), 0)
    const later = 86_400_000
    for (let taken = 0; taken < burst; taken++) assert.strictEqual(limit.take("a", later), 0)
    assert.strictEqual(limit.take("a", later), 1)
    for (let taken = 0; taken < rate; taken++) assert.strictEqual(limit.take("a", later + 1000), 0)
    assert.strictEqual(limit.take("a", later + 1000), 1)
  })

  it("deletes buckets that are full again, and keeps the others", () => {
    const limit = new RateLimit()
    for (let count = 0; count < burst; count++) assert.strictEqual(limit.take("busy", 0), 0)
    for (let key = 0; key < 5000; key++) limit.take(`idle ${key}`, 0)
    const later = burst / rate * 1000 - 1
    assert.strictEqual(limit.take("busy", later), 0)
    assert.isBelow(limit.size, 10)
    for (let count = 1; count < burst - 1; count++) limit.take("busy", later)
    assert.isAbove(limit.take("busy", later), 0)
  })
})
