import { assert, describe, it } from "@effect/vitest"
import { PLACEHOLDER } from "../../src/domain/injection/Placeholder.ts"
import { valuesOf } from "../../src/http/HeaderFields.ts"
import { requestFields } from "../../src/outbound/EndToEndFields.ts"
import {
  type Injection,
  requestHeaders as withCredential,
  requestTrailers
} from "../../src/outbound/HeaderInjection.ts"
import * as fc from "../support/FastCheck.ts"
import { credential, injection, injectionFor, occurrences, SECRET } from "../support/Injections.ts"
import { propertyTest } from "../support/PropertyTest.ts"

const requestHeaders = (
  raw: ReadonlyArray<string>,
  host: string,
  given: Injection | undefined
): ReadonlyArray<string> => withCredential(requestFields(raw, given?.placeholders ?? []).headers, host, given)

const HOST = "api.example.com"

describe("requestHeaders", () => {
  const bearer = injection({ Authorization: "Bearer s3cret" })
  /** The values of a field that is sent for a request with these fields. */
  const sent = (name: string, raw: ReadonlyArray<string>, given: ReturnType<typeof injection> | undefined) =>
    valuesOf(requestHeaders(raw, HOST, given), name.toLowerCase())

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

// For any request and credential, the upstream gets the credential once in each of its places and nowhere else.

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
