/** A limited run sends what its rules have checked, in one form; other runs send what the client sent. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as http from "node:http"
import type { RuleSet } from "../../../src/domain/rules/RuleSchemas.ts"
import type { ResponseReceiver } from "../../../src/http/OutgoingRequest.ts"
import { RequestBody } from "../../../src/http/RequestBody.ts"
import { Exchange } from "../../../src/proxy/exchange/Exchange.ts"
import { readHead, receivedOverHttp2 } from "../../../src/proxy/routing/RequestValidation.ts"
import type * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live } from "../../support/Fixture.ts"
import { get, makeUpstream, post, responseOf, sessionTo } from "../../support/Http2Peers.ts"
import { contextTo, originOf } from "../../support/InProcessRelay.ts"
import { HOST, proxied } from "../../support/ProxiedHost.ts"
import type { HarnessOptions } from "../../support/ProxyHarness.ts"

const limited = (...allow: ReadonlyArray<string>): Partial<HarnessOptions> => ({
  rules: [{ allow, deny: [], readonly: false }]
})

interface Arrived {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly trailers: NodeJS.Dict<string>
  readonly body: string
}

const keep = (arrived: Array<Arrived>): FakeUpstream.Handler => (incoming, response) => {
  const chunks: Array<Buffer> = []
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
  incoming.on("end", () => {
    const { headers, method, trailers, url } = incoming
    arrived.push({ method, url, headers, trailers, body: Buffer.concat(chunks).toString("utf8") })
    response.end()
  })
}

const json = (body: string): string =>
  `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
const chunkedForm =
  "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\nTrailer: x-http-method-override\r\n"

describe("a limited run", () => {
  live(
    "sends a GraphQL document in the form that the proxy has parsed, and the rest of the request unchanged",
    function*() {
      const arrived: Array<Arrived> = []
      const { exchange } = yield* proxied(keep(arrived), limited(`POST ${HOST}/graphql query`))
      const document = "query Q($id: ID!, $n: Int = 3) @live { # comment\u2028 } mutation { deleteAll }\n" +
        "  node(id: $id, text: \"\"\"\n    block \\\"\"\" \"\n      text\n  \"\"\", s: \"\\u0041\u2029\") { ...F @include(if: true) }\n}\n" +
        "fragment F on Node { id, ... on User { login } }"
      const body = `{ "operationName":"Q", "query":${
        JSON.stringify(document)
      },"variables":{"id":12345678901234567890,"x":[1.0,{"a":null}]} }`
      const { status } = yield* exchange("POST /graphql", json(body), Buffer.from(body).toString("latin1"))
      assert.strictEqual(status, 200)
      const sent = arrived[0]?.body ?? ""
      assert.include(sent, "\"variables\":{\"id\":12345678901234567890,\"x\":[1.0,{\"a\":null}]}")
      assert.strictEqual(
        JSON.parse(sent).query,
        "query Q ( $ id : ID ! $ n : Int = 3 ) @ live { node ( id : $ id text : \"block \\\"\\\"\\\" \\\"\\n  text\" s : \"A\\u2029\" ) " +
          "{ ... F @ include ( if : true ) } } fragment F on Node { id ... on User { login } }"
      )
      assert.strictEqual(arrived[0]?.headers["content-length"], String(Buffer.byteLength(sent)))
    }
  )

  live("sends no trailers, because its rules cannot check them", function*() {
    const arrived: Array<Arrived> = []
    const body = "3\r\na=b\r\n0\r\nX-HTTP-Method-Override: DELETE\r\n\r\n"
    for (const options of [limited(`POST ${HOST}/**`), {}]) {
      const { exchange } = yield* proxied(keep(arrived), options)
      assert.strictEqual((yield* exchange("POST /x", chunkedForm, body)).status, 200)
    }
    assert.deepStrictEqual(arrived.map(({ trailers }) => trailers), [{}, { "x-http-method-override": "DELETE" }])
    assert.deepStrictEqual(arrived.map((each) => each.body), ["a=b", "a=b"])
  })

  live("declares the type of an untyped body and normalizes the query, unlike a run without rules", function*() {
    const arrived: Array<Arrived> = []
    for (const options of [limited(`POST ${HOST}/**`), {}]) {
      const { exchange } = yield* proxied(keep(arrived), options)
      yield* exchange("POST /x?a=%7eb&c&d=%2b", "Content-Length: 14\r\n", "_method=DELETE")
    }
    assert.deepStrictEqual(arrived.map(({ headers, url }) => [url, headers["content-type"]]), [
      ["/x?a=~b&c&d=%2B", "application/octet-stream"],
      ["/x?a=%7eb&c&d=%2b", undefined]
    ])
  })

  live("forwards a long upload with its original bytes and length", function*() {
    const arrived: Array<Arrived> = []
    const { exchange } = yield* proxied(keep(arrived), limited(`PUT ${HOST}/**`))
    const file = "x\0\n--".repeat(200_000)
    const body =
      `--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/x\r\n\r\n${file}\r\n--b--\r\n`
    const headers = `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n`
    assert.strictEqual((yield* exchange("PUT /x", headers, body)).status, 200)
    assert.strictEqual(arrived[0]?.body, body)
    assert.strictEqual(arrived[0]?.headers["content-length"], String(body.length))
  })

  live("aborts an upload as soon as a form asks for another method", function*() {
    const whole: Array<Arrived> = []
    const { exchange, open } = yield* proxied(keep(whole), limited(`PATCH ${HOST}/**`))
    const body = `a=${"x".repeat(300_000)}&_method[]=DELETE`
    const headers = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n`
    const refused = yield* exchange("PATCH /x", headers, body)
    assert.strictEqual(refused.status, 403)
    assert.include(
      refused.body,
      "_method[] asks the server for a method, host or path that the rules have not checked: remove it"
    )
    const { exchange: again } = yield* open()
    assert.strictEqual((yield* again("PATCH /x", headers, body.replace("_method[]", "amethod[]"))).status, 200)
    assert.lengthOf(whole, 1)
  })

  live("sends a batch only if nothing limits requests to its host, or a rule names its endpoint", function*() {
    const mixed = "--b\r\nContent-Type: application/http\r\n\r\nDELETE /mail/1 HTTP/1.1\r\n\r\n\r\n--b--\r\n"
    const odata = "{\"requests\":[{\"id\":\"1\",\"method\":\"DELETE\",\"url\":\"/mail/1\"}]}"
    const batches = [["/batch/mail/v1", "multipart/mixed; boundary=b", mixed], [
      "/v1.0/$batch",
      "application/json",
      odata
    ]]
    const cases: ReadonlyArray<readonly [status: number, ...rules: ReadonlyArray<Partial<RuleSet>>]> = [
      [403, { allow: [`POST ${HOST}/**`] }],
      [403, { allow: [`${HOST}/batch/**`, `${HOST}/v1.0/**`] }],
      [403, { allow: [HOST], deny: [`DELETE ${HOST}/mail/**`] }],
      [403, { deny: [`DELETE ${HOST}/mail/**`] }],
      [403, { allow: [HOST] }, { allow: [`POST ${HOST}/**`] }],
      [200, { allow: [HOST] }],
      [200, { deny: ["DELETE other.example.com"] }],
      [200, { allow: [`POST ${HOST}/batch/mail/v1`, `${HOST}/v1.0/$batch`], deny: [`DELETE ${HOST}/mail/**`] }]
    ]
    for (const [status, ...rules] of cases) {
      const arrived: Array<Arrived> = []
      const sets = rules.map((set) => ({ allow: [], deny: [], readonly: false, ...set }))
      const { open } = yield* proxied(keep(arrived), { rules: sets })
      for (const [path, type, body = ""] of batches) {
        const { exchange } = yield* open()
        const headers = `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`
        const response = yield* exchange(`POST ${path}`, headers, body)
        assert.strictEqual(response.status, status, JSON.stringify([rules, path]))
        if (status === 200) assert.strictEqual(arrived.pop()?.body, body)
        else assert.include(response.body, `A rule for it: POST ${HOST}${path?.replace("$", "%24")}`)
      }
      assert.lengthOf(arrived, 0)
    }
  })

  live("refuses a path with an ASP.NET session segment, because the server removes the segment", function*() {
    const { exchange, upstream } = yield* proxied(undefined, limited(`GET ${HOST}/*/public/**`))
    for (const segment of ["(S(abc))", "%28S(abc)%29", "(A(x)F(y))", "(lit3py55t21z5v55vlm25s55)"]) {
      assert.strictEqual((yield* exchange(`GET /${segment}/public/x`)).status, 403, segment)
    }
    assert.strictEqual((yield* exchange("GET /Products(1)/public/x")).status, 200)
    assert.lengthOf(upstream.seen, 1)
  })

  live("checks bodies over HTTP/2", function*() {
    const upstream = yield* makeUpstream((stream) => {
      stream.respond({ ":status": 200 })
      stream.on("data", () => {}).on("end", () => stream.end("late"))
    })
    const { session } = yield* sessionTo(upstream.port, limited(`POST ${HOST}/**`))
    const send = (body: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        const stream = post(session, { ":path": "/x", "content-type": "application/json" })
        const response = responseOf(stream)
        for (const part of body) stream.write(part)
        stream.end()
        return response
      })
    assert.notInclude((yield* send(["{\"a\":1,", "\"_method\":\"DELETE\"}"])).body, "late")
    assert.deepInclude(yield* send(["{\"a\":1,", "\"method\":\"DELETE\"}"]), { status: 200, body: "late" })
    const { status } = yield* Effect.promise(() => get(session, "/x"))
    assert.strictEqual(status, 403)
  })
})

/** An exchange that notes what it sends to the client, whose stream stays open. */
class OpenExchange extends Exchange {
  readonly protocol = "h2"
  readonly written: Array<string> = []
  headSent = false
  readonly trailers = undefined
  openBody = () => new RequestBody(() => {})
  sendContinue = () => void this.written.push("100")
  sendHead = (status: number) => void this.written.push(String(status))
  sendData = (chunk: Buffer) => this.written.push(chunk.toString()) > 0
  sendEnd = () => void this.written.push("end")
  sendRefusal = ({ status }: { readonly status: number }) => void this.written.push(String(status))
  abort = () => void this.written.push("reset")
  sendInformation = () => void this.written.push("1xx")
}

