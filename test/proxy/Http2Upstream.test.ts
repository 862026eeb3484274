import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http2 from "node:http2"
import type * as Net from "node:net"
import { vi } from "vitest"
import { HTTP_1_1_REQUIRED } from "../../src/http/http2/ErrorCode.ts"
import { resetStream } from "../../src/http/NodeQuirks.ts"
import { builtins } from "../../src/platform/builtins.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import {
  answerOf,
  certificate,
  connectSession,
  get,
  HOST,
  makeUpstream,
  proxyTo,
  setUp,
  type StreamHandler
} from "../support/Http2Peers.ts"
import { fakeDaemon, route, secureTunnel, startProxy, temporaryFile, until } from "../support/ProxyHarness.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const promise = <A>(run: () => Promise<A>) => Effect.promise(run)
const quick: StreamHandler = (stream) => {
  stream.respond()
  stream.end("ok")
}

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
  it.live(
    "carry 500 concurrent requests with as few daemon calls as fresh credentials allow",
    () =>
      Effect.gen(function*() {
        const { handler } = gather(500)
        const { daemon, session, upstream } = yield* setUp(handler, {
          server: { settings: { maxConcurrentStreams: 1000 } }
        })
        const answers = yield* many(session, 500)
        assert.isTrue(answers.every(({ body, code, status }) => status === 200 && code === 0 && body === "ok"))
        assert.isAtMost(upstream.sessions.length, 5)
        assert.isBelow(daemon.resolved.length, 100)
      }).pipe(Effect.scoped)
  )

  it.live("are as many as the upstream's stream limit requires", () =>
    Effect.gen(function*() {
      const { handler } = gather(50)
      const { session, upstream } = yield* setUp(handler, { server: { settings: { maxConcurrentStreams: 10 } } })
      const answers = yield* many(session, 50)
      assert.isTrue(answers.every(({ body }) => body === "ok"))
      assert.strictEqual(upstream.sessions.length, 5)
    }).pipe(Effect.scoped))

  it.live("are shared by simultaneous and later requests", () =>
    Effect.gen(function*() {
      const { session, upstream } = yield* setUp(quick)
      yield* many(session, 20)
      yield* many(session, 20)
      assert.lengthOf(upstream.sessions, 1)
    }).pipe(Effect.scoped))

  it.live("are shared by client connections, but not by authorities with the same address", () =>
    Effect.gen(function*() {
      const other = "other.example.com"
      const authority = makeAuthority()
      const upstream = yield* makeUpstream(quick, { ...authority.issue([HOST, other]) })
      const ca = yield* temporaryFile("ca.pem", authority.caPem)
      const to = `127.0.0.1:${upstream.port}`
      const proxy = yield* startProxy({
        daemon: fakeDaemon([route(HOST, "example"), route(other, "other")]),
        upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: to, [`${other}:443`]: to } }
      })
      const sessions = [
        yield* connectSession(proxy, `${HOST}:443`),
        yield* connectSession(proxy, `${HOST}:443`),
        yield* connectSession(proxy, `${other}:443`)
      ]
      for (const session of sessions) assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
      assert.lengthOf(upstream.sessions, 2)
    }).pipe(Effect.scoped))

  it.live("are drained after GOAWAY", () =>
    Effect.gen(function*() {
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
    }).pipe(Effect.scoped))

  it.live("pass unprocessed requests to another session after GOAWAY (RFC 9113 section 6.8)", () =>
    Effect.gen(function*() {
      let requests = 0
      const { session, upstream } = yield* setUp((stream, headers, raw) => {
        if (++requests === 2) return stream.session?.goaway(0, 1)
        quick(stream, headers, raw)
      })
      yield* promise(() => get(session, "/"))
      const answer = yield* promise(() => get(session, "/", { ":method": "DELETE" }))
      assert.strictEqual(answer.body, "ok")
      assert.lengthOf(upstream.sessions, 2)
    }).pipe(Effect.scoped))

  it.live("are replaced after they are closed", () =>
    Effect.gen(function*() {
      const { session, upstream } = yield* setUp(quick)
      for (let i = 1; i <= 3; i++) {
        assert.strictEqual((yield* promise(() => get(session, "/"))).body, "ok")
        upstream.sessions[i - 1]?.destroy()
        yield* promise(() => until(() => upstream.sessions[i - 1]?.destroyed === true))
      }
      assert.lengthOf(upstream.sessions, 3)
    }).pipe(Effect.scoped))

  it.live("are replaced when lost: a GET without a response is retried, a POST fails", () =>
    Effect.gen(function*() {
      let drop = false
      const { session, upstream } = yield* setUp((stream, headers, raw) => {
        if (!drop) return quick(stream, headers, raw)
        drop = false
        stream.session?.destroy()
      })
      yield* promise(() => get(session, "/"))
      drop = true
      assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
      drop = true
      assert.strictEqual((yield* promise(() => get(session, "/", { ":method": "POST" }))).status, 502)
      assert.lengthOf(upstream.seen, 4)
    }).pipe(Effect.scoped))
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

  /** A network between proxy and upstream that can lose data of existing connections. */
  const network = (port: number) =>
    Effect.acquireRelease(
      Effect.callback<{
        readonly port: number
        readonly lose: () => void
        /** Delays data from the upstream on existing connections until the result is called. */
        readonly hold: () => () => void
        readonly close: () => void
      }>((resume) => {
        const sockets = new Set<Net.Socket>()
        const ways: Array<readonly [api: Net.Socket, proxy: Net.Socket]> = []
        const server = builtins.net.createServer((socket) => {
          const other = builtins.net.connect(port, "127.0.0.1")
          for (const end of [socket, other]) sockets.add(end.on("error", () => {}))
          ways.push([other, socket])
          socket.pipe(other).pipe(socket)
        })
        server.listen(0, "127.0.0.1", () => {
          resume(Effect.succeed({
            port: (server.address() as Net.AddressInfo).port,
            lose: () => {
              for (const socket of sockets) socket.unpipe().resume()
            },
            hold: () => {
              const held = [...ways]
              for (const [api, proxy] of held) api.unpipe(proxy).pause()
              return () => {
                for (const [api, proxy] of held) api.pipe(proxy)
              }
            },
            close: () => {
              server.close()
              for (const socket of sockets) socket.destroy()
            }
          }))
        })
      }),
      ({ close }) => Effect.sync(close)
    )

  /** A session behind such a network, with one completed request. */
  const served = (handler: StreamHandler) =>
    Effect.gen(function*() {
      const upstream = yield* makeUpstream(handler)
      const between = yield* network(upstream.port)
      const { proxy } = yield* proxyTo(between.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      yield* promise(() => get(session, "/"))
      return { between, session, upstream }
    })

  it.live("is kept if the upstream responds to a PING", () =>
    Effect.gen(function*() {
      let pings = 0
      const { session, upstream } = yield* setUp(quick)
      yield* promise(() => get(session, "/"))
      upstream.sessions[0]?.on("ping", () => pings++)
      yield* later
      assert.isTrue((yield* many(session, 5)).every(({ body }) => body === "ok"))
      assert.strictEqual(pings, 1)
      assert.lengthOf(upstream.sessions, 1)
    }).pipe(Effect.scoped))

  it.live("is replaced without losing a request if the upstream does not respond to a PING", () =>
    Effect.gen(function*() {
      const { between, session, upstream } = yield* served(quick)
      between.lose()
      yield* later
      const answer = yield* promise(() => get(session, "/", { ":method": "POST" }))
      assert.strictEqual(answer.body, "ok")
      assert.lengthOf(upstream.sessions, 2)
      assert.lengthOf(upstream.seen, 2)
    }).pipe(Effect.scoped))

  /** Sends the head and a part of each response under `/begun`, then stalls. */
  const begun: StreamHandler = (stream, headers, raw) => {
    if (headers[":path"] !== "/begun") return quick(stream, headers, raw)
    stream.respond()
    stream.write("a part")
  }

  it.live("is replaced even if the upstream stalls during requests or responses", () =>
    Effect.gen(function*() {
      const { between, session, upstream } = yield* served(begun)
      const stream = session.request({ ":path": "/begun" })
      yield* promise(() => new Promise((resolve) => stream.once("data", resolve)))
      const cut = answerOf(stream)
      between.lose()
      const [read, written] = yield* promise(() =>
        Promise.all([get(session, "/"), get(session, "/", { ":method": "POST" })])
      )
      assert.strictEqual(read.body, "ok")
      assert.strictEqual(written.status, 502)
      assert.notStrictEqual((yield* promise(() => cut)).code, 0)
      assert.lengthOf(upstream.sessions, 2)
    }).pipe(Effect.scoped))

  it.live("keeps its requests and gets no new ones while a PING takes seconds on a congested network", () =>
    Effect.gen(function*() {
      const { between, session, upstream } = yield* served(quick)
      const pinged = new Promise((resolve) => void upstream.sessions[0]?.once("ping", resolve))
      const release = between.hold()
      const waiting = get(session, "/", { ":method": "POST" })
      yield* promise(() => pinged)
      assert.strictEqual((yield* promise(() => get(session, "/other"))).body, "ok")
      assert.lengthOf(upstream.sessions, 2)
      release()
      assert.strictEqual((yield* promise(() => waiting)).body, "ok")
    }).pipe(Effect.scoped))
})

