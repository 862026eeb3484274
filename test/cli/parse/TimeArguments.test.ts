import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import { parseSince } from "../../../src/cli/parse/TimeArguments.ts"

const now = DateTime.makeUnsafe("2026-03-10T12:00:00Z")

const parsed = (text: string): string | undefined => {
  const time = parseSince(text, now)
  return time === undefined ? undefined : DateTime.formatIso(time)
}

describe("parseSince", () => {
  it("reads a duration as a time before now", () => {
    assert.deepStrictEqual(["30s", "15m", "12h", "7d", "2w", "0s"].map(parsed), [
      "2026-03-10T11:59:30.000Z",
      "2026-03-10T11:45:00.000Z",
      "2026-03-10T00:00:00.000Z",
      "2026-03-03T12:00:00.000Z",
      "2026-02-24T12:00:00.000Z",
      "2026-03-10T12:00:00.000Z"
    ])
  })

  it("reads an RFC 3339 time with its offset, and a date as its start in UTC", () => {
    assert.strictEqual(parsed("2026-03-09T08:00:00+02:00"), "2026-03-09T06:00:00.000Z")
    assert.strictEqual(parsed("2026-03-09t08:00:00.5z"), "2026-03-09T08:00:00.500Z")
    assert.strictEqual(parsed("2026-03-09 08:00:00Z"), "2026-03-09T08:00:00.000Z")
    assert.strictEqual(parsed("2026-03-09"), "2026-03-09T00:00:00.000Z")
  })

  it("rejects texts that are neither a duration nor a date nor an RFC 3339 time", () => {
    for (const text of ["", "7", "d", "-1d", "1.5h", "7 d", "1y", "yesterday", "2026-13-01", "2026-03-09T08:00:00"]) {
      assert.isUndefined(parsed(text), text)
    }
  })
})
