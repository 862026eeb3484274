/** What rules check is what the upstream gets, apart from the credential. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { METHODS } from "node:http"
import type * as Http2 from "node:http2"
import { injectionOf, requestHeaders } from "../../../src/outbound/HeaderInjection.ts"
import type { Origin } from "../../../src/proxy/routing/Origin.ts"
import { readHead, receivedOverHttp2, sameAuthority } from "../../../src/proxy/routing/RequestValidation.ts"
import type * as FakeUpstream from "../../support/FakeUpstream.ts"
import * as fc from "../../support/FastCheck.ts"
import { live } from "../../support/Fixture.ts"
import { makeUpstream, sessionTo } from "../../support/Http2Peers.ts"
import { originOf } from "../../support/InProcessRelay.ts"
import { propertyTest } from "../../support/PropertyTest.ts"
import { HOST, proxied } from "../../support/ProxiedHost.ts"
import { bearer, fakeDaemon, type HarnessOptions, MARKER, route } from "../../support/ProxyHarness.ts"

const rules = (allow: string): Partial<HarnessOptions> => ({
  rules: [{ allow: [allow], deny: [], readonly: false }],
  peer: "own"
})

/** What a server that reads bodies without a type as forms does with a request, as Rack does. */
const obeys = (type: string | undefined, body: string): string => {
  const isForm = type === undefined || type.includes("x-www-form-urlencoded")
  const form = new URLSearchParams(isForm ? body : "")
  return form.get("_method") ?? form.get("query") ?? "nothing"
}

const keepObeyed = (obeyed: Array<string>): FakeUpstream.Handler => (incoming, response) => {
  let body = ""
  incoming.on("data", (chunk: Buffer) => void (body += chunk.toString("latin1")))
  incoming.on("end", () => {
    obeyed.push(obeys(incoming.headers["content-type"], body))
    response.end()
  })
}

const GRAPHQL = "{\"query\":\"{viewer{login}}\",\"variables\":{\"x\":\"&query=mutation{deleteAll}&\"}}"
const QUERIES = `POST ${HOST}/graphql query`

/** Each with a body that means something else once its type is removed. */
const removedTypes: ReadonlyArray<readonly [how: string, rule: string, headers: string, body: string]> = [
  [
    "nominated by Connection",
    `POST ${HOST}/**`,
    "Content-Type: text/plain\r\nConnection: content-type\r\n",
    "_method=DELETE"
  ],
  ["with a placeholder", `POST ${HOST}/**`, `Content-Type: text/plain; a=${MARKER}\r\n`, "_method=DELETE"],
  [
    "nominated by Connection, for GraphQL",
    QUERIES,
    "Content-Type: application/json\r\nConnection: Content-Type\r\n",
    GRAPHQL
  ]
]

const withLength = (headers: string, body: string): string => `${headers}Content-Length: ${body.length}\r\n`

describe("the head of a request", () => {
  for (const [how, rule, headers, body] of removedTypes) {
    live(`has no Content-Type ${how}, so that the rules and the server read the body in the same way`, function*() {
      const obeyed: Array<string> = []
      const { exchange, forward, open } = yield* proxied(keepObeyed(obeyed), rules(rule))
      yield* exchange("POST /graphql", withLength(headers, body), body)
      yield* forward(`POST https://${HOST}/graphql`, `Host: ${HOST}\r\n${withLength(headers, body)}`, body)
      assert.deepStrictEqual(obeyed.filter((what) => what !== "nothing"), [])
      const { exchange: again } = yield* open()
      const plain = rule === QUERIES ? "{\"query\":\"{viewer{login}}\"}" : "a=b"
      const type = `Content-Type: ${rule === QUERIES ? "application/json" : "application/x-www-form-urlencoded"}\r\n`
      const before = obeyed.length
      assert.strictEqual((yield* again("POST /graphql", withLength(type, plain), plain)).status, 200)
      assert.lengthOf(obeyed, before + 1)
    })
  }

  live("has no Content-Type with a placeholder over HTTP/2", function*() {
    const obeyed: Array<string> = []
    const upstream = yield* makeUpstream((stream, headers) => {
      let body = ""
      stream.on("data", (chunk: Buffer) => void (body += chunk.toString("latin1")))
      stream.on("end", () => {
        obeyed.push(obeys(headers["content-type"], body))
        if (stream.closed) return
        stream.respond({ ":status": 200 })
        stream.end()
      })
    })
    const { session } = yield* sessionTo(upstream.port, rules(`POST ${HOST}/**`))
    const post = (type: string, body: string) =>
      Effect.promise(() =>
        new Promise<number>((resolve) => {
          const stream = session.request({ ":method": "POST", ":path": "/x", "content-type": type })
          stream.on("response", (head: Http2.IncomingHttpHeaders) => resolve(Number(head[":status"])))
          stream.on("error", () => resolve(0))
          stream.end(body)
        })
      )
    yield* post(`text/plain; a=${MARKER}`, "_method=DELETE")
    assert.deepStrictEqual(obeyed.filter((what) => what !== "nothing"), [])
    assert.strictEqual(yield* post("text/plain", "_method=DELETE"), 200)
  })

  live("has no Content-Type that contains the address of a base URL", function*() {
    const obeyed: Array<string> = []
    const daemon = fakeDaemon([route(HOST, "example")])
    const { forward, proxy } = yield* proxied(keepObeyed(obeyed), {
      ...rules(`POST ${HOST}/**`),
      daemon,
      baseUrl: true
    })
    const { variables } = yield* proxy.environment({ PATH: "/bin" })
    const path = new URL(`${variables["CREDSVC_BASE_URL"]}/${HOST}/x`).pathname
    const own = `Host: 127.0.0.1:${proxy.port}\r\n`
    const body = "_method=DELETE"
    yield* forward(
      `POST ${path}`,
      own + withLength(`Content-Type: text/plain; a="127.0.0.1:${proxy.port}"\r\n`, body),
      body
    )
    assert.deepStrictEqual(obeyed.filter((what) => what !== "nothing"), [])
    const plain = yield* forward(`POST ${path}`, own + withLength("Content-Type: text/plain\r\n", body), body)
    assert.strictEqual(plain.status, 200)
  })
})

