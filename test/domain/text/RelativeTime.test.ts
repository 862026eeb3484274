import { assert, describe, it } from "@effect/vitest"
import { relativeTime } from "../../../src/domain/text/RelativeTime.ts"

describe("relativeTime", () => {
  it("rounds to a useful precision, for the past and the future", () => {
    const now = Date.UTC(2026, 0, 31)
    const said = (seconds: number) => relativeTime(now + seconds * 1000, now)
    assert.deepStrictEqual([0, -59, 30].map(said), ["just now", "just now", "in a moment"])
    assert.deepStrictEqual([-60, -3599, 7200].map(said), ["1 minute ago", "59 minutes ago", "in 2 hours"])
    assert.deepStrictEqual([-86_400, 86_400 * 60, -86_400 * 61].map(said), ["1 day ago", "in 60 days", "2025-12-01"])
  })
})
