import { assert, describe, it } from "@effect/vitest"
import { readReport } from "../../../src/domain/wire/RequestReport.ts"

const entry = [1, "GET", "api.example.com", "/x", 200, 0, 2, "example", "default", null, null]
const textOf = (...entries: ReadonlyArray<unknown>) => JSON.stringify({ part: 2, last: false, missing: 0, entries })
const isValid = (text: string): boolean => readReport(Buffer.from(text)) !== undefined
const withMember = (at: number, value: unknown) => entry.with(at, value as string)

describe("readReport", () => {
  it("accepts an entry with each combination of the optional members", () => {
    for (const more of [[], ["provider query"], [null, "repo"], ["provider query", "repo", 7], [null, null, 7]]) {
      assert.isTrue(isValid(textOf(entry, [...entry, ...more])), JSON.stringify(more))
    }
  })

  it("refuses a report with an invalid entry", () => {
    const invalid: ReadonlyArray<unknown> = [
      {},
      entry.slice(0, 10),
      [...entry, null],
      [...entry, "somewhere"],
      [...entry, null, 7],
      [...entry, null, null, "7"],
      [...entry, null, null, 7, null],
      ...[0, 4, 5, 6].flatMap((at) => [-1, 0.5, "1", null].map((value) => withMember(at, value))),
      ...[1, 2, 3].flatMap((at) => ["x".repeat(516), 1, null].map((value) => withMember(at, value))),
      ...[7, 8, 9, 10].flatMap((at) => ["x".repeat(257), 1].map((value) => withMember(at, value)))
    ]
    for (const each of invalid) assert.isFalse(isValid(textOf(entry, each)), JSON.stringify(each))
  })

  it("refuses a byte order mark, which the reader of the log would not remove", () => {
    assert.isFalse(isValid(`\ufeff${textOf(entry)}`))
  })
})
