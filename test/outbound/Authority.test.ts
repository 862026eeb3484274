import { assert, describe, it } from "@effect/vitest"
import { parseAbsoluteTarget, parseAuthority, parseName } from "../../src/outbound/Authority.ts"

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

  const API = "api.openai.com"
  const ports = ["", ":", ":0", ":0443", ":65536", ":443x", ":-1", ":4 4", ":443:443", ":443/x"]
  const suffixes = ["%2eevil.com", "%00.evil.com", "\0.evil.com", " ", "\t", ".."]
  const prefixes = ["user@", "evil.com\\@", "evil.com#", "evil.com/", "evil.com?", " ", "."]
  const labels = ["", "-api", "api-", "\uff41pi", "b\u00fccher", "a".repeat(64)].map((label) => `${label}.example`)
  const names = ["api..openai.com", "api.openai.co\u212a", "api\u3002openai.com", `${"a.".repeat(130)}example`, ""]
  const numeric = ["0x7f.1", "0x7f000001", "127.1", "2130706433", "0177.0.0.1", "127.0.0.01", "256.0.0.1"]
  const dotted = ["1.2.3.4.5", "1.2.3.4.", "api.example.1", "::1"]
  const brackets = ["[:::1]", "[1:2:3:4:5:6:7:8:9]", "[::1::2]", "[fe80::1%25eth0]", "[127.0.0.1]", "[::256.0.0.1]"]
  const refused = [
    "",
    ...ports.map((port) => `${API}${port}`),
    ...suffixes.map((suffix) => `${API}${suffix}:443`),
    ...prefixes.map((prefix) => `${prefix}${API}:443`),
    ...[...labels, ...names, ...numeric, ...dotted, ...brackets, `[${API}]`].map((host) => `${host}:443`),
    "[::1]",
    "[::1]443",
    "[::1]:"
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.isUndefined(parseAuthority(text)))
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
  const forms = ["ftp://a.example/", "/path", "https:/a.example/", "https:a.example", "https://"]
  const authorities = ["u:p@a.example/", "a.example:x/", "a.example\\@evil.test/", "a.example/#fragment"]
  for (const target of [...forms, ...authorities.map((rest) => `https://${rest}`)]) {
    it(`refuses ${target}`, () => assert.isUndefined(parseAbsoluteTarget(target)))
  }
})

describe("parseName", () => {
  it("removes exactly one trailing dot", () => {
    assert.strictEqual(parseName("a.example."), "a.example")
    assert.isUndefined(parseName("a.example.."))
    assert.isUndefined(parseName("."))
  })
})
