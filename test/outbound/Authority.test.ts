import { assert, describe, it } from "@effect/vitest"
import { parseAbsoluteTarget, parseAuthority } from "../../src/outbound/Authority.ts"

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
