import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  canonicalHost,
  fillsTemplate,
  formatHost,
  loopbackLiteral,
  parseAddress,
  parseBaseUrl,
  parseHostPattern,
  patternsOverlap,
  templateSuffix
} from "../../../src/domain/definition/HostPattern.ts"

describe("canonicalHost", () => {
  it("rejects every spelling except a full LDH name", () => {
    const hosts = [
      "",
      ".",
      "localhost",
      "api.acme.dev%2eevil.com",
      "api%2eacme.dev",
      "ａpi.acme.dev",
      "api.acme。dev",
      "api.acme.dev\u0000",
      "api.acme.dev ",
      "user@api.acme.dev",
      "api_x.acme.dev",
      "-api.acme.dev",
      "api-.acme.dev",
      "api..acme.dev",
      "api.acme.dev..",
      "127.0.0.1",
      "127.1",
      "2130706433",
      "0x7f.1",
      "0x7f.0.0.0x1",
      "[::1]",
      "::1",
      "api.acme.dev:443",
      "api.acme.dev\\evil.com",
      "\u212Aelvin.acme.dev",
      `${"a".repeat(64)}.dev`,
      `${"a.".repeat(130)}dev`
    ]
    for (const host of hosts) {
      assert.strictEqual(canonicalHost(host), undefined, host)
    }
  })

  it("lower-cases ASCII and drops one trailing dot", () => {
    assert.strictEqual(canonicalHost("API.Acme.DEV."), "api.acme.dev")
    assert.strictEqual(canonicalHost("xn--bcher-kva.example"), "xn--bcher-kva.example")
  })
})

describe("loopbackLiteral", () => {
  it("accepts only one spelling of each loopback address", () => {
    for (const address of ["127.0.0.1", "127.255.0.9", "[::1]"]) assert.strictEqual(loopbackLiteral(address), address)
    const addresses = [
      "127.1",
      "127.0.0.01",
      "127.0.0.256",
      "0x7f.0.0.1",
      "::1",
      "[::ffff:127.0.0.1]",
      "128.0.0.1",
      "[0::1]",
      "0.0.0.0"
    ]
    for (const address of addresses) {
      assert.strictEqual(loopbackLiteral(address), undefined, address)
    }
  })
})

describe("parseHostPattern", () => {
  it("parses host, wildcard, port and path prefix, and formats them again", () => {
    const read = (text: string) => Result.getOrThrow(parseHostPattern(text))
    assert.deepStrictEqual(read("API.acme.dev"), { labels: [], host: "api.acme.dev", port: 443, pathPrefix: "" })
    assert.deepStrictEqual(read("*.acme.dev:8443/v1/"), {
      labels: ["*"],
      host: "acme.dev",
      port: 8443,
      pathPrefix: "/v1"
    })
    assert.strictEqual(formatHost(read("*.acme.dev:8443/v1")), "*.acme.dev:8443")
    assert.strictEqual(formatHost(read("acme.dev:443")), "acme.dev")
    assert.strictEqual(formatHost(read("*.s3.{region}.ACME.dev")), "*.s3.*.acme.dev")
  })
})

describe("patternsOverlap", () => {
  const overlap = (one: string, other: string) => {
    const [left, right] = [one, other].map((text) => Result.getOrThrow(parseHostPattern(text)))
    const found = patternsOverlap(left!, right!)
    assert.strictEqual(patternsOverlap(right!, left!), found, `${other} ${one}`)
    return found
  }

  it("finds an overlap with the same host, a host below a wildcard, and a path below a path", () => {
    const cases = [
      ["api.acme.dev", "API.acme.dev.:443"],
      ["*.acme.dev", "api.acme.dev"],
      ["*.acme.dev", "*.acme.dev/v1"],
      ["api.acme.dev", "api.acme.dev/v1"],
      ["*.acme.dev/v1", "api.acme.dev/v1/chat"],
      ["*.s3.acme.dev", "bucket.*.acme.dev"],
      ["*.{region}.acme.dev", "api.v1.acme.dev"]
    ] as const
    for (const [one, other] of cases) assert.isTrue(overlap(one, other), `${one} ${other}`)
  })

  it("finds no overlap between different ports, names of different depths, and paths that only begin alike", () => {
    const rows = [
      ["api.acme.dev", "api.acme.dev:8443"],
      ["*.acme.dev:8443", "api.acme.dev"],
      ["*.acme.dev", "acme.dev"],
      ["*.acme.dev", "a.b.acme.dev"],
      ["*.acme.dev", "*.api.acme.dev"],
      ["*.s3.acme.dev", "*.s4.acme.dev"],
      ["api.acme.dev/v1", "api.acme.dev/v10"],
      ["api.acme.dev/v1", "*.acme.dev/v2"]
    ] as const
    for (const [one, other] of rows) assert.isFalse(overlap(one, other), `${one} ${other}`)
  })
})

