import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http2 from "node:http2"
import type * as Net from "node:net"
import { vi } from "vitest"
import { HTTP_1_1_REQUIRED } from "../../../src/http/http2/FrameCodes.ts"
import { resetStream } from "../../../src/http/NodeQuirks.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import {
  connectSession,
  get,
  makeUpstream,
  post,
  respondOk,
  responseOf,
  sessionTo,
  setUp,
  type StreamHandler
} from "../../support/Http2Peers.ts"
import { certificate, HOST, proxyTo, WEBSOCKET } from "../../support/ProxiedHost.ts"
import { fakeDaemon, route } from "../../support/ProxyHarness.ts"
import { authority } from "../../support/TestCertificates.ts"
import { listen } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

/** Holds its responses back until there are `count` of them, and reports the largest number held. */
const gather = (count: number) => {
  const held: Array<Http2.ServerHttp2Stream> = []
  const handler: StreamHandler = (stream) => {
    held.push(stream)
    if (held.length < count) return
    for (const waiting of held.splice(0)) {
      waiting.respond()
      waiting.end("ok")
    }
  }
  return { held, handler }
}

const many = (session: Http2.ClientHttp2Session, count: number) =>
  promise(() => Promise.all(Array.from({ length: count }, (_, i) => get(session, `/${i}`))))

describe("sessions with an HTTP/2 upstream", () => {
  live("share daemon calls among 500 concurrent requests", function*() {
    const { handler } = gather(500)
    const { daemon, session, upstream } = yield* setUp(handler, {
      server: { settings: { maxConcurrentStreams: 1000 } }
    })
    const responses = yield* many(session, 500)
    assert.isTrue(responses.every(({ body, code, status }) => status === 200 && code === 0 && body === "ok"))
    assert.isAtMost(upstream.sessions.length, 5)
    assert.isBelow(daemon.resolved.length, 100)
  })

  live("are as many as the upstream's stream limit requires", function*() {
    const { handler } = gather(50)
    const { session, upstream } = yield* setUp(handler, { server: { settings: { maxConcurrentStreams: 10 } } })
    const responses = yield* many(session, 50)
    assert.isTrue(responses.every(({ body }) => body === "ok"))
    assert.strictEqual(upstream.sessions.length, 5)
  })

  live("are shared by client connections, but not by authorities with the same address", function*() {
    const other = "other.example.com"
    const upstream = yield* makeUpstream(respondOk, authority.issue([HOST, other]))
    const { proxy } = yield* proxyTo({ [HOST]: upstream.port, [other]: upstream.port }, {
      daemon: fakeDaemon([route(HOST, "example"), route(other, "other")])
    })
    const sessions = [
      yield* connectSession(proxy),
      yield* connectSession(proxy),
      yield* connectSession(proxy, `${other}:443`)
    ]
    for (const session of sessions) assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
    assert.lengthOf(upstream.sessions, 2)
  })

  live("are drained after GOAWAY", function*() {
    const { held, handler } = gather(2)
    const { session, upstream } = yield* setUp(handler)
    const first = get(session, "/first")
    yield* promise(() => until(() => held.length === 1))
    upstream.sessions[0]?.close()
    // The response arrives after the proxy has read all earlier frames.
    yield* promise(() => new Promise((resolve) => void upstream.sessions[0]?.ping(resolve)))
    const second = yield* promise(() => get(session, "/second"))
    assert.strictEqual(second.status, 200)
    assert.strictEqual((yield* promise(() => first)).body, "ok")
    assert.lengthOf(upstream.sessions, 2)
  })
})

