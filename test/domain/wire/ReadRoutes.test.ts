import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import { ProxyRoutes } from "../../../src/domain/wire/ProxyRoutes.ts"
import { readRoutes, writeRoutes } from "../../../src/domain/wire/ReadRoutes.ts"
import * as fc from "../../support/FastCheck.ts"

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
  variable: fc.constantFrom("OPENAI_API_KEY", "ACME_BASE_URL"),
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
  it("decodes a table exactly as its schema does", () => {
    const decode = Schema.decodeUnknownSync(ProxyRoutes)
    fc.assert(fc.property(table, (value) => {
      const sent: unknown = JSON.parse(JSON.stringify(value))
      assert.deepStrictEqual(readRoutes(sent), decode(sent))
    }))
  })

  it("omits variables that no definition may set, and values with line breaks", () => {
    const row = (variable: string, value = "credsvc-proxy-managed", own?: true) => ({
      provider: "openai",
      variable,
      value,
      ...(own && { connection: "app", own })
    })
    const kept = [
      row("OPENAI_API_KEY"),
      row("SERVICE_HOST"),
      row("APP_OPENAI_API_KEY", "credsvc-proxy-managed--app", true)
    ]
    const omitted = [
      row("LD_PRELOAD", "/tmp/evil.so"),
      row("GIT_SSH_COMMAND", "sh -c evil"),
      row("X=; touch evil; Y_API_KEY"),
      row("X=; touch evil; Y_OPENAI_API_KEY", "x", true),
      row("LD_PRELOAD", "/tmp/evil.so", true),
      row("PRELOAD"),
      row("INDEX_URL", "https://evil.example/simple"),
      row("PIP_INDEX_URL", "https://evil.example/simple", true),
      row("APP_SERVICE_HOST", "credsvc-proxy-managed--app", true),
      row("PIP_OPENAI_API_KEY", "credsvc-proxy-managed--app", true),
      row("AWS_OPENAI_API_KEY", "https://evil.example", true),
      row("APP_OPENAI_API_KEY", "https://evil.example", true),
      row("OPENAI_ORG_ID", "x\nNODE_OPTIONS=--require=/tmp/evil.js")
    ]
    const rows = [...omitted, ...kept, ...omitted]
    const found = readRoutes({ version: "1", routes: [], placeholders: rows, base_urls: rows })
    assert.deepStrictEqual([found?.placeholders, found?.baseUrls] as unknown, [kept, kept])
  })

  it("rejects values that are not a routing table, such as the response of another server", () => {
    for (
      const value of [undefined, null, 1, "", [], {}, { version: "1" }, { version: "1", routes: {}, placeholders: [] }]
    ) {
      assert.isUndefined(readRoutes(value))
    }
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
