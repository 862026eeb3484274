/** Credentials in declared fields of bodies and WebSocket messages. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { WebSocketServer } from "ws"
import type { Resolved } from "../../../src/domain/wire/Resolve.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import type * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { connectSession, post, responseOf } from "../../support/Http2Peers.ts"
import { HOST, proxied, webSocketIn } from "../../support/ProxiedHost.ts"
import { bearer, fakeDaemon, MARKER, route } from "../../support/ProxyHarness.ts"

const SECRET = "se\"cr\\et &+=%ключ-0123456789"
const JSON_TYPE = "Content-Type: application/json\r\n"
const FORM_TYPE = "Content-Type: application/x-www-form-urlencoded\r\n"
const PLACES = { "/auth/key": Redacted.make(SECRET), token: Redacted.make(SECRET) }

/** What arrives at the server, and the proxy in front of it. `places`: what the daemon returns in place of a header. */
const setUp = (places: Partial<Resolved> = { body: PLACES }, handler?: FakeUpstream.Handler) =>
  Effect.gen(function*() {
    const arrived: Array<{ readonly headers: Readonly<Record<string, unknown>>; readonly body: string }> = []
    const daemon = fakeDaemon([route(HOST, "example")])
    daemon.resolve = (request) =>
      Effect.succeed({ ...bearer(request), headers: {}, secrets: [Redacted.make(SECRET)], ...places })
    const record: FakeUpstream.Handler = (request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
        arrived.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
        if (handler === undefined) response.end("done")
        else handler(request, response)
      })
    }
    const parts = yield* proxied(record, { daemon })
    const sent = (line: string, headers: string, body: string | Buffer) =>
      Effect.gen(function*() {
        const bytes = Buffer.from(body)
        const response = yield* parts.exchange(
          line,
          `${headers}Content-Length: ${bytes.length}\r\n`,
          bytes.toString("latin1")
        )
        return { response, arrival: arrived.pop() }
      })
    return { ...parts, arrived, daemon, sent }
  })

const inJson = (key: string, more = "") => `{ "n": 1.0e400, "text": "${MARKER}",\n "auth" : {"key":"${key}"${more}} }`

