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
  flat.flatMap((text, i) => i % 2 === 0 && text.toLowerCase() === name.toLowerCase() ? [flat[i + 1]] : [])

describe("requestHeaders", () => {
  const bearer = injection({ Authorization: "Bearer s3cret" })
  const AUTHORIZED = ["Host", HOST, "Authorization", "Bearer s3cret"]
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

  it("sets exactly one credential for any request of the client", () => {
    const raw = ["authorization", "a", "AUTHORIZATION", "b", "Authorization", `Bearer ${PLACEHOLDER}`]
    assert.deepStrictEqual(requestHeaders(raw, HOST, bearer), AUTHORIZED)
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

  it("removes headers with placeholders other than the credential's, because an upstream may echo them", () => {
    const headers = ["Idempotency-Key", "X-Request-Id", "User-Agent", "Cookie", "Origin", "Referer", "X-Client-Token"]
    const two = injection({ "x-id": "1", "x-key": "2" })
    for (const word of [PLACEHOLDER, `sk-ant-${PLACEHOLDER}`, `v1 AC${PLACEHOLDER}_0;q`]) {
      for (const name of headers) {
        assert.deepStrictEqual(requestHeaders([name, word], HOST, bearer), AUTHORIZED)
        for (const given of [two, undefined]) assert.deepStrictEqual(sent(name, [name, word], given), [])
      }
    }
  })

  it("removes the placeholder from the offered subprotocols and keeps the others", () => {
    const name = "Sec-WebSocket-Protocol"
    const offered = `realtime, insecure-api-key.${PLACEHOLDER}, beta-v1`
    for (const given of [bearer, undefined]) {
      assert.deepStrictEqual(sent(name, [name, offered], given), ["realtime, beta-v1"])
    }
    assert.deepStrictEqual(sent(name, [name, PLACEHOLDER], bearer), [])
  })

  it("removes hop-by-hop fields before it sets the credential", () => {
    const raw = ["Connection", "Authorization, X-Drop", "X-Drop", "1", "Keep-Alive", "timeout=5", "TE", "trailers"]
    assert.deepStrictEqual(requestHeaders(raw, HOST, bearer), AUTHORIZED)
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

  it("replaces every value of the parameter, in any spelling of its name", () => {
    assert.strictEqual(requestTarget(`/a?key=1&b=2&k%65y=3&KEY=4&key`, key), "/a?b=2&key=s%26%3D")
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