describe("an upstream that requires HTTP/1.1 (HTTP_1_1_REQUIRED, RFC 9113 section 7)", () => {
  const resetting: StreamHandler = (stream) => resetStream(stream, HTTP_1_1_REQUIRED)
  /** Ways to send the code: the upstream may or may not have processed the request. */
  const goingAway = (lastStream: number): StreamHandler => (stream) =>
    stream.session?.goaway(HTTP_1_1_REQUIRED, lastStream)

  /** Supports both protocols and echoes bodies over HTTP/1.1. `asked`: the methods of those requests. */
  const supportingBoth = (decline: StreamHandler) =>
    Effect.gen(function*() {
      const asked: Array<string | undefined> = []
      const upstream = yield* makeUpstream(decline, { allowHTTP1: true })
      const answer = (incoming: Http2.Http2ServerRequest, response: Http2.Http2ServerResponse): void => {
        if (incoming.httpVersion !== "1.1") return
        if (incoming.headers.expect !== undefined) response.writeContinue()
        asked.push(incoming.method)
        incoming.pipe(response)
      }
      upstream.server.on("request", answer).on("checkContinue", answer)
      const { proxy } = yield* proxyTo(upstream.port)
      return { asked, proxy, session: yield* connectSession(proxy, `${HOST}:443`), upstream }
    })

  for (const [how, decline] of [["a stream", resetting], ["the session", goingAway(0)]] as const) {
    it.live(`gets the request again, and all later ones, over HTTP/1.1 when it ends ${how} with that code`, () =>
      Effect.gen(function*() {
        const { asked, proxy, session, upstream } = yield* supportingBoth(decline)
        for (const method of ["GET", "POST", "DELETE"]) {
          assert.strictEqual((yield* promise(() => get(session, "/", { ":method": method }))).status, 200)
        }
        const other = yield* connectSession(proxy, `${HOST}:443`)
        assert.strictEqual((yield* promise(() => get(other, "/"))).status, 200)
        const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        wire.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        assert.deepStrictEqual(asked, ["GET", "POST", "DELETE", "GET", "GET"])
        assert.lengthOf(upstream.seen, 1)
      }).pipe(Effect.scoped))
  }

  it.live("gets all pending requests over HTTP/1.1", () =>
    Effect.gen(function*() {
      const { asked, session } = yield* supportingBoth(resetting)
      const answers = yield* many(session, 20)
      assert.isTrue(answers.every(({ status }) => status === 200))
      assert.lengthOf(asked, 20)
    }).pipe(Effect.scoped))

  it.live("gets an unsent body again; for a partly sent one the client gets an error that names the upstream", () =>
    Effect.gen(function*() {
      const { asked, session } = yield* supportingBoth(resetting)
      const kept = session.request({ ":method": "POST", ":path": "/", expect: "100-continue" }, { endStream: false })
      kept.once("continue", () => kept.end("body"))
      assert.deepInclude(yield* promise(() => answerOf(kept)), { status: 200, body: "body" })
      const { asked: others, session: another } = yield* supportingBoth(resetting)
      for (const expected of [{ code: HTTP_1_1_REQUIRED }, { status: 200, body: "body" }]) {
        const sent = another.request({ ":method": "POST", ":path": "/" }, { endStream: false })
        sent.end("body")
        assert.deepInclude(yield* promise(() => answerOf(sent)), expected)
      }
      assert.deepStrictEqual([...asked, ...others], ["POST", "POST"])
    }).pipe(Effect.scoped))

  it.live("does not get a request again that it may have processed", () =>
    Effect.gen(function*() {
      const { asked, session } = yield* supportingBoth(goingAway(1))
      assert.strictEqual((yield* promise(() => get(session, "/", { ":method": "POST" }))).status, 502)
      assert.strictEqual((yield* promise(() => get(session, "/", { ":method": "POST" }))).status, 200)
      assert.deepStrictEqual(asked, ["POST"])
    }).pipe(Effect.scoped))

  it.live("gets one retry if it does not support HTTP/1.1, and then the client gets an error", () =>
    Effect.gen(function*() {
      const upstream = yield* makeUpstream(resetting)
      const { proxy } = yield* proxyTo(upstream.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      assert.strictEqual((yield* promise(() => get(session, "/"))).code, HTTP_1_1_REQUIRED)
      assert.lengthOf(upstream.seen, 2)
      const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
      wire.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
      assert.strictEqual((yield* promise(() => wire.answer())).status, 502)
      assert.lengthOf(upstream.seen, 4)
    }).pipe(Effect.scoped))
})

describe("an upstream with only one protocol", () => {
  it.live("is offered HTTP/2 once and then gets each request over HTTP/1.1", () =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate })
      const { proxy } = yield* proxyTo(upstream.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      const answers = yield* many(session, 20)
      assert.isTrue(answers.every(({ status }) => status === 200))
      yield* many(session, 1)
      assert.isAtMost(upstream.connections(), 20)
    }).pipe(Effect.scoped))

  it.live("gets HTTP/1.1 if it does not support ALPN", () =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate, tls: { ALPNProtocols: [] } })
      const { proxy } = yield* proxyTo(upstream.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
    }).pipe(Effect.scoped))

  it.live("causes an error response if it supports neither HTTP/1.1 nor HTTP/2", () =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate, tls: { ALPNProtocols: ["spdy/3"] } })
      const { proxy } = yield* proxyTo(upstream.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      const answer = yield* promise(() => get(session, "/"))
      assert.strictEqual(answer.status, 502)
      assert.include(JSON.parse(answer.body).message, "does not speak h2 or http/1.1")
    }).pipe(Effect.scoped))

  it.live("never gets a WebSocket handshake over HTTP/2", () =>
    Effect.gen(function*() {
      const upstream = yield* makeUpstream(quick)
      const { proxy } = yield* proxyTo(upstream.port)
      const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
      wire.send(
        `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
      )
      const answer = yield* promise(() => wire.answer())
      assert.strictEqual(answer.status, 502)
      assert.include(answer.reason, "does not speak http/1.1")
      assert.lengthOf(upstream.seen, 0)
      socket.destroy()
    }).pipe(Effect.scoped))
})
