import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { PLACEHOLDER } from "../../src/domain/injection/Placeholder.ts"
import type { Placements } from "../../src/domain/wire/Resolve.ts"
import { SecretSearch } from "../../src/http/scrub/SecretSearch.ts"
import { requestFields } from "../../src/outbound/EndToEndFields.ts"
import {
  type Injection,
  injectionOf,
  loggedPath,
  requestHeaders as withCredential,
  requestTarget,
  requestTrailers,
  responseHeaders
} from "../../src/outbound/HeaderInjection.ts"
import * as fc from "../support/FastCheck.ts"
import { propertyTest } from "../support/PropertyTest.ts"

const requestHeaders = (
  raw: ReadonlyArray<string>,
  host: string,
  given: Injection | undefined
): ReadonlyArray<string> => withCredential(requestFields(raw, given?.placeholders ?? []).headers, host, given)

const secretly = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))

const injection = (
  headers: Readonly<Record<string, string>>,
  more: {
    readonly query?: Readonly<Record<string, string>>
    readonly path?: Readonly<Record<string, string>>
    readonly defaults?: Readonly<Record<string, string>>
    readonly strip?: Partial<Placements["strip"]>
  } = {}
) =>
  injectionOf({
    headers: secretly(headers),
    query: secretly(more.query ?? {}),
    path: secretly(more.path ?? {}),
    defaults: secretly(more.defaults ?? {}),
    secrets: [],
    strip: { headers: [], query: [], ...more.strip }
  })

const HOST = "api.example.com"
const valuesOf = (flat: ReadonlyArray<string>, name: string) =>
  flat.flatMap((text, i) => i % 2 === 0 && text.toLowerCase() === name.toLowerCase() ? [flat[i + 1] ?? ""] : [])

describe("requestHeaders", () => {
  const bearer = injection({ Authorization: "Bearer s3cret" })
  /** The values of a field that is sent for a request with these fields. */
  const sent = (name: string, raw: ReadonlyArray<string>, given: ReturnType<typeof injection> | undefined) =>
    valuesOf(requestHeaders(raw, HOST, given), name)

  it("keeps end-to-end fields in order and spelling, including repeated ones", () => {
    const raw = ["Accept", "*/*", "x-a", "1", "X-A", "2", "Cookie", "c=1", "Content-Length", "3"]
    assert.deepStrictEqual(requestHeaders(raw, HOST, undefined), ["Host", HOST, ...raw])
  })

  it("excludes every field that may contain the credential from header compression (RFC 7541 section 7.1.3)", () => {
    const { secret } = injection({ apikey: "s3cret" }, { defaults: { Authorization: "Bearer s3cret" } })
    assert.deepStrictEqual(secret, ["apikey", "authorization"])
    assert.deepStrictEqual(injection({}, { query: { key: "s3cret" } }).secret, [":path"])
  })

  it("removes other credential fields of the provider", () => {
    const both = injection({ "x-api-key": "s3cret" }, { strip: { headers: ["authorization"] } })
    const headers = requestHeaders(["Authorization", "Bearer own"], HOST, both)
    assert.deepStrictEqual(headers, ["Host", HOST, "x-api-key", "s3cret"])
  })

  it("removes an exact placeholder of the provider wherever it would remove the usual placeholder", () => {
    const exact = "sbp_c0ffee15900d15ade1"
    const key = injection({ "x-api-key": "s3cret" }, { strip: { placeholders: [exact] } })
    const basic = `Basic ${Buffer.from(`${exact}:`).toString("base64")}`
    for (const value of [`Bearer ${exact}`, basic]) {
      assert.deepStrictEqual(sent("authorization", ["Authorization", value], key), [])
    }
    assert.deepStrictEqual(sent("x-trace", ["X-Trace", exact], key), [])
    assert.deepStrictEqual(sent("x-trace", ["X-Trace", exact], injection({ "x-api-key": "s3cret" })), [exact])
    const offered = ["Sec-WebSocket-Protocol", `json, key.${exact}`]
    assert.deepStrictEqual(sent("sec-websocket-protocol", offered, key), ["json"])
    assert.deepStrictEqual(requestTrailers(["X-Trace", exact, "X-Sum", "1"], key), ["X-Sum", "1"])
    assert.strictEqual(requestTarget(`/v1?own=1&key=${exact}`, key), "/v1?own=1")
  })

  it("replaces an exact placeholder in the path and in an encoded parameter", () => {
    const path = injection({}, {
      path: { "/bot{api_key}": "/bot42:s3cret" },
      strip: { placeholders: ["7:exact-placeholder"] }
    })
    assert.strictEqual(requestTarget("/bot7:exact-placeholder/getMe", path), "/bot42:s3cret/getMe")
    const query = injection({}, { query: { key: "s3cret" }, strip: { placeholders: ["7:exact-placeholder"] } })
    assert.strictEqual(requestTarget("/v1?token=7%3Aexact-placeholder", query), "/v1?key=s3cret")
  })

  it("removes the placeholder from credential fields other than the injected one", () => {
    const key = injection({ "x-api-key": "s3cret" })
    const basic = `Basic ${Buffer.from(`${PLACEHOLDER}:`).toString("base64")}`
    for (const value of [`Bearer ${PLACEHOLDER}`, basic]) {
      assert.deepStrictEqual(sent("authorization", ["Authorization", value], key), [])
    }
    assert.deepStrictEqual(sent("authorization", ["Authorization", "Bearer own"], key), ["Bearer own"])
  })

  it("removes the placeholder from the offered subprotocols and keeps the others", () => {
    const name = "Sec-WebSocket-Protocol"
    const offered = `realtime, insecure-api-key.${PLACEHOLDER}, beta-v1`
    for (const given of [bearer, undefined]) {
      assert.deepStrictEqual(sent(name, [name, offered], given), ["realtime, beta-v1"])
    }
    assert.deepStrictEqual(sent(name, [name, PLACEHOLDER], bearer), [])
  })

  it("does not remove framing fields that Connection names", () => {
    const raw = ["Connection", "content-length, host", "Content-Length", "4"]
    assert.deepStrictEqual(sent("content-length", raw, bearer), ["4"])
  })

  it("sets a default only if the request has no such field", () => {
    const versioned = injection({ "x-api-key": "k" }, { defaults: { "anthropic-version": "2023-06-01" } })
    assert.deepStrictEqual(sent("anthropic-version", [], versioned), ["2023-06-01"])
    assert.deepStrictEqual(sent("anthropic-version", ["Anthropic-Version", "own"], versioned), ["own"])
  })

  for (const value of ["a\r\nX: 1", "a\nb", "a\0b", "snow \u2603"]) {
    it(`rejects the stored value ${JSON.stringify(value)} without disclosing it`, () => {
      try {
        injection({ Authorization: `Bearer ${value}` })
        assert.fail("it was accepted")
      } catch (error) {
        assert.match(String(error), /cannot be sent in the header Authorization/)
        assert.notInclude(String(error), value)
      }
    })
  }

  it("refuses to set a field for framing or routing", () => {
    for (const name of ["Connection", "Transfer-Encoding", "Proxy-Authorization", "a b", ""]) {
      assert.throws(() => injection({ [name]: "x" }))
    }
  })
})