const ADDRESS = "127.0.0.1:4711"
const origin: Origin = {
  ...originOf(HOST),
  sent: (raw) => raw.filter((_, i) => !raw[i - i % 2 + 1]!.includes(ADDRESS))
}
const name = fc.constantFrom(
  "Content-Type",
  "X-A",
  "x-a",
  "TE",
  "Connection",
  "Authorization",
  "Credsvc-Connection",
  "Accept",
  "Keep-Alive"
)
const value = fc.constantFrom(
  "a",
  "content-type",
  "x-a, Accept",
  "close",
  MARKER,
  `Bearer ${MARKER}--work`,
  `http://${ADDRESS}/`
)
const fields = fc.array(fc.tuple(name, value), { maxLength: 8 }).map((pairs) => pairs.flat())

describe("the header fields of a request", () => {
  propertyTest(1000)(
    "are those that the rules checked, except the credential",
    fields,
    fc.boolean(),
    (raw, isHttp2) => {
      const shape = {
        method: "POST",
        target: "/",
        authority: HOST,
        hasBody: true,
        upgrade: false,
        insideTunnel: true
      }
      const { head } = readHead(
        isHttp2
          ? receivedOverHttp2(
            [
              ":method",
              "POST",
              ":path",
              "/",
              ":scheme",
              "https",
              ":authority",
              HOST,
              ...raw.map((text, i) => i % 2 === 0 ? text.toLowerCase() : text)
            ],
            true,
            origin
          )
          : { ...shape, version: "HTTP/1.1", headers: raw },
        origin,
        []
      )
      const credential = bearer({ provider: "example", host: HOST, port: 443 } as never)
      const sent = requestHeaders(head.headers, HOST, injectionOf(credential))
      const isOwn = (lower: string) => lower === "authorization"
      const others = head.headers.filter((_, i) => !isOwn(head.headers[i - i % 2]!.toLowerCase()))
      assert.deepStrictEqual(sent, ["Host", HOST, ...others, ...sent.slice(-2)])
      assert.isFalse(sent.some((text) => text.includes(MARKER) || text.includes(ADDRESS)))
    }
  )
})

const pseudo = fc.record({
  method: fc.constantFrom("GET", "POST", "OPTIONS", "CONNECT", "TRACE", "get", "NO SUCH"),
  path: fc.constantFrom("/a?b", "/a#b", "*", "a", "", "//x", "/\\x"),
  authority: fc.constantFrom(HOST, `${HOST.toUpperCase()}.:443`, "other.example", `${HOST}:80`, `a@${HOST}`),
  others: fc.array(
    fc.constantFrom(["host", HOST], ["host", "other.example"], ["cookie", "a=b"], ["expect", "100-continue"]),
    { maxLength: 3 }
  )
})

describe("an accepted request over HTTP/2", () => {
  propertyTest(2000)(
    "is for the tunnel's host and can be sent over HTTP/1.1",
    pseudo,
    fc.boolean(),
    (given, hasBody) => {
      const fields = [":method", given.method, ":scheme", "https", ":authority", given.authority, ":path", given.path]
        .concat(...given.others)
      const { head: { headers, method, target }, refusal } = readHead(
        receivedOverHttp2(fields, hasBody, origin),
        origin,
        []
      )
      assert.isFalse(headers.some((text, i) => i % 2 === 0 && /^:(?:method|path|scheme|authority)$/.test(text)))
      if (refusal !== undefined) return
      assert.include([...METHODS, "LIST"], method)
      assert.notInclude(["CONNECT", "TRACE"], method)
      assert.isTrue(/^\/[^#]*$/.test(target) || (target === "*" && method === "OPTIONS"), target)
      for (const [i, text] of fields.entries()) {
        if (text === ":authority" || text === "host") {
          assert.isTrue(
            sameAuthority(fields[i + 1]!, origin),
            fields[i + 1]
          )
        }
      }
    }
  )
})
