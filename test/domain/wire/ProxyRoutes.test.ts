import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import { ProxyRoutes } from "../../../src/domain/wire/ProxyRoutes.ts"
import { readRoutes, writeRoutes } from "../../../src/domain/wire/ReadRoutes.ts"
import * as fc from "../../support/FastCheck.ts"

const wrong = fc.constantFrom<unknown>(undefined, null, 1, "", "../etc", [], {}, { a: 1 }, ["a"], [{}])

const route = fc.record({
  host: fc.constantFrom("api.openai.com", "*.example.com:8443"),
  path_prefix: fc.constantFrom(null, "/v1"),
  provider: fc.constantFrom("openai", "a.b-c"),
  connection: fc.constantFrom(null, "default", "me@work"),
  connected: fc.boolean(),
  signing: fc.constant("aws_sigv4"),
  precedence: fc.constantFrom("custom", "confirmed")
}, { noNullPrototype: true, requiredKeys: ["host", "path_prefix", "provider", "connection", "connected"] })

const placeholder = fc.record({
  provider: fc.constantFrom("openai", "a.b-c"),
  connection: fc.constantFrom("default", "me@work"),
  own: fc.constant(true),
  variable: fc.string(),
  value: fc.string()
}, { noNullPrototype: true, requiredKeys: ["provider", "variable", "value"] })

const rows = <A>(row: fc.Arbitrary<A>) => fc.array(row, { maxLength: 3 })

const table = fc.record({
  version: fc.string(),
  routes: rows(route),
  placeholders: rows(placeholder),
  base_urls: rows(placeholder),
  cloud_identities: rows(placeholder)
}, { noNullPrototype: true, requiredKeys: ["version", "routes", "placeholders"] })

describe("readRoutes", () => {
  const decode = Schema.decodeUnknownOption(ProxyRoutes)
  const counts = { read: 0, rejected: 0 }
  const check = (value: unknown) => {
    const sent: unknown = JSON.parse(JSON.stringify(value))
    const expected = Option.getOrUndefined(decode(sent))
    const actual = readRoutes(sent)
    assert.deepStrictEqual(actual, expected)
    counts[actual === undefined ? "rejected" : "read"]++
  }

  it("decodes a table exactly as its schema does, and rejects the same values", () => {
    fc.assert(fc.property(table, check))
    fc.assert(
      fc.property(table, fc.constantFrom("version", "routes", "placeholders", "base_urls", "cloud_identities"), wrong, (
        value,
        key,
        other
      ) => check({ ...value, [key]: other }))
    )
    fc.assert(fc.property(table, route, wrong, (value, row, other) => {
      for (const key of Object.keys(row)) check({ ...value, routes: [{ ...row, [key]: other }] })
    }))
    fc.assert(
      fc.property(
        table,
        placeholder,
        wrong,
        fc.constantFrom("placeholders", "base_urls", "cloud_identities"),
        (value, row, other, list) => {
          for (const key of Object.keys(row)) check({ ...value, [list]: [{ ...row, [key]: other }] })
        }
      )
    )
    assert.isAbove(counts.read, 100)
    assert.isAbove(counts.rejected, 100)
  })
})

describe("writeRoutes", () => {
  it("encodes a table exactly as its schema does", () => {
    const decode = Schema.decodeUnknownSync(ProxyRoutes)
    const encode = Schema.encodeSync(ProxyRoutes)
    fc.assert(fc.property(table, (value) => {
      const decoded = decode(JSON.parse(JSON.stringify(value)))
      assert.strictEqual(JSON.stringify(writeRoutes(decoded)), JSON.stringify(encode(decoded)))
    }))
  })
})