describe("requestTarget", () => {
  const key = injection({}, { query: { key: "s&=" } })

  it("adds a missing parameter, with and without a query", () => {
    assert.strictEqual(requestTarget("/a", key), "/a?key=s%26%3D")
    assert.strictEqual(requestTarget("/a?b=1", key), "/a?b=1&key=s%26%3D")
    assert.strictEqual(requestTarget("/a?", key), "/a?&key=s%26%3D")
  })

  it("keeps every other byte of the query", () => {
    const query = "/a?x=%2f+%zz&&y&=&q=a%20b"
    assert.strictEqual(requestTarget(query, injection({ Authorization: "Bearer s" })), query)
    assert.strictEqual(requestTarget(query, key), `${query}&key=s%26%3D`)
  })

  it("removes parameters with the placeholder, and the provider's other credential parameters", () => {
    const bearer = injection({ Authorization: "Bearer a/b" }, { strip: { query: ["api_key"] } })
    assert.strictEqual(requestTarget(`/a?t=${PLACEHOLDER}&page=2&api_key=x&u=x-${PLACEHOLDER}`, bearer), "/a?page=2")
    assert.strictEqual(requestTarget(`/a?t=${PLACEHOLDER}`, injection({ "x-key": "s" })), "/a")
    assert.strictEqual(requestTarget("/a?api_key=x", bearer), "/a")
  })

  describe("with a credential in the path", () => {
    const bot = injection({}, { path: { "/bot{t}": "/bot1:s3cret-token", "/file/bot{t}": "/file/bot1:s3cret-token" } })
    const account = injection({ Authorization: "Basic x" }, {
      path: { "/v1/Accounts/{sid}": "/v1/Accounts/AC123456", "/v1/Accounts/{sid}.json": "/v1/Accounts/AC123456.json" }
    })

    it("replaces the placeholder in the templated segment", () => {
      assert.strictEqual(requestTarget(`/bot1:${PLACEHOLDER}/getMe?a=1`, bot), "/bot1:s3cret-token/getMe?a=1")
      assert.strictEqual(requestTarget(`/bot1%3A${PLACEHOLDER}`, bot), "/bot1:s3cret-token")
      assert.strictEqual(requestTarget(`/file/bot${PLACEHOLDER}/a/b.jpg`, bot), "/file/bot1:s3cret-token/a/b.jpg")
      assert.strictEqual(
        requestTarget(`/v1/Accounts/AC${PLACEHOLDER}/Messages.json`, account),
        "/v1/Accounts/AC123456/Messages.json"
      )
      assert.strictEqual(requestTarget(`/v1/Accounts/AC${PLACEHOLDER}.json`, account), "/v1/Accounts/AC123456.json")
    })

    it("does not replace the placeholder anywhere else, because an upstream may echo it", () => {
      const elsewhere = ["/?/bot1/getMe", "/x/bot1:?/getMe", "//bot1:?/getMe", "/%62ot1:?/getMe", "/BOT1:?/getMe"]
      const others = [...elsewhere, "/bot1:own/?", "/file/?", "/bot1:own/getMe", "/bot", "/"].map((target) =>
        target.replace("?", PLACEHOLDER)
      )
      for (const target of others) assert.strictEqual(requestTarget(target, bot), target)
    })

    it("keeps an identifier of the client in the templated segment", () => {
      assert.strictEqual(requestTarget("/v1/Accounts/AC999/Calls", account), "/v1/Accounts/AC999/Calls")
    })

    it("sets query parameters", () => {
      const both = injection({}, { path: { "/{t}": "/a%2Fb" }, query: { key: "k" } })
      assert.strictEqual(requestTarget(`/${PLACEHOLDER}/x?key=${PLACEHOLDER}&b=1`, both), "/a%2Fb/x?b=1&key=k")
      assert.strictEqual(requestTarget(`/${PLACEHOLDER}`, both), "/a%2Fb?key=k")
    })

    it("keeps the credential out of logs", () => {
      assert.strictEqual(loggedPath("/bot1:childs-own/getMe?a=1#b", bot), `/bot${PLACEHOLDER}/getMe`)
      assert.strictEqual(loggedPath("/x/y?token=1", bot), "/x/y")
    })
  })

  it("shortens every path segment in logs that could be a token", () => {
    const logged = (target: string) => loggedPath(target, injection({}))
    const token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
    assert.strictEqual(logged(`/bot${token}/getMe`), "/bot110.../getMe")
    assert.strictEqual(logged(`/api/webhooks/123/${"aB3_".repeat(17)}`), "/api/webhooks/123/aB3_aB...")
    assert.strictEqual(logged(`/${"x".repeat(32)}#/${token}`), "/xxxxxx...")
    const unchanged = [
      `/${"x".repeat(31)}`,
      "/v1/chat/completions",
      "/repos/acme/a-repository-with-a-name/commits/0123456789abcdef0123456789abcdef01234567",
      "/v1/users/0191e0b2-7d0a-7bbb-8ccc-0123456789ab/items"
    ]
    for (const path of unchanged) assert.strictEqual(logged(path), path)
  })

  it("changes nothing without a credential", () => {
    assert.strictEqual(requestTarget(`/a?t=${PLACEHOLDER}`, undefined), `/a?t=${PLACEHOLDER}`)
  })
})