describe("a session with an upstream that was idle for long", () => {
  /** Advances the clock by a minute without firing timers. */
  const later = Effect.acquireRelease(
    Effect.sync(() => {
      const now = performance.now.bind(performance)
      return vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000)
    }),
    (spy) => Effect.sync(() => spy.mockRestore())
  )

  /** A network between proxy and upstream that can lose or delay data of existing connections. */
  const network = (port: number) =>
    Effect.gen(function*() {
      const pairs: Array<readonly [upstream: Net.Socket, proxy: Net.Socket]> = []
      const server = yield* listen(builtins.net.createServer((proxy) => {
        const upstream = builtins.net.connect(port, "127.0.0.1").on("error", () => {})
        pairs.push([upstream, proxy])
        proxy.pipe(upstream).pipe(proxy)
        proxy.once("close", () => upstream.destroy())
      }))
      return {
        port: server.port,
        lose: () => {
          for (const socket of pairs.flat()) socket.unpipe().resume()
        },
        /** Delays data from the upstream until the result is called. */
        hold: () => {
          const held = [...pairs]
          for (const [upstream, proxy] of held) upstream.unpipe(proxy).pause()
          return () => {
            for (const [upstream, proxy] of held) upstream.pipe(proxy)
          }
        }
      }
    })

  /** A session behind such a network, with one completed request. */
  const served = (handler: StreamHandler) =>
    Effect.gen(function*() {
      const upstream = yield* makeUpstream(handler)
      const between = yield* network(upstream.port)
      const { session } = yield* sessionTo(between.port)
      yield* promise(() => get(session, "/"))
      return { between, session, upstream }
    })

  live("is kept if the upstream responds to a PING", function*() {
    let pings = 0
    const { session, upstream } = yield* setUp(respondOk)
    yield* promise(() => get(session, "/"))
    upstream.sessions[0]?.on("ping", () => pings++)
    yield* later
    assert.isTrue((yield* many(session, 5)).every(({ body }) => body === "ok"))
    assert.strictEqual(pings, 1)
    assert.lengthOf(upstream.sessions, 1)
  })

  live("is replaced without losing a request if the upstream does not respond to a PING", function*() {
    const { between, session, upstream } = yield* served(respondOk)
    between.lose()
    yield* later
    const response = yield* promise(() => get(session, "/", { ":method": "POST" }))
    assert.strictEqual(response.body, "ok")
    assert.lengthOf(upstream.sessions, 2)
    assert.lengthOf(upstream.seen, 2)
  })

  /** Sends the head and a part of each response under `/begun`, then stalls. */
  const begun: StreamHandler = (stream, headers, raw) => {
    if (headers[":path"] !== "/begun") return respondOk(stream, headers, raw)
    stream.respond()
    stream.write("a part")
  }

  live("is replaced even if the upstream stalls during requests or responses", function*() {
    const { between, session, upstream } = yield* served(begun)
    const stream = session.request({ ":path": "/begun" })
    yield* promise(() => new Promise((resolve) => stream.once("data", resolve)))
    const cut = responseOf(stream)
    between.lose()
    const [read, written] = yield* promise(() =>
      Promise.all([get(session, "/"), get(session, "/", { ":method": "POST" })])
    )
    assert.strictEqual(read.body, "ok")
    assert.strictEqual(written.status, 502)
    assert.notStrictEqual((yield* promise(() => cut)).code, 0)
    assert.lengthOf(upstream.sessions, 2)
  })

  live("keeps its requests and gets no new ones while a PING takes seconds on a congested network", function*() {
    const { between, session, upstream } = yield* served(respondOk)
    const pinged = new Promise((resolve) => void upstream.sessions[0]?.once("ping", resolve))
    const release = between.hold()
    const waiting = get(session, "/", { ":method": "POST" })
    yield* promise(() => pinged)
    assert.strictEqual((yield* promise(() => get(session, "/other"))).body, "ok")
    assert.lengthOf(upstream.sessions, 2)
    release()
    assert.strictEqual((yield* promise(() => waiting)).body, "ok")
  })
})

