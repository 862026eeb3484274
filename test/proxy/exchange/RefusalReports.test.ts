import { assert, describe, it } from "@effect/vitest"
import { RefusalReports } from "../../../src/proxy/exchange/RefusalReports.ts"

describe("RefusalReports", () => {
  it("allows one report for each key in a minute", () => {
    const reports = new RefusalReports()
    assert.isTrue(reports.isDue("a", 0))
    assert.isFalse(reports.isDue("a", 59_999))
    assert.isTrue(reports.isDue("b", 59_999))
    assert.isTrue(reports.isDue("a", 60_000))
    assert.isFalse(reports.isDue("a", 60_001))
  })
})