describe("responseHeaders", () => {
  it("removes hop-by-hop fields and fields that Connection names", () => {
    const hops = ["Connection", "X-Hop, close", "X-Hop", "1", "Transfer-Encoding", "chunked"]
    const raw = [...hops, "Set-Cookie", "a", "set-cookie", "b"]
    assert.deepStrictEqual(responseHeaders(raw, false), ["Set-Cookie", "a", "set-cookie", "b"])
  })
  it("removes a secret of the URL, which a redirect may repeat", () => {
    const search = new SecretSearch(["s3cret&c="], PLACEHOLDER)
    const urls = (location: string, link: string) => ["Location", location, "Link", link, "X", "1"]
    assert.deepStrictEqual(
      responseHeaders(
        urls("/b?key=s3cret%26c%3D&x=1", "<https://evil.test/?key=s3cret&c=>; rel=next"),
        false,
        search
      ),
      urls(`/b?key=${PLACEHOLDER}&x=1`, `<https://evil.test/?key=${PLACEHOLDER}>; rel=next`)
    )
    for (const text of ["s3cret&c=", "s3cret%26c%3d", "s3cret%2526c%253D", "s3cret%26c="]) {
      const headers = responseHeaders(["X", `/a?next=${text}`], false, search)
      assert.deepStrictEqual(headers, ["X", `/a?next=${PLACEHOLDER}`])
    }
    for (const text of ["%733cret&c=", "s3cret%25252526c=", "%2573%33cre%74&c%3D"]) {
      assert.deepStrictEqual(responseHeaders(["X", `/a?next=${text}`, "Y", "%41"], false, search), [
        "X",
        PLACEHOLDER,
        "Y",
        "%41"
      ])
    }
    const spaced = new SecretSearch(["two words é"], PLACEHOLDER)
    for (const text of ["two+words+%c3%a9", "two%20words%20%C3%A9", "two words \xc3\xa9"]) {
      assert.deepStrictEqual(responseHeaders(["X", text], false, spaced), ["X", PLACEHOLDER])
    }
  })
  it("keeps Trailer only if trailers can follow", () => {
    assert.deepStrictEqual(responseHeaders(["Trailer", "X"], true), ["Trailer", "X"])
    assert.deepStrictEqual(responseHeaders(["Trailer", "X"], false), [])
  })
})

