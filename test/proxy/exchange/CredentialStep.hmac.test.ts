import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { once } from "node:events"
import type { HmacSigning } from "../../../src/domain/wire/Resolve.ts"
import { HeldBudget, HeldBytes, MAX_HELD } from "../../../src/outbound/sigv4/HeldBytes.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live } from "../../support/Fixture.ts"
import { connectSession, post, responseOf } from "../../support/Http2Peers.ts"
import { certificate, HOST, proxyTo } from "../../support/ProxiedHost.ts"
import { bearer, fakeDaemon, type HarnessOptions, MARKER, route, type Wire } from "../../support/ProxyHarness.ts"
import { listen } from "../../support/TestServer.ts"

const KEY = "the key of the test"

/** Signs everything that a recipe may sign. */
const RECIPE: HmacSigning = {
  key: Redacted.make(btoa(KEY)),
  message: "{timestamp} {method} {host}{target}\n{body_hash}\n{body}",
  timestamp: "milliseconds",
  encoding: "hex",
  headers: {
    "X-Time": Redacted.make("{timestamp}"),
    "X-Sign": Redacted.make("id:{signature}")
  }
}

/** What the server received, with the signature that it expects. */
interface Arrival {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The signature of a request, computed without the code of the proxy. */
const expected = ({ body, headers, method, url }: Arrival): string => {
  const content = Buffer.from(body, "latin1")
  const hash = builtins.crypto.createHash("sha256").update(content).digest("hex")
  const text = `${headers["x-time"]} ${method} ${HOST}${url}\n${hash}\n`
  return `id:${builtins.crypto.createHmac("sha256", KEY).update(text).update(content).digest("hex")}`
}

const setUp = (
  recipe: Partial<HmacSigning> = {},
  { handler, ...options }: Partial<HarnessOptions> & { readonly handler?: FakeUpstream.Handler } = {}
) =>
  Effect.gen(function*() {
    const server = yield* FakeUpstream.make({ certificate, handler })
    const daemon = fakeDaemon([route(HOST, "signed")], {
      resolve: (request) =>
        Effect.sync(() => ({
          ...bearer(request),
          headers: { "X-Id": Redacted.make("id") },
          strip: { headers: ["x-id", "x-time", "x-sign"], query: [] },
          hmac: { ...RECIPE, ...recipe }
        }))
    })
    const parts = yield* proxyTo(server.port, { ...options, daemon })
    return { ...parts, ...yield* parts.open(), server }
  })

/** The test reads responses byte by byte, and JSON is in UTF-8. */
const arrivalOf = (body: string): Arrival => JSON.parse(Buffer.from(body, "latin1").toString())

describe("a request to a provider with HMAC signatures", () => {
  live("is signed with the proxy's time, in place of the client's own signature", function*() {
    const { exchange } = yield* setUp()
    const before = Date.now()
    const { body } = yield* exchange(
      "GET /v1/items?b=2&a=%20x",
      `X-Sign: id:${"0".repeat(64)}\r\nx-sign: twice\r\nX-TIME: 1\r\nX-Id: ${MARKER}\r\nConnection: x-sign, x-time\r\n`
    )
    const arrival = arrivalOf(body)
    assert.strictEqual(arrival.headers["x-sign"], expected(arrival))
    assert.isAtLeast(Number(arrival.headers["x-time"]), before)
    assert.isAtMost(Number(arrival.headers["x-time"]), Date.now())
    assert.strictEqual(arrival.headers["x-id"], "id")
    assert.notInclude(body, MARKER)
    assert.notInclude(body, KEY)
  })

  live("keeps every byte of its body, with a length or in chunks", function*() {
    const { socket, wire } = yield* setUp()
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251))
    const head = `POST /v1/files HTTP/1.1\r\nHost: ${HOST}\r\n`
    const framed = [
      [`Content-Length: ${bytes.length}\r\n\r\n`, bytes],
      [
        "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
        Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n0\r\n\r\n")])
      ]
    ] as const
    for (const [end, body] of framed) {
      wire.send(head + end)
      if (end.includes("Expect")) {
        assert.strictEqual((yield* Effect.promise(() => wire.response("POST"))).status, 100)
      }
      socket.write(body)
      const arrival = arrivalOf((yield* Effect.promise(() => wire.response("POST"))).body)
      assert.isTrue(Buffer.from(arrival.body, "latin1").equals(bytes))
      assert.strictEqual(arrival.headers["content-length"], String(bytes.length))
      assert.strictEqual(arrival.headers["x-sign"], expected(arrival))
    }
  })