describe("parseAddress", () => {
  it("splits a URL without normalizing it", () => {
    assert.deepStrictEqual(Result.getOrThrow(parseAddress("https://API.acme.dev/a/%2e%2E?b#c")), {
      scheme: "https",
      host: "api.acme.dev",
      port: 443,
      rest: "/a/%2e%2E?b#c"
    })
  })

  it("accepts http only on a loopback literal, and only if allowed", () => {
    const accepts = (text: string, allowInsecureLoopback: boolean) =>
      Result.isSuccess(parseAddress(text, { allowInsecureLoopback }))
    assert.isTrue(accepts("http://127.0.0.1:8080/x", true))
    assert.isTrue(accepts("https://[::1]/x", true))
    assert.isFalse(accepts("http://127.0.0.1:8080/x", false))
    assert.isFalse(accepts("http://acme.dev/x", true))
    assert.isFalse(accepts("http://169.254.169.254/x", true))
  })

  it("reports what is wrong with the host of a URL", () => {
    const problem = (text: string) => Result.getOrThrow(Result.flip(parseAddress(text)))
    assert.strictEqual(problem("https://intranet/x"), "must have a full DNS name of letters, digits and hyphens")
    assert.strictEqual(
      problem("http://localhost:8080/x"),
      "must have 127.0.0.1 with --allow-insecure-loopback instead of localhost"
    )
  })
})

describe("parseBaseUrl", () => {
  it("returns one canonical form", () => {
    const href = (text: string) => Result.getOrThrow(parseBaseUrl(text)).href
    assert.strictEqual(href("HTTPS://Git.Acme.DEV:443/"), "https://git.acme.dev")
    assert.strictEqual(href("https://git.acme.dev.:8443/sub/path/"), "https://git.acme.dev:8443/sub/path")
  })

  it("rejects text that could hide another address", () => {
    const texts = [
      "https://a.dev/?x",
      "https://a.dev/#x",
      "https://a.dev/..",
      "https://a.dev/%2e%2e",
      "https://a.dev//x",
      "https://a@b.dev",
      "https://a.dev\\@b.dev",
      "https:/a.dev",
      "https://a.dev /"
    ]
    for (const text of texts) {
      assert.isTrue(Result.isFailure(parseBaseUrl(text)), text)
    }
  })
})

describe("fillsTemplate", () => {
  const fills = (template: string, url: string) => fillsTemplate(template, Result.getOrThrow(parseBaseUrl(url)))

  it("accepts one label or segment per placeholder, and no other change", () => {
    assert.isTrue(fills("https://{t}.acme.dev", "https://x-1.acme.dev"))
    assert.isTrue(fills("https://{t}.{r}.acme.dev/api", "https://x.eu.acme.dev/api"))
    assert.isTrue(fills("https://acme.dev/{t}/api", "https://acme.dev/x/api"))
    assert.isFalse(fills("https://{t}.acme.dev", "https://x.y.acme.dev"))
    assert.isFalse(fills("https://{t}.acme.dev", "https://x.acme.dev.evil.test"))
    assert.isFalse(fills("https://{t}.acme.dev", "https://x.acme.dev:444"))
    assert.isFalse(fills("https://{t}.acme.dev", "https://x.acme.dev/y"))
    assert.isFalse(fills("https://acme.dev/{t}/api", "https://acme.dev/x/y/api"))
    assert.isFalse(fills("https://acme.dev/{t}/api", "https://evil.test/x/api"))
  })
})

describe("templateSuffix", () => {
  it("is the part of the host after its last placeholder", () => {
    assert.strictEqual(templateSuffix("https://{t}.{r}.Acme.dev:1/{p}"), "acme.dev")
    assert.strictEqual(templateSuffix("https://acme.{tld}"), "")
  })
})
