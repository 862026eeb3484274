/** Responses that repeat the credential of the request. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http from "node:http"
import { WebSocketServer } from "ws"
import { builtins } from "../../../src/platform/builtins.ts"
import { CANARY, discloses, encodingsOf } from "../../support/Canary.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { get, setUp } from "../../support/Http2Peers.ts"
import { certificate, HOST, proxied, proxyTo, WEBSOCKET, webSocketIn } from "../../support/ProxiedHost.ts"
import { bearer, fakeDaemon, type HarnessOptions, MARKER, route } from "../../support/ProxyHarness.ts"
import { until } from "../../support/Until.ts"

const canaryDaemon = (more: Parameters<typeof fakeDaemon>[1] = {}) =>
  fakeDaemon([route(HOST, "example")], { resolve: (request) => Effect.succeed(bearer(request, CANARY)), ...more })

const behind = (handler: FakeUpstream.Handler, options: Partial<HarnessOptions> = {}) =>
  proxied(handler, { daemon: canaryDaemon(), ...options })

/** Those that are the same in UTF-8 and Latin-1. */
const all = Object.values(encodingsOf(CANARY)).flat().filter((text) => Buffer.byteLength(text) === text.length)
const PARTIAL = CANARY.slice(0, -1)
const REPLACED = "credsvc-proxy-managed-----------"

