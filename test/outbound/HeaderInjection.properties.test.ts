/** For any request and credential, the upstream gets the credential once in each of its places and nowhere else. */
import { assert, describe } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { PLACEHOLDER } from "../../src/domain/injection/Placeholder.ts"
import { requestFields } from "../../src/outbound/EndToEndFields.ts"
import {
  type Injection,
  injectionOf,
  loggedPath,
  requestHeaders as withCredential,
  requestTarget
} from "../../src/outbound/HeaderInjection.ts"
import * as fc from "../support/FastCheck.ts"
import { propertyTest } from "../support/PropertyTest.ts"

const requestHeaders = (
  raw: ReadonlyArray<string>,
  host: string,
  given: Injection | undefined
): ReadonlyArray<string> => withCredential(requestFields(raw, given?.placeholders ?? []).headers, host, given)

const HOST = "api.example.com"
const SECRET = "s3cret-Zq/7&+%= k"

const secretly = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))

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

const valuesOf = (flat: ReadonlyArray<string>, name: string) =>
  flat.flatMap((text, i) => i % 2 === 0 && text.toLowerCase() === name ? [flat[i + 1] ?? ""] : [])
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
    const hops = ["connection", "te", "trailer", "transfer-encoding", "upgrade", "proxy-authorization", "expect"]
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