  live("streams a body that is not signed", function*() {
    const { exchange } = yield* setUp({ message: "{timestamp}{method}{target}" })
    const response = yield* exchange("POST /", "Transfer-Encoding: chunked\r\n", "2\r\nab\r\n0\r\n\r\n")
    const arrival = arrivalOf(response.body)
    assert.strictEqual(arrival.headers["transfer-encoding"], "chunked")
    const text = `${arrival.headers["x-time"]}POST/`
    assert.strictEqual(
      arrival.headers["x-sign"],
      `id:${builtins.crypto.createHmac("sha256", KEY).update(text).digest("hex")}`
    )
  })

  live("is signed over HTTP/2 as over HTTP/1.1", function*() {
    const { proxy } = yield* setUp()
    const session = yield* connectSession(proxy, `${HOST}:443`)
    const stream = post(session, { ":path": "/v1/items?x=1", "x-sign": "worthless" })
    stream.end("{\"name\":\"x\"}")
    const arrival = arrivalOf((yield* Effect.promise(() => responseOf(stream))).body)
    assert.strictEqual(arrival.body, "{\"name\":\"x\"}")
    assert.strictEqual(arrival.headers["x-sign"], expected(arrival))
    session.close()
  })

  live("does not add its signature to the dynamic table of HPACK", function*() {
    const { http2 } = builtins
    const never: Array<string> = []
    const upstream = http2.createSecureServer(certificate, (request, response) => {
      never.push(...Reflect.get(request.headers, http2.sensitiveHeaders) as ReadonlyArray<string>)
      response.end()
    })
    const server = yield* listen(upstream)
    const { daemon } = yield* setUp()
    const { proxy } = yield* proxyTo(server.port, { daemon })
    const session = yield* connectSession(proxy, `${HOST}:443`)
    const stream = post(session, { ":path": "/" })
    stream.end("x")
    assert.strictEqual((yield* Effect.promise(() => responseOf(stream))).status, 200)
    assert.includeMembers(never, ["x-id", "x-sign", "x-time"])
    session.close()
  })

  live("is refused if its body exceeds the limit, or if too many bodies are held", function*() {
    const { exchange, open, server } = yield* setUp()
    const length = 32 * 1024 * 1024 + 1
    const large = yield* open()
    const tooLong = yield* large.exchange("POST /", `Content-Length: ${length}\r\n`, "x".repeat(length))
    assert.strictEqual(tooLong.status, 413)
    assert.strictEqual(
      JSON.parse(tooLong.body).message,
      "credsvc: the body is longer than 32 MiB and cannot be signed"
    )
    const other = new HeldBytes(new HeldBudget())
    yield* Effect.addFinalizer(() => Effect.sync(() => other.release()))
    other.reserve(MAX_HELD)
    const busy = yield* exchange("POST /", "Content-Length: 1\r\n", "x")
    assert.strictEqual(busy.status, 503)
    assert.deepStrictEqual(server.seen, [])
  })

  live("holds its body only until the response begins", function*() {
    const { exchange, open, server } = yield* setUp({}, {
      handler: (request, response) => {
        request.resume().once("end", () => response.write("begun"))
      }
    })
    const other = new HeldBytes(new HeldBudget())
    yield* Effect.addFinalizer(() => Effect.sync(() => other.release()))
    const body = "x".repeat(1000)
    other.reserve(MAX_HELD - body.length)
    const send = (wire: Wire) => {
      wire.send(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      return Effect.promise(() => once(wire.socket, "data"))
    }
    const tunnels = [yield* open(), yield* open()]
    for (const { wire } of tunnels) assert.match(String(yield* send(wire)), /^HTTP\/1.1 200/)
    assert.lengthOf(server.seen, 2)
    // None is left for a request whose response has not begun.
    other.reserve(1)
    assert.strictEqual((yield* exchange("POST /", `Content-Length: ${body.length}\r\n`, body)).status, 503)
  })

  live("of a sandbox leaves most of the memory for bodies to other sandboxes", function*() {
    const length = 32 * 1024 * 1024
    const arrived = Promise.withResolvers<void>()
    let requests = 0
    const { open } = yield* setUp({}, {
      remoteClients: true,
      // The first two get no response.
      handler: (request, response) => {
        if (++requests === 2) arrived.resolve()
        request.resume()
        if (requests > 2) response.end()
      }
    })
    for (let i = 0; i < 2; i++) {
      const { wire } = yield* open()
      wire.send(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${length}\r\n\r\n`)
      wire.socket.write(Buffer.alloc(length))
    }
    yield* Effect.promise(() => arrived.promise)
    // The proxy closes a tunnel without a request after a time, which the bodies can exceed on a busy machine.
    const { exchange } = yield* open()
    assert.strictEqual((yield* exchange("POST /", "Content-Length: 1\r\n", "x")).status, 503)
    const { exchange: another } = yield* setUp({}, { remoteClients: true })
    assert.strictEqual((yield* another("POST /", "Content-Length: 1\r\n", "x")).status, 200)
  })
})