// For any request and credential, the upstream gets the credential once in each of its places and nowhere else.

const SECRET = "s3cret-Zq/7&+%= k"

/** Any spelling of a name in upper and lower case. */
const spelled = (name: string) =>
  fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }).map((upper) =>
    [...name].map((letter, i) => upper[i] === true ? letter.toUpperCase() : letter.toLowerCase()).join("")
  )

const headerName = fc.oneof(
  ...["Authorization", "X-Api-Key", "X-Default", "Cookie", "Host", "Connection", "Transfer-Encoding", "Content-Length"]
    .map(
      spelled
    ),
  ...["Upgrade", "TE", "Trailer", "Expect", "Keep-Alive", "Proxy-Authorization", "Sec-WebSocket-Protocol"].map(spelled),
  fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/)
)
const headerValue = fc.oneof(
  fc.constantFrom(
    PLACEHOLDER,
    `Bearer ${PLACEHOLDER}`,
    `Basic ${Buffer.from(`${PLACEHOLDER}:x`).toString("base64")}`,
    `basic ${Buffer.from(`x:sk-${PLACEHOLDER}`).toString("base64")}`,
    `a, ${PLACEHOLDER}, b`,
    "authorization, x-api-key, x-default",
    "close",
    "keep-alive, Authorization",
    "{api_key}",
    ""
  ),
  fc.stringMatching(/^[\x20-\x7e]{0,20}$/)
)
const rawHeaders = fc.array(fc.tuple(headerName, headerValue), { maxLength: 12 }).map((pairs) => pairs.flat())

const credential = fc.record({
  authorization: fc.boolean(),
  key: fc.boolean(),
  fallback: fc.boolean(),
  parameter: fc.boolean(),
  path: fc.boolean(),
  strip: fc.boolean()
}).map(({ authorization, fallback, key, parameter, path, strip }) => ({
  headers: {
    ...(authorization ? { Authorization: `Bearer ${SECRET}` } : {}),
    ...(key ? { "x-api-key": SECRET } : {})
  },
  defaults: fallback ? { "X-Default": SECRET } : {},
  query: parameter ? { key: SECRET } : {},
  path: path
    ? { "/bot{t}": `/bot${encodeURIComponent(SECRET)}`, "/file/bot{t}": `/file/bot${encodeURIComponent(SECRET)}` }
    : {},
  strip: { headers: strip ? ["authorization", "x-api-key"] : [], query: strip ? ["key", "token"] : [] }
}))
type Credential = typeof credential extends fc.Arbitrary<infer A> ? A : never

const injectionFor = (given: Credential): Injection =>
  injectionOf({
    headers: secretly(given.headers),
    defaults: secretly(given.defaults),
    query: secretly(given.query),
    path: secretly(given.path),
    secrets: [],
    strip: given.strip
  })

const occurrences = (text: string, part: string) => text.split(part).length - 1

const holds = propertyTest(1000)

