import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { parse } from "../../src/oauth/WwwAuthenticate.ts"
import { seeded } from "../support/Seed.ts"

const read = (header: string) => parse(header).map(({ parameters, scheme }) => [scheme, Object.fromEntries(parameters)])

describe("WwwAuthenticate", () => {
  const rows: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
    ["", []],
    ["Bearer", [["bearer", {}]]],
    ["Bearer realm=x", [["bearer", { realm: "x" }]]],
    ["BEARER Realm = \"a, b\" , scope=\"c d\"", [["bearer", { realm: "a, b", scope: "c d" }]]],
    ["Bearer a=\"q\\\"u\\\\o\"", [["bearer", { a: "q\"u\\o" }]]],
    ["Basic realm=x, Bearer resource_metadata=\"https://h/p?x=y,z\"", [
      ["basic", { realm: "x" }],
      ["bearer", { resource_metadata: "https://h/p?x=y,z" }]
    ]],
    ["Bearer a=https://h/p?x=y, b=c:d", [["bearer", { a: "https://h/p?x=y", b: "c:d" }]]],
    ["Negotiate YWJj==, Bearer scope=a", [["negotiate", {}], ["bearer", { scope: "a" }]]],
    ["Negotiate, Bearer scope=a", [["negotiate", {}], ["bearer", { scope: "a" }]]],
    ["Bearer scope=a, scope=b", [["bearer", { scope: "a" }]]],
    [",, Bearer a=b,,", [["bearer", { a: "b" }]]],
    ["Bearer a=\"open", []],
    ["Bearer a=\"b\"c=d", []],
    ["Bearer a=b; c=d", []],
    ["Bearer \u0000", []],
    ["=", []],
    ["\"Bearer\" a=b", []],
    [`Bearer a="${"x".repeat(16_385)}"`, []]
  ]
  for (const [header, expected] of rows) {
    it(`reads ${header.slice(0, 60)}`, () => assert.deepStrictEqual(read(header), expected as never))
  }

  const name = Schema.String.check(Schema.isPattern(/^[a-z]{1,8}$/))
  const value = Schema.String.check(Schema.isPattern(/^[ -~]{0,20}$/))
  it.prop("parses every challenge that it has written", [name, name, value], ([scheme, key, text]) => {
    const quoted = text.replace(/[\\"]/g, "\\$&")
    assert.deepStrictEqual(read(`${scheme} ${key}="${quoted}", x y=z`), [[scheme, { [key]: text }], ["x", { y: "z" }]])
  }, seeded)

  it.prop("never throws", [Schema.String], ([text]) => {
    assert.isArray(parse(text))
    assert.isArray(parse(`Bearer ${text}`))
  }, seeded)

  it("parses in linear time", () => {
    for (const piece of ["a=\"", "a=b,", ", ", "\\\"", "a ", "a=\"\\"]) {
      const started = process.cpuUsage()
      parse(`Bearer ${piece.repeat(16_000 / piece.length)}`)
      assert.isBelow(process.cpuUsage(started).user, 1_000_000)
    }
  })
})
