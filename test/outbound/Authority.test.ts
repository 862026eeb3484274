/** `holds` compares the parser with Node's URL parser and with the routing table. */
import { assert, describe, it } from "@effect/vitest"
import { canonicalHost } from "../../src/domain/definition/HostPattern.ts"
import { parseAbsoluteTarget, parseAuthority, parseName } from "../../src/outbound/Authority.ts"
import * as fc from "../support/FastCheck.ts"
import { propertyTest } from "../support/PropertyTest.ts"

describe("parseAuthority", () => {
  const accepted: ReadonlyArray<readonly [string, string, number, string]> = [
    ["api.openai.com:443", "api.openai.com", 443, "name"],
    ["API.OpenAI.com:443", "api.openai.com", 443, "name"],
    ["api.openai.com.:443", "api.openai.com", 443, "name"],
    ["localhost:80", "localhost", 80, "name"],
    ["my_service:8080", "my_service", 8080, "name"],
    ["xn--bcher-kva.example:443", "xn--bcher-kva.example", 443, "name"],
    ["127.0.0.1:8080", "127.0.0.1", 8080, "ipv4"],
    ["[::1]:8080", "::1", 8080, "ipv6"],
    ["[2001:DB8::1]:443", "2001:db8::1", 443, "ipv6"],
    ["[::ffff:127.0.0.1]:1", "::ffff:127.0.0.1", 1, "ipv6"]
  ]
  for (const [text, host, port, kind] of accepted) {
    it(`reads ${text}`, () => assert.deepEqual(parseAuthority(text), { host, port, kind }))
  }
})

describe("parseAbsoluteTarget", () => {
  it("separates scheme, authority and path", () => {
    assert.deepEqual(parseAbsoluteTarget("HTTPS://API.example.com/a?b#"), undefined)
    assert.deepEqual(parseAbsoluteTarget("https://api.example.com"), {
      scheme: "https",
      authority: { host: "api.example.com", port: 443, kind: "name" },
      path: "/"
    })
    assert.deepEqual(parseAbsoluteTarget("http://api.example.com?x=1"), {
      scheme: "http",
      authority: { host: "api.example.com", port: 80, kind: "name" },
      path: "/?x=1"
    })
  })
})

const label = fc.stringMatching(/^[a-zA-Z0-9-]{1,8}$/)
const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join("."))
const address = fc.oneof(fc.ipV4(), fc.ipV4Extended(), fc.ipV6(), fc.ipV6().map((text) => `[${text}]`))
const port = fc.oneof(
  fc.integer({ min: 0, max: 70_000 }).map(String),
  fc.constantFrom("443", "0443", "", "-1", "+1", "1e3", "0x50", "443 ", "\u0664\u0664\u0663")
)
const delimiters = ["@", "\\", "/", "#", "?", ":", "::", ".", "..", "-", "_", "[", "]", "*", ",", "1"]
const encoded = ["%2e", "%00", " ", "\t", "\0", "\r\n", "xn--", "0x"]
const lookalikes = [..."\u3002\uff0e\u2024\u00ad\u200d\u212a\u0131\uff41\u{1f600}"]
const piece = fc.constantFrom(...delimiters, ...encoded, ...lookalikes)
/** Valid text, mutated valid text and noise. */
const authority = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.oneof(name, address), port).map(([host, at]) => `${host}:${at}`) },
  {
    weight: 3,
    arbitrary: fc.tuple(name, port, piece, fc.nat(), fc.boolean()).map(([host, at, inserted, where, replace]) => {
      const text = `${host}:${at}`
      const index = where % (text.length + 1)
      return text.slice(0, index) + inserted + text.slice(index + (replace ? 1 : 0))
    })
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) }
)

const holds = propertyTest(10_000)

describe("parseAuthority, for any text", () => {
  holds("agrees with `new URL()` on every host that both accept", authority, (text) => {
    const parsed = parseAuthority(text)
    if (parsed === undefined || parsed.kind === "ipv6") return
    // A URL with an invalid A-label is rejected; such a name does not resolve either.
    if (!URL.canParse(`https://${text}`)) return assert.match(parsed.host, /(?:^|\.)xn--/)
    const url = new URL(`https://${text}`)
    assert.strictEqual(url.hostname.replace(/\.$/, ""), parsed.host)
    assert.strictEqual(url.port === "" ? 443 : Number(url.port), parsed.port)
  })

  const host = authority.map((text) => text.replace(/:[^:]*$/, ""))
  holds(
    "agrees with the routing table on every name of two or more labels without an underscore",
    fc.oneof(host, name),
    (text) => {
      const parsed = parseName(text)
      const isRouted = parsed?.includes(".") === true && !parsed.includes("_")
      assert.strictEqual(canonicalHost(text), isRouted ? parsed : undefined)
    }
  )
})

describe("parseAbsoluteTarget, for any text", () => {
  const target = fc.tuple(
    fc.constantFrom("https://", "http://", "HTTPS://", "https:/", "https:", "//", "ftp://", ""),
    authority,
    fc.oneof(
      fc.constant(""),
      fc.tuple(fc.constantFrom("/", "?", "#", "\\", "@"), fc.string()).map((parts) => parts.join(""))
    )
  ).map((parts) => parts.join(""))

  holds("agrees with `new URL()` on host and path, or rejects", target, (text) => {
    const parsed = parseAbsoluteTarget(text)
    if (parsed === undefined || parsed.authority.kind === "ipv6" || !URL.canParse(text)) return
    const url = new URL(text)
    assert.strictEqual(url.hostname.replace(/\.$/, ""), parsed.authority.host)
    assert.strictEqual(`${url.username}${url.password}${url.hash}`, "")
    assert.match(parsed.path, /^\//)
  })
})
