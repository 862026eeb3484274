import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { canonicalHost } from "../../src/domain/HostPattern.ts"
import { formatAuthority, parseAbsoluteTarget, parseAuthority, parseName } from "../../src/outbound/Authority.ts"
import { seeded } from "../support/Seed.ts"

describe("parseAuthority", () => {
  const accepted: ReadonlyArray<readonly [string, string, number, string]> = [
    ["api.openai.com:443", "api.openai.com", 443, "name"],
    ["API.OpenAI.com:443", "api.openai.com", 443, "name"],
    ["api.openai.com.:443", "api.openai.com", 443, "name"],
    ["localhost:80", "localhost", 80, "name"],
    ["xn--bcher-kva.example:443", "xn--bcher-kva.example", 443, "name"],
    ["127.0.0.1:8080", "127.0.0.1", 8080, "ipv4"],
    ["[::1]:8080", "::1", 8080, "ipv6"],
    ["[2001:DB8::1]:443", "2001:db8::1", 443, "ipv6"],
    ["[::ffff:127.0.0.1]:1", "::ffff:127.0.0.1", 1, "ipv6"]
  ]
  for (const [text, host, port, kind] of accepted) {
    it(`reads ${text}`, () => assert.deepEqual(parseAuthority(text), { host, port, kind }))
  }

  const refused = [
    "",
    ":443",
    "api.openai.com",
    "api.openai.com:",
    "api.openai.com:0",
    "api.openai.com:0443",
    "api.openai.com:65536",
    "api.openai.com:443x",
    "api.openai.com:-1",
    "api.openai.com:4 4",
    "api.openai.com:443:443",
    "api.openai.com%2eevil.com:443",
    "api.openai.com%00.evil.com:443",
    "api.openai.com\0.evil.com:443",
    "user@api.openai.com:443",
    "evil.com\\@api.openai.com:443",
    "evil.com#api.openai.com:443",
    "evil.com/api.openai.com:443",
    "evil.com?api.openai.com:443",
    "api.openai.com:443/x",
    " api.openai.com:443",
    "api.openai.com :443",
    "api.openai.com\t:443",
    "api..openai.com:443",
    ".api.openai.com:443",
    "api.openai.com..:443",
    "-api.openai.com:443",
    "api-.openai.com:443",
    "api_x.openai.com:443",
    "api.openai.co\u212a:443", // the Kelvin sign becomes k in lower case
    "\uff41pi.openai.com:443",
    "api\u3002openai.com:443",
    "b\u00fccher.example:443",
    `${"a".repeat(64)}.example:443`,
    `${"a.".repeat(130)}example:443`,
    "0x7f.1:443",
    "0x7f000001:443",
    "127.1:443",
    "2130706433:443",
    "0177.0.0.1:443",
    "127.0.0.01:443",
    "256.0.0.1:443",
    "1.2.3.4.5:443",
    "1.2.3.4.:443",
    "api.example.1:443",
    "::1:443",
    "[::1]",
    "[::1]443",
    "[::1]:",
    "[:::1]:443",
    "[1:2:3:4:5:6:7:8:9]:443",
    "[::1::2]:443",
    "[fe80::1%25eth0]:443",
    "[api.openai.com]:443",
    "[127.0.0.1]:443",
    "[::256.0.0.1]:443"
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.isUndefined(parseAuthority(text)))
  }

  it.prop("accepts exactly the host names of the domain's own rules", [Schema.String], ([text]) => {
    const ours = parseAuthority(`${text}:443`)
    const theirs = canonicalHost(text)
    if (theirs !== undefined) assert.strictEqual(ours?.host, theirs)
    if (ours?.kind === "name" && ours.host.includes(".")) assert.strictEqual(theirs, ours.host)
  }, seeded)

  const fragment = Schema.Literals([
    "a",
    "B",
    "0",
    "-",
    ".",
    "..",
    "@",
    "%2e",
    "%",
    "_",
    " ",
    "\\",
    ":",
    "[",
    "]",
    "0x7f",
    "1",
    "evil",
    "com",
    "\u212a"
  ])
  it.prop("parses its own output to the same authority", [Schema.Array(fragment)], ([parts]) => {
    const read = parseAuthority(`${parts.join("")}:443`)
    if (read === undefined) return
    assert.deepStrictEqual(parseAuthority(formatAuthority(read)), read)
    assert.match(read.host, /^[a-z0-9.:-]+$/)
  }, seeded)
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
  for (
    const target of [
      "ftp://a.example/",
      "/path",
      "https:/a.example/",
      "https:a.example",
      "https://",
      "https://u:p@a.example/",
      "https://a.example:x/",
      "https://a.example\\@evil.test/",
      "https://a.example/#fragment"
    ]
  ) {
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