describe("a secret that a response repeats", () => {
  live("is replaced in header and trailer section over HTTP/2", function*() {
    const { session } = yield* setUp((stream, headers) => {
      stream.additionalHeaders({ ":status": 103, link: `</${CANARY}>; rel=preload` })
      stream.respond({
        "x-key": headers.authorization ?? "",
        [`x-${Buffer.from(CANARY).toString("hex")}`]: "as a name"
      }, { waitForTrailers: true })
      stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": Buffer.from(CANARY).toString("hex") }))
      stream.end()
    }, { daemon: canaryDaemon() })
    const { headers, informed, trailers } = yield* promise(() => get(session, "/"))
    assert.strictEqual(informed[0]?.["link"], `</${MARKER}>; rel=preload`)
    assert.strictEqual(headers["x-key"], `Bearer ${MARKER}`)
    assert.isFalse(discloses(JSON.stringify(headers), CANARY))
    assert.strictEqual(trailers?.["x-sum"], Buffer.from(REPLACED).toString("hex"))
  })

  live("is replaced in a reason phrase that encodes single characters", function*() {
    const { wire } = yield* behind((_, response) => {
      response.writeHead(403, `No %${CANARY.charCodeAt(0).toString(16)}${CANARY.slice(1)}`)
      response.end()
    })
    wire.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
    assert.include(yield* promise(() => wire.text("\r\n\r\n")), `HTTP/1.1 403 ${MARKER}\r\n`)
  })

  live("is not passed on in gRPC messages that the server compresses without being asked", function*() {
    const { session } = yield* setUp((stream, headers) => {
      const payload = builtins.zlib.gzipSync(`key=${CANARY}`)
      const prefix = Buffer.from([1, 0, 0, 0, payload.length])
      assert.isUndefined(headers["grpc-accept-encoding"])
      stream.respond({ "content-type": "application/grpc", "grpc-encoding": "gzip" })
      stream.end(Buffer.concat([prefix, payload]))
    }, { daemon: canaryDaemon() })
    const sent = { "content-type": "application/grpc", "grpc-accept-encoding": "gzip", te: "trailers" }
    const { body, headers } = yield* promise(() => get(session, "/", sent))
    assert.strictEqual(body, "")
    assert.deepStrictEqual([headers[":status"], headers["grpc-status"]], [200, "14"])
    assert.include(String(headers["grpc-message"]), `${HOST} sent a compressed message`)
  })

  live("is replaced in header fields, reason phrase, early hints and trailers", function*() {
    const { exchange, wire } = yield* behind((incoming, response) => {
      response.writeEarlyHints({ link: `</${encodeURIComponent(CANARY)}>; rel=preload` })
      // A field cannot contain the zeros of UTF-16.
      const inFields = all.filter((text) => !text.includes("\0"))
      const fields = inFields.map((text, index): [string, string] => [`X-${index}`, text])
      response.writeHead(
        403,
        `No ${incoming.headers.authorization}`,
        [
          ...fields,
          [`X-${Buffer.from(CANARY).toString("hex")}`, "as a name"],
          ["Location", `/?key=${encodeURIComponent(CANARY)}`],
          ["Trailer", "X-Sum"]
        ].flat()
      )
      response.addTrailers({ "X-Sum": CANARY })
      response.end("body")
    })
    const hint = yield* exchange("GET /")
    assert.strictEqual(hint.headers.get("link"), `</${MARKER}>; rel=preload`)
    const rest = yield* promise(() => wire.text(`X-Sum: ${MARKER}\r\n\r\n`))
    assert.isFalse(discloses(rest, CANARY))
    assert.match(rest, /^HTTP\/1\.1 403 No Bearer credsvc-proxy-managed\r\n/)
    assert.include(rest, `Location: /?key=${MARKER}\r\n`)
    assert.match(rest, RegExp(`\r\nX-Sum: ${MARKER}\r\n\r\n$`))
  })

  live("is replaced in WebSocket messages and their fragments", function*() {
    const upstream = yield* FakeUpstream.make({ certificate })
    const perMessageDeflate = { threshold: 0 }
    const server = new WebSocketServer({ noServer: true, perMessageDeflate })
    upstream.server.on("upgrade", (incoming: Http.IncomingMessage, socket, head) => {
      server.handleUpgrade(incoming, socket, head, (client) => {
        for (const text of all) {
          client.send(`<${text}>`)
          const middle = text.length >> 1
          client.send(text.slice(0, middle), { fin: false })
          client.ping(CANARY)
          client.send(text.slice(middle))
        }
        client.send(PARTIAL)
        client.close(4000, CANARY)
      })
    })
    const { open } = yield* proxyTo(upstream.port, { daemon: canaryDaemon() })
    const client = yield* webSocketIn(open, { perMessageDeflate })
    const messages: Array<string> = []
    client.on("message", (data: Buffer) => messages.push(data.toString("latin1")))
    client.on("ping", (data) => messages.push(data.toString("latin1")))
    const reason = yield* promise(() =>
      new Promise<string>((resolve) => client.once("close", (_code, reason) => resolve(reason.toString())))
    )
    assert.strictEqual(reason, REPLACED)
    assert.strictEqual(messages.pop(), PARTIAL)
    assert.lengthOf(messages, 3 * all.length)
    for (const message of messages) assert.isFalse(discloses(message, CANARY), message)
    for (const [index, text] of all.entries()) {
      assert.lengthOf(messages[3 * index]!, text.length + 2)
      assert.lengthOf(messages[3 * index + 2]!, text.length)
    }
  })

  live("is replaced in a 401 response, which is held back while the daemon is asked for a newer token", function*() {
    const daemon = canaryDaemon({
      resolve: (request) => Effect.succeed({ ...bearer(request, CANARY), refreshable: true })
    })
    const { exchange } = yield* behind((_incoming, response) => {
      response.writeHead(401, { "X-Key": CANARY }).end(`invalid key ${CANARY}`)
    }, { daemon })
    const { body, headers } = yield* exchange("GET /")
    assert.deepStrictEqual([body, headers.get("x-key")], [`invalid key ${REPLACED}`, MARKER])
  })
})

describe("a secret late in compressed content", () => {
  live("ends the response, and later requests to the host ask for no compression", function*() {
    const before = builtins.crypto.randomBytes(150_000).toString("base64")
    const bytes = builtins.zlib.gzipSync(`${before} ${CANARY} ${before}`)
    const { daemon, open, upstream } = yield* behind((incoming, response) => {
      if (incoming.headers["accept-encoding"] === "identity") return void response.end(`${before} ${CANARY}`)
      response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": bytes.length })
      response.write(bytes.subarray(0, 100_000))
      setTimeout(() => response.end(bytes.subarray(100_000)), 20)
    })
    const accepting = "Accept-Encoding: gzip\r\n"
    const { exchange } = yield* open()
    const first = yield* exchange("GET /", accepting)
    assert.deepStrictEqual([first.status, first.complete], [200, false])
    assert.isTrue(bytes.subarray(0, first.body.length).equals(Buffer.from(first.body, "latin1")))
    yield* promise(() => until(() => daemon.reports.flatMap(({ entries }) => entries).length > 0))
    const [entry] = daemon.reports.flatMap(({ entries }) => entries)
    assert.include(JSON.stringify(entry), "EndpointUnreachableError")
    const { exchange: again } = yield* open()
    for (const headers of [accepting, ""]) {
      const { body, status } = yield* again("GET /", headers)
      assert.strictEqual(status, 200)
      assert.isTrue(body === `${before} ${REPLACED}`)
    }
    assert.deepStrictEqual(
      upstream.seen.map(({ headers }) => headers["accept-encoding"]),
      ["gzip", "identity", "identity"]
    )
  })

  live("does not change which encodings requests to other hosts ask for", function*() {
    const { exchange, upstream } = yield* behind((_incoming, response) => response.end("ok"))
    yield* exchange("GET /", "Accept-Encoding: gzip\r\n")
    yield* exchange("GET /")
    assert.deepStrictEqual(upstream.seen.map(({ headers }) => headers["accept-encoding"]), ["gzip", undefined])
  })
})