describe("an exchange that was refused", () => {
  it("sends neither a response nor a request after the refusal, although the client's stream is open", () => {
    const aborted: Array<string> = []
    const upstreams: Array<ResponseReceiver> = []
    const context = contextTo({
      send: (_protocol, _origin, _request, receiver) => {
        upstreams.push(receiver)
        return { abort: () => aborted.push("aborted"), pause: () => {}, resume: () => {} }
      }
    })
    const origin = originOf(HOST)
    const raw = [":method", "GET", ":path", "/", ":scheme", "https", ":authority", HOST]
    const exchange = new OpenExchange(context, origin, readHead(receivedOverHttp2(raw, false, origin), origin, []))
    exchange.begin()
    const [upstream] = upstreams
    exchange.refuse({ status: 403, error: "OutsideRulesError", message: "" })
    upstream?.continued()
    upstream?.informed(103, [])
    upstream?.responded(200, "OK", [], "content")
    upstream?.received(Buffer.from("late"))
    upstream?.finished([])
    upstream?.failed({ error: new Error("late"), retry: "everything", code: 8 })
    exchange.credential.settled({ _tag: "refused", refusal: { status: 502, error: "Unexpected", message: "" } })
    exchange.refuse({ status: 502, error: "Unexpected", message: "" })
    assert.deepStrictEqual(exchange.written, ["403"])
    assert.deepStrictEqual(aborted, ["aborted"])
    assert.lengthOf(upstreams, 1)
    assert.strictEqual(exchange.status, 403)
  })
})
