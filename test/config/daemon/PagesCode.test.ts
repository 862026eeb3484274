import { assert, describe, it } from "@effect/vitest"
import { isPagesCode, pagesCode, pagesCodeMillis } from "../../../src/config/daemon/PagesCode.ts"

const key = new Uint8Array(32).fill(1)
const otherKey = new Uint8Array(32).fill(2)
const now = 1_000_000

describe("a code for the pages", () => {
  it("is accepted for a minute, if it was made in the same home after the start of the daemon", () => {
    const code = pagesCode(key, now)
    assert.isTrue(isPagesCode(key, code, { now: now + pagesCodeMillis, startedAt: now }))
    assert.isFalse(isPagesCode(key, code, { now: now + pagesCodeMillis + 1, startedAt: now }))
    assert.isFalse(isPagesCode(key, code, { now, startedAt: now + 1 }))
    assert.isFalse(isPagesCode(otherKey, code, { now, startedAt: now }))
  })
})