describe("content that cannot be searched for a secret", () => {
  live("is refused with a message, and the connection stays open", function*() {
    const { daemon, exchange } = yield* behind((incoming, response) => {
      if (incoming.url === "/harmless") return void response.end("ok")
      response.writeHead(200, { "Content-Encoding": "lz4" }).end(CANARY)
    })
    const { body, headers, status } = yield* exchange("GET /")
    assert.deepStrictEqual([status, headers.get("x-credsvc-error")], [502, "EndpointUnreachableError"])
    assert.match(
      JSON.parse(body).message,
      /^credsvc: api\.example\.com sent .* cannot be searched for the credential/
    )
    assert.strictEqual((yield* exchange("GET /harmless")).body, "ok")
    yield* promise(() => until(() => daemon.reports.flatMap(({ entries }) => entries).length === 2))
  })
})

describe("a secret of an earlier request", () => {
  const stored: FakeUpstream.Handler = (_incoming, response) => {
    const body = builtins.zlib.gzipSync(`stored: ${CANARY}`)
    response.writeHead(200, { "X-Key": CANARY, "Content-Encoding": "gzip", "Content-Length": body.length }).end(body)
  }

  live("is replaced in the response to a request that gets no credential", function*() {
    const daemon = canaryDaemon({ routes: [route(HOST, "example", { pathPrefix: "/v1" })] })
    const { exchange, upstream } = yield* behind(stored, { daemon })
    yield* exchange("POST /v1/stored", "Content-Length: 0\r\n")
    for (const line of ["GET /stored", "OPTIONS /v1/stored"]) {
      const { body, headers } = yield* exchange(line)
      assert.deepStrictEqual(
        [body, headers.get("x-key")],
        [`stored: ${REPLACED}`, MARKER],
        line
      )
      assert.notProperty(upstream.seen.at(-1)?.headers ?? {}, "authorization")
    }
  })

  live("is replaced in a later response to a request that was sent before the secret", function*() {
    let respond = () => {}
    const daemon = canaryDaemon({ routes: [route(HOST, "example", { pathPrefix: "/v1" })] })
    const { open, upstream, wire } = yield* behind((incoming, response) => {
      if (incoming.url !== "/wait") return void response.end()
      respond = () => response.end(CANARY)
    }, { daemon })
    wire.send(`GET /wait HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
    yield* promise(() => until(() => upstream.seen.length === 1))
    yield* (yield* open()).exchange("GET /v1")
    respond()
    assert.strictEqual((yield* promise(() => wire.response())).body, REPLACED)
  })
})

describe("a secret of a later request", () => {
  const tokenOf = (count: number): string => count === 0 ? CANARY : `the-token-${10 + count}-0123456789`
  const REPLACED_LATER = "credsvc-proxy-managed--"

  /** Each request gets another token. */
  const renewing = () => {
    let count = 0
    return canaryDaemon({ resolve: (request) => Effect.succeed(bearer(request, tokenOf(count++))) })
  }

  live("is replaced in events of a stream that was open before, as is the stream's own secret", function*() {
    let emit: (event: string) => void = () => {}
    const { open, wire } = yield* behind((incoming, response) => {
      if (incoming.url !== "/events") return void response.end()
      response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders()
      emit = (event) => response.write(event)
    }, { daemon: renewing() })
    wire.send(`GET /events HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
    yield* promise(() => wire.text("\r\n\r\n"))
    const other = yield* open()
    // More than are kept of those that a host got before.
    for (let count = 1; count <= 20; count++) yield* other.exchange("GET /")
    const event = `data: ${tokenOf(20)} ${CANARY}\n\n`
    emit(event)
    yield* promise(() => wire.text("\r\n"))
    const received = yield* promise(() => wire.take(event.length))
    assert.strictEqual(received, `data: ${REPLACED_LATER} ${REPLACED}\n\n`)
  })

  live("is replaced in messages of a WebSocket that was open before", function*() {
    const upstream = yield* FakeUpstream.make({ certificate, handler: (_incoming, response) => response.end() })
    const server = new WebSocketServer({ noServer: true })
    upstream.server.on("upgrade", (incoming: Http.IncomingMessage, socket, head) => {
      server.handleUpgrade(incoming, socket, head, (client) => {
        client.on("message", () => client.send(`${tokenOf(1)} ${CANARY}`))
      })
    })
    const { open } = yield* proxyTo(upstream.port, { daemon: renewing() })
    const client = yield* webSocketIn(open)
    const message = new Promise<string>((resolve) => client.once("message", (data: Buffer) => resolve(data.toString())))
    yield* promise(() => new Promise((resolve) => client.once("open", resolve)))
    yield* (yield* open()).exchange("GET /")
    client.send("repeat it")
    assert.strictEqual(yield* promise(() => message), `${REPLACED_LATER} ${REPLACED}`)
    client.terminate()
  })
})

describe("a response without secrets", () => {
  live("is not searched before the host got a credential", function*() {
    const { exchange, upstream } = yield* behind((_incoming, response) => {
      response.writeHead(200, { "X-Key": CANARY }).end(CANARY)
    })
    const { body, headers } = yield* exchange("OPTIONS /", "Accept-Encoding: compress\r\n")
    assert.deepStrictEqual([body, headers.get("x-key")], [CANARY, CANARY])
    assert.strictEqual(upstream.seen[0]?.headers["accept-encoding"], "compress")
  })
})

describe("a request with a credential", () => {
  live("offers only encodings that the proxy can search", function*() {
    const { exchange, upstream } = yield* behind((_incoming, response) => response.end("ok"))
    const offered = function*(headers: string) {
      yield* exchange("GET /", headers)
      return upstream.seen.at(-1)!.headers
    }
    const accepted = function*(value: string, more = "") {
      return (yield* offered(`Accept-Encoding: ${value}\r\n${more}`))["accept-encoding"]
    }
    assert.strictEqual(yield* accepted("gzip, deflate, br, zstd"), "gzip, deflate, br")
    assert.strictEqual(yield* accepted("compress;q=0.5, GZIP;q=0.8, dcb"), "GZIP;q=0.8")
    assert.strictEqual(yield* accepted("*"), "identity")
    assert.strictEqual(yield* accepted("gzip", "Range: bytes=0-9\r\n"), "identity")
    assert.isUndefined((yield* offered("grpc-accept-encoding: gzip\r\n"))["grpc-accept-encoding"])
  })

  live("offers no WebSocket extension, and refuses a response that chooses one anyway", function*() {
    const offers: Array<string | undefined> = []
    const upstream = yield* FakeUpstream.make({ certificate })
    upstream.server.on("upgrade", (incoming: Http.IncomingMessage, socket) => {
      offers.push(incoming.headers["sec-websocket-extensions"])
      socket.end(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
          `Sec-WebSocket-Extensions: ${offers.length === 1 ? "permessage-deflate" : ""}\r\nX-Key: ${CANARY}\r\n` +
          `X-Link: /?key=%${CANARY.charCodeAt(0).toString(16)}${CANARY.slice(1)}\r\n\r\n`
      )
    })
    const { open } = yield* proxyTo(upstream.port, { daemon: canaryDaemon() })
    const { exchange } = yield* open()
    const offer = "Sec-WebSocket-Extensions: permessage-bzip2, permessage-deflate; client_max_window_bits\r\n"
    const response = yield* exchange("GET /", WEBSOCKET + offer)
    assert.strictEqual(response.status, 502)
    assert.include(response.body, `${HOST} chose a WebSocket extension that the request did not offer`)
    assert.deepStrictEqual(offers, [undefined])
    const { exchange: again } = yield* open()
    const { headers } = yield* again("GET /", WEBSOCKET)
    assert.deepStrictEqual([headers.get("x-key"), headers.get("x-link")], [MARKER, MARKER])
  })
})
