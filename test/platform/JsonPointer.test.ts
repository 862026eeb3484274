import { assert, describe, it } from "@effect/vitest"
import * as JsonPointer from "effect/JsonPointer"
import * as Schema from "effect/Schema"
import { valueAt } from "../../src/platform/JsonPointer.ts"
import { seeded } from "../support/Seed.ts"

const segments = Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(6))
const at = (path: ReadonlyArray<string>): string => path.map((key) => `/${JsonPointer.escapeToken(key)}`).join("")
const nested = (path: ReadonlyArray<string>, value: unknown): unknown =>
  path.toReversed().reduce((inner, key) => Object.defineProperty({}, key, { value: inner, enumerable: true }), value)

describe("valueAt (RFC 6901)", () => {
  const document = JSON.parse(
    "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8}"
  )
  // The examples of section 5.
  const rows: ReadonlyArray<readonly [string, unknown]> = [
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ["/k\"l", 6],
    ["/ ", 7],
    ["/m~0n", 8],
    ["/foo/2", undefined],
    ["/foo/length", 2],
    ["/foo/0/length", undefined],
    ["/nothing/there", undefined],
    ["/constructor", undefined],
    ["/__proto__", undefined],
    ["/toString/name", undefined]
  ]
  for (const [pointer, expected] of rows) {
    it(`finds ${JSON.stringify(expected)} at ${pointer}`, () =>
      assert.deepStrictEqual(valueAt(document, pointer), expected))
  }

  it.prop("finds the value at any path", [segments, Schema.String], ([path, value]) => {
    assert.strictEqual(valueAt(nested(path, value), at(path)), value)
  }, seeded)

  it.prop("finds nothing one level deeper, and never throws", [segments, Schema.Json], ([path, value]) => {
    assert.isUndefined(valueAt(nested(path, "text"), at([...path, "x"])))
    valueAt(value, at(path))
  }, seeded)
})