describe("requestHeaders, for any headers and any credential", () => {
  holds("sets each field of the credential once, and puts it nowhere else", rawHeaders, credential, (raw, given) => {
    const out = requestHeaders(raw, HOST, injectionFor(given))
    for (const [name, value] of Object.entries(given.headers)) {
      assert.deepStrictEqual(valuesOf(out, name.toLowerCase()), [value])
    }
    const own = valuesOf(out, "x-default")
    const filled = given.defaults["X-Default"] !== undefined && own.length === 1 && own[0] === SECRET
    assert.strictEqual(occurrences(out.join("\n"), SECRET), Object.keys(given.headers).length + (filled ? 1 : 0))
  })

  holds(
    "removes every placeholder, also in HTTP Basic, with or without a credential",
    rawHeaders,
    fc.option(credential),
    (raw, given) => {
      const out = requestHeaders(raw, HOST, given === null ? undefined : injectionFor(given))
      assert.notInclude(out.join("\n"), PLACEHOLDER)
      for (const value of valuesOf(out, "authorization")) {
        assert.notInclude(Buffer.from(value.replace(/^basic /i, ""), "base64").toString(), PLACEHOLDER)
      }
    }
  )

  holds("sets Host once, removes hop-by-hop fields and adds no others", rawHeaders, credential, (raw, given) => {
    const out = requestHeaders(raw, HOST, injectionFor(given))
    assert.deepStrictEqual(valuesOf(out, "host"), [HOST])
    const hops = "connection keep-alive te trailer transfer-encoding upgrade proxy-authorization expect".split(" ")
    for (const name of hops) assert.deepStrictEqual(valuesOf(out, name), [])
    const known = new Set([
      "host",
      ...raw.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase()),
      ...Object.keys({ ...given.headers, ...given.defaults }).map((name) => name.toLowerCase())
    ])
    for (let i = 0; i < out.length; i += 2) assert.isTrue(known.has(out[i]!.toLowerCase()), out[i])
  })

  const plain = fc.array(fc.tuple(fc.stringMatching(/^x-[a-c]{1,3}$/), fc.stringMatching(/^[a-z ]{0,8}$/)))
  holds("keeps every other end-to-end field in order", plain, credential, (pairs, given) => {
    const out = requestHeaders(pairs.flat(), HOST, injectionFor(given))
    assert.deepStrictEqual(out.slice(2, 2 + pairs.length * 2), pairs.flat())
  })
})

const segment = fc.oneof(
  fc.constantFrom("bot", ...["bot", "bot1:", "", "Bot"].map((start) => `${start}${PLACEHOLDER}`), "..", "%2e%2e", ""),
  fc.stringMatching(/^[a-zA-Z0-9._~!$&'()*+,;=:@%-]{0,6}$/)
)
const parameter = fc.tuple(
  fc.oneof(fc.constantFrom("key", "KEY", "k%65y", "token", "%6bey", "a", ""), fc.stringMatching(/^[a-z%0-9+]{0,4}$/)),
  fc.constantFrom("", "=", "=1", `=${PLACEHOLDER}`, `=sk-${PLACEHOLDER}`, "=%zz", "==")
).map((parts) => parts.join(""))
const target = fc.tuple(
  fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`),
  fc.option(fc.array(parameter, { maxLength: 5 }).map((parameters) => parameters.join("&")))
).map(([path, query]) => query === null ? path : `${path}?${query}`)

const encoded = encodeURIComponent(SECRET)

describe("requestTarget, for any target and any credential", () => {
  holds("fills the templated path segment, and the parameter once", target, credential, (given, chosen) => {
    const out = requestTarget(given, injectionFor(chosen))
    const [path = "", ...query] = out.split("?")
    const [was = ""] = given.split("?")
    const expected = "/bot{t}" in chosen.path
      ? was.replace(new RegExp(`^(/file)?/bot[^/]*${PLACEHOLDER}[^/]*`), `$1/bot${encoded}`)
      : was
    assert.strictEqual(path, expected)
    assert.strictEqual(occurrences(query.join("?"), encoded), Object.keys(chosen.query).length)
    assert.notInclude(query.join("?"), PLACEHOLDER)
    assert.notInclude(out, SECRET)
  })

  holds(
    "leaves one value of each parameter of the credential, however a server reads names",
    target,
    credential,
    (given, chosen) => {
      const out = requestTarget(given, injectionFor(chosen))
      const names = [...new URLSearchParams(out.split("?")[1] ?? "")].map(([name]) => name.toLowerCase())
      const expected = Object.keys(chosen.query).length
      if (expected > 0 || chosen.strip.query.length > 0) {
        assert.strictEqual(names.filter((name) => name === "key").length, expected)
      }
    }
  )

  holds("keeps a valid request target valid", target, credential, (given, chosen) => {
    assert.match(requestTarget(given, injectionFor(chosen)), /^\/[\x21-\x7e]*$/)
  })

  holds("keeps credentials out of logs", target, credential, (given, chosen) => {
    const injection = injectionFor(chosen)
    const logged = loggedPath(requestTarget(given, injection), injection)
    assert.notInclude(logged, encoded)
    assert.notInclude(logged, "?")
  })
})