describe("a credential in a declared field of a body", () => {
  const longText = "x".repeat(70_000)
  const rows: ReadonlyArray<readonly [name: string, head: readonly [line: string, headers: string], string, string]> = [
    ["JSON", ["POST /", JSON_TYPE], inJson(`sk-${MARKER}`), inJson("se\\\"cr\\\\et &+=%ключ-0123456789")],
    [
      "JSON with another type",
      ["PUT /", "Content-Type: application/vnd.api+json; charset=UTF-8\r\n"],
      inJson(MARKER),
      inJson("se\\\"cr\\\\et &+=%ключ-0123456789")
    ],
    [
      "a name with escapes",
      ["PATCH /", JSON_TYPE],
      `{"\\u0061uth":{"k\\u0065y":"${MARKER}"}}`,
      `{"\\u0061uth":{"k\\u0065y":${JSON.stringify(SECRET)}}}`
    ],
    [
      "a form",
      ["POST /", FORM_TYPE],
      `a=1&token=${MARKER}&text=${MARKER}&b=%20+`,
      `a=1&token=${encodeURIComponent(SECRET)}&text=${MARKER}&b=%20+`
    ],
    [
      "a form with an encoded name",
      ["POST /", FORM_TYPE],
      `%74oken=x%2D${MARKER}`,
      `%74oken=${encodeURIComponent(SECRET)}`
    ]
  ]
  for (const [name, [line, headers], given, expected] of rows) {
    live(`replaces the placeholder in ${name}, and changes no other byte`, function*() {
      const { sent } = yield* setUp()
      const { arrival } = yield* sent(line, headers, given)
      assert.strictEqual(arrival?.body, expected)
      assert.strictEqual(arrival?.headers["content-length"], String(Buffer.byteLength(expected)))
    })
  }

  const kept: ReadonlyArray<readonly [name: string, head: readonly [line: string, headers: string], string]> = [
    ["a field without a placeholder", ["POST /", JSON_TYPE], inJson("a key of the client")],
    [
      "a field with the declared name elsewhere",
      ["POST /", JSON_TYPE],
      `{"key":"${MARKER}","auth":["${MARKER}"],"x":{"auth":{"key":"${MARKER}"}}}`
    ],
    ["a value that is not text", ["POST /", JSON_TYPE], `{"auth":{"key":{"${MARKER}":1}}}`],
    ["JSON with a repeated name", ["POST /", JSON_TYPE], `{"auth":{"key":"${MARKER}","key":"${MARKER}"}}`],
    ["what is not JSON", ["POST /", JSON_TYPE], `{'auth':{"key":"${MARKER}"}}`],
    ["JSON in another charset", ["POST /", "Content-Type: application/json; charset=utf-7\r\n"], inJson(MARKER)],
    ["free text", ["POST /", "Content-Type: text/plain\r\n"], inJson(MARKER)],
    ["a form in JSON", ["POST /", JSON_TYPE], `token=${MARKER}`],
    ["a pointer in a form", ["POST /", FORM_TYPE], `%2Fauth%2Fkey=${MARKER}`],
    ["another method", ["DELETE /", JSON_TYPE], inJson(MARKER)]
  ]
  for (const [name, [line, headers], body] of kept) {
    live(`is not placed in ${name}`, function*() {
      const { sent } = yield* setUp()
      assert.strictEqual((yield* sent(line, headers, body)).arrival?.body, body)
    })
  }

  live("replaces the placeholder in a compressed body, which is sent decompressed, and in a chunked body", function*() {
    const { arrived, exchange, sent } = yield* setUp()
    const body = inJson(MARKER)
    const expected = inJson("se\\\"cr\\\\et &+=%ключ-0123456789")
    for (const coding of ["gzip", "br", "deflate", "zstd"] as const) {
      const { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } = builtins.zlib
      const codings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, zstd: zstdCompressSync }
      const encoded = codings[coding](body)
      const { arrival } = yield* sent(
        "POST /",
        `${JSON_TYPE}Content-Encoding: ${coding}\r\nContent-MD5: x\r\n`,
        encoded
      )
      assert.strictEqual(arrival?.body, expected, coding)
      assert.isUndefined(arrival?.headers["content-encoding"])
      assert.isUndefined(arrival?.headers["content-md5"])
    }
    const chunk = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`
    yield* exchange("POST /", `${JSON_TYPE}Transfer-Encoding: chunked\r\n`, chunk)
    assert.strictEqual(arrived[0]?.body, expected)
  })

  live("arrives over HTTP/2, and does not come back in the response", function*() {
    const { arrived, proxy } = yield* setUp(undefined, (_request, response) => response.end(`your key is ${SECRET}`))
    const stream = post(yield* connectSession(proxy), { "content-type": "application/json" })
    const response = responseOf(stream)
    stream.end(inJson(MARKER))
    const { body, status } = yield* Effect.promise(() => response)
    assert.strictEqual(status, 200)
    assert.include(arrived[0]?.body, JSON.stringify(SECRET))
    assert.notInclude(Buffer.from(body, "latin1").toString(), SECRET)
  })

  live("is refused in a body of more than 64 KiB, unless the head also has the placeholder", function*() {
    const long = inJson(MARKER, `,"t":"${longText}"`)
    const only = yield* setUp()
    const { arrival, response } = yield* only.sent("POST /", JSON_TYPE, long)
    assert.strictEqual(response.status, 413)
    assert.include(response.body, "64 KiB")
    assert.isUndefined(arrival)
    const inQuery = yield* setUp({ body: PLACES, query: { key: Redacted.make("t") } })
    assert.strictEqual((yield* inQuery.sent("POST /", JSON_TYPE, long)).arrival?.body, long)
    const both = yield* setUp({ body: PLACES, headers: { Authorization: Redacted.make("Bearer t") } })
    assert.strictEqual((yield* both.sent("POST /", JSON_TYPE, long)).arrival?.body, long)
    const chunk = `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`
    yield* both.exchange("POST /", `${JSON_TYPE}Transfer-Encoding: chunked\r\n`, chunk)
    assert.strictEqual(both.arrived[0]?.body, long)
  })

  live("belongs to the connection whose placeholder the field contains", function*() {
    const { daemon, sent } = yield* setUp()
    daemon.resolve = (request) =>
      Effect.succeed({
        ...bearer(request),
        headers: {},
        body: { "/auth/key": Redacted.make(`the key of ${request.connection}`) }
      })
    const named = inJson(`${MARKER}--work`)
    assert.include((yield* sent("POST /", JSON_TYPE, named)).arrival?.body, "the key of work")
    assert.include((yield* sent("POST /", JSON_TYPE, inJson(MARKER))).arrival?.body, "the key of default")
    const { arrival, response } = yield* sent("POST /", `${JSON_TYPE}credsvc-connection: other\r\n`, named)
    assert.strictEqual(response.status, 409)
    assert.isUndefined(arrival)
  })
})

describe("a credential in the first messages of a WebSocket", () => {
  const connected = (first = 2) =>
    Effect.gen(function*() {
      const { open, upstream } = yield* setUp({ messages: { first, fields: { "/d/token": Redacted.make(SECRET) } } })
      const received: Array<string> = []
      const server = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024 })
      upstream.server.on("upgrade", (incoming, socket, head) =>
        server.handleUpgrade(incoming, socket, head, (peer) =>
          peer.on("message", (data: Buffer, isBinary: boolean) => {
            received.push(`${isBinary ? "binary " : ""}${data.toString()}`)
            peer.send(data, { binary: isBinary })
          })))
      const client = yield* webSocketIn(open)
      yield* promise(() =>
        new Promise((resolve) =>
          client.once("open", resolve)
        )
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => (client.terminate(), server.close())))
      /** Sends messages, and waits for the echo of the last one. */
      const exchange = (send: () => void, count: number) =>
        Effect.promise(async () => {
          const echoes: Array<string> = []
          const all = new Promise<void>((resolve) =>
            client.on("message", (data: Buffer) => {
              if (echoes.push(data.toString()) === count) resolve()
            })
          )
          send()
          await all
          return echoes
        })
      return { client, exchange, received }
    })
  const identify = (token: string, more = "") =>
    `{"op":2,"d":{"token":${JSON.stringify(token)},"x":"${MARKER}${more}"}}`

  live("replaces the placeholder, and does not come back", function*() {
    const { client, exchange, received } = yield* connected()
    const echoes = yield* exchange(() => {
      client.send("{\"op\":1}")
      client.send(identify(MARKER))
      client.send(identify(MARKER))
    }, 3)
    assert.deepStrictEqual(received, ["{\"op\":1}", identify(SECRET), identify(MARKER)])
    assert.notInclude(echoes.join(), JSON.stringify(SECRET))
  })

  live("replaces the placeholder in fragments around a ping, even after a binary message", function*() {
    const { client, exchange, received } = yield* connected(1)
    const text = identify(MARKER, "x".repeat(300))
    yield* exchange(() => {
      client.send(Buffer.from(identify(MARKER)), { binary: true })
      client.send(text.slice(0, 30), { fin: false })
      client.ping()
      client.send(text.slice(30))
      client.send("after")
    }, 3)
    assert.deepStrictEqual(received, [`binary ${identify(MARKER)}`, identify(SECRET, "x".repeat(300)), "after"])
  })

  live("is placed after messages that the program has compressed itself, as the libraries for Discord do", function*() {
    const { client, exchange, received } = yield* connected()
    const binary: Array<Buffer> = []
    const stream = builtins.zlib.deflateSync(Buffer.from("hello"), {
      finishFlush: builtins.zlib.constants.Z_SYNC_FLUSH
    })
    client.on("message", (data: Buffer, isBinary: boolean) => void (isBinary && binary.push(data)))
    yield* exchange(() => {
      client.send(stream)
      client.send(identify(MARKER))
    }, 2)
    assert.isTrue(binary[0]?.equals(stream))
    assert.strictEqual(received[1], identify(SECRET))
  })

  live("is not placed in a message of more than 64 KiB", function*() {
    const { client, exchange, received } = yield* connected()
    const long = identify(MARKER, "x".repeat(70_000))
    yield* exchange(() => {
      client.send(long.slice(0, 100), { fin: false })
      client.send(long.slice(100))
      client.send(identify(MARKER))
    }, 2)
    assert.deepStrictEqual(received, [long, identify(SECRET)])
  })
})
