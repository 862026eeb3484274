import { assert, describe, it } from "@effect/vitest"
import * as JsonPointer from "effect/JsonPointer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { fieldsOf, inFormat, pointed, standardStyle } from "../../src/oauth/TokenDialect.ts"
import { seeded } from "../support/Seed.ts"

const segments = Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(6))
const at = (path: ReadonlyArray<string>): string => path.map((key) => `/${JsonPointer.escapeToken(key)}`).join("")
const nested = (path: ReadonlyArray<string>, value: unknown): unknown =>
  path.toReversed().reduce((inner, key) => Object.defineProperty({}, key, { value: inner, enumerable: true }), value)

describe("pointed (RFC 6901)", () => {
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
      assert.deepStrictEqual(pointed(document, pointer), expected))
  }

  it.prop("finds the value at any path", [segments, Schema.String], ([path, value]) => {
    assert.strictEqual(pointed(nested(path, value), at(path)), value)
  }, seeded)

  it.prop("finds nothing one level deeper, and never throws", [segments, Schema.Json], ([path, value]) => {
    assert.isUndefined(pointed(nested(path, "text"), at([...path, "x"])))
    pointed(value, at(path))
  }, seeded)
})

describe("fieldsOf", () => {
  it.prop(
    "never throws, and returns valid scopes only",
    [Schema.Json, Schema.Json, Schema.String],
    ([scope, expires, separator]) => {
      const style = { ...standardStyle, scopeSeparator: separator, pointers: { expiresIn: "/expires" } }
      const fields = fieldsOf({ scope, expires }, style, { now: 0, elsewhere: false })
      for (const name of fields.scopes ?? []) assert.match(name, /^[\u0021\u0023-\u005b\u005d-\u007e]+$/)
      if (fields.expiresInSeconds !== undefined) {
        assert.isTrue(
          fields.expiresInSeconds > 0 && fields.expiresInSeconds <= 315_360_000
        )
      }
    },
    seeded
  )

  const name = Schema.String.check(Schema.isPattern(/^[a-z:./_-]{1,20}$/))
  it.prop(
    "finds the same scopes in a list, separated by spaces or separated by commas",
    [Schema.Array(name)],
    ([scopes]) => {
      const read = (scope: unknown, scopeSeparator: string) =>
        fieldsOf({ scope }, { ...standardStyle, scopeSeparator }, { now: 0, elsewhere: false }).scopes ?? []
      assert.deepStrictEqual(read(scopes, " "), scopes)
      assert.deepStrictEqual(read(scopes.join(" "), " "), scopes)
      assert.deepStrictEqual(read(scopes.join(","), ","), scopes)
    },
    seeded
  )
})

describe("inFormat", () => {
  const text = Schema.String.check(Schema.isPattern(/^[\u0020-\u007eä-ü]{0,20}$/))
  it.prop("encodes the same fields as JSON", [Schema.Record(text, text)], ([fields]) => {
    const form = {
      method: "POST",
      url: "https://as.example/",
      headers: {},
      body: Redacted.make(new URLSearchParams(fields).toString())
    } as const
    const json = inFormat(form, "json")
    assert.deepStrictEqual(JSON.parse(Redacted.value(json.body!)), { ...fields })
    assert.strictEqual(json.headers["content-type"], "application/json")
    assert.strictEqual(inFormat(form, "form"), form)
  }, seeded)
})