describe("an upstream that requires HTTP/1.1 (HTTP_1_1_REQUIRED, RFC 9113 section 7)", () => {
  const resetting: StreamHandler = (stream) => resetStream(stream, HTTP_1_1_REQUIRED)
  /** Ways to send the code: the upstream may or may not have processed the request. */
  const goingAway = (lastStream: number): StreamHandler => (stream) =>
    stream.session?.goaway(HTTP_1_1_REQUIRED, lastStream)

  /** Supports both protocols and echoes bodies over HTTP/1.1. `requested`: the methods of those requests. */
  const supportingBoth = (decline: StreamHandler) =>
    Effect.gen(function*() {
      const requested: Array<string | undefined> = []
      const upstream = yield* makeUpstream(decline, { allowHTTP1: true })
      const respond = (incoming: Http2.Http2ServerRequest, response: Http2.Http2ServerResponse): void => {
        if (incoming.httpVersion !== "1.1") return
        if (incoming.headers.expect !== undefined) response.writeContinue()
        requested.push(incoming.method)
        incoming.pipe(response)
      }
      upstream.server.on("request", respond).on("checkContinue", respond)
      return { requested, upstream, ...yield* sessionTo(upstream.port) }
    })

  for (const [how, decline] of [["a stream", resetting], ["the session", goingAway(0)]] as const) {
    live(`gets the request again, and all later ones, over HTTP/1.1 when it ends ${how} with that code`, function*() {
      const { open, proxy, requested, session, upstream } = yield* supportingBoth(decline)
      for (const method of ["GET", "POST", "DELETE"]) {
        assert.strictEqual((yield* promise(() => get(session, "/", { ":method": method }))).status, 200)
      }
      const other = yield* connectSession(proxy)
      assert.strictEqual((yield* promise(() => get(other, "/"))).status, 200)
      assert.strictEqual((yield* (yield* open()).exchange("GET /")).status, 200)
      assert.deepStrictEqual(requested, ["GET", "POST", "DELETE", "GET", "GET"])
      assert.lengthOf(upstream.seen, 1)
    })
  }

  live("gets a request with a body again only if no byte of the body was sent", function*() {
    const { requested, session } = yield* supportingBoth(resetting)
    const kept = post(session, { expect: "100-continue" })
    kept.once("continue", () => kept.end("body"))
    assert.deepInclude(yield* promise(() => responseOf(kept)), { status: 200, body: "body" })
    const { requested: others, session: another } = yield* supportingBoth(resetting)
    for (const expected of [{ code: HTTP_1_1_REQUIRED }, { status: 200, body: "body" }]) {
      const sent = post(another)
      sent.end("body")
      assert.deepInclude(yield* promise(() => responseOf(sent)), expected)
    }
    assert.deepStrictEqual([...requested, ...others], ["POST", "POST"])
  })

  live("does not get a request again that it may have processed", function*() {
    const { requested, session } = yield* supportingBoth(goingAway(1))
    assert.strictEqual((yield* promise(() => get(session, "/", { ":method": "POST" }))).status, 502)
    assert.strictEqual((yield* promise(() => get(session, "/", { ":method": "POST" }))).status, 200)
    assert.deepStrictEqual(requested, ["POST"])
  })

  live("gets one retry if it does not support HTTP/1.1, and then the client gets an error", function*() {
    const upstream = yield* makeUpstream(resetting)
    const { open, session } = yield* sessionTo(upstream.port)
    assert.strictEqual((yield* promise(() => get(session, "/"))).code, HTTP_1_1_REQUIRED)
    assert.lengthOf(upstream.seen, 2)
    assert.strictEqual((yield* (yield* open()).exchange("GET /")).status, 502)
    assert.lengthOf(upstream.seen, 4)
  })
})

describe("an upstream with only one protocol", () => {
  live("is offered HTTP/2 once and then gets each request over HTTP/1.1", function*() {
    const upstream = yield* FakeUpstream.make({ certificate })
    const { session } = yield* sessionTo(upstream.port)
    const responses = yield* many(session, 20)
    assert.isTrue(responses.every(({ status }) => status === 200))
    yield* many(session, 1)
    assert.isAtMost(upstream.connections(), 20)
  })

  live("gets HTTP/1.1 if it does not support ALPN", function*() {
    const upstream = yield* FakeUpstream.make({ certificate, tls: { ALPNProtocols: [] } })
    const { session } = yield* sessionTo(upstream.port)
    assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
  })

  live("causes an error response if it supports neither HTTP/1.1 nor HTTP/2", function*() {
    const upstream = yield* FakeUpstream.make({ certificate, tls: { ALPNProtocols: ["spdy/3"] } })
    const { session } = yield* sessionTo(upstream.port)
    const response = yield* promise(() => get(session, "/"))
    assert.strictEqual(response.status, 502)
    assert.include(JSON.parse(response.body).message, "does not support h2 or http/1.1")
  })

  live("never gets a WebSocket handshake over HTTP/2", function*() {
    const upstream = yield* makeUpstream(respondOk)
    const { exchange } = yield* (yield* proxyTo(upstream.port)).open()
    const response = yield* exchange("GET /", WEBSOCKET)
    assert.strictEqual(response.status, 502)
    assert.include(response.reason, "does not support http/1.1")
    assert.lengthOf(upstream.seen, 0)
  })
})
