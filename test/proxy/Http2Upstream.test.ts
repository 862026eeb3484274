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

/** Holds its answers back until there are `count` of them, and tells how many were held at most. */
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

describe("sessions with an API over HTTP/2", () => {
  it.live(
    "carry 500 requests at a time, and ask the daemon as rarely as fresh credentials allow",
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

  it.live("are as many as the API's limit on streams makes necessary", () =>
    Effect.gen(function*() {
      const { handler } = gather(50)
      const { session, upstream } = yield* setUp(handler, { server: { settings: { maxConcurrentStreams: 10 } } })
      const answers = yield* many(session, 50)
      assert.isTrue(answers.every(({ body }) => body === "ok"))
      assert.strictEqual(upstream.sessions.length, 5)
    }).pipe(Effect.scoped))

  it.live("are one for requests that begin together, and for those that follow", () =>
    Effect.gen(function*() {
      const { session, upstream } = yield* setUp(quick)
      yield* many(session, 20)
      yield* many(session, 20)
      assert.lengthOf(upstream.sessions, 1)
    }).pipe(Effect.scoped))

  it.live("are shared by the children's connections, and not by authorities with the same address", () =>
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

  it.live("that say GOAWAY finish what they have, and get nothing new", () =>
    Effect.gen(function*() {
      const { held, handler } = gather(2)
      const { session, upstream } = yield* setUp(handler)
      const first = get(session, "/first")
      yield* promise(() => until(() => held.length === 1))
      upstream.sessions[0]?.close()
      // Answered when the proxy has read what came before it.
      yield* promise(() => new Promise((resolve) => void upstream.sessions[0]?.ping(resolve)))
      const second = yield* promise(() => get(session, "/second"))
      assert.strictEqual(second.status, 200)
      assert.strictEqual((yield* promise(() => first)).body, "ok")
      assert.lengthOf(upstream.sessions, 2)
    }).pipe(Effect.scoped))

  it.live("that say GOAWAY before a request they have not looked at lose it to another session (RFC 9113 section 6.8)", () =>
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

  it.live("that were closed are replaced", () =>
    Effect.gen(function*() {
      const { session, upstream } = yield* setUp(quick)
      for (let i = 1; i <= 3; i++) {
        assert.strictEqual((yield* promise(() => get(session, "/"))).body, "ok")
        upstream.sessions[i - 1]?.destroy()
        yield* promise(() => until(() => upstream.sessions[i - 1]?.destroyed === true))
      }
      assert.lengthOf(upstream.sessions, 3)
    }).pipe(Effect.scoped))

  it.live("lost in the middle cost a GET nothing before it was answered, and a POST its answer", () =>
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

describe("a session with an API that was silent for long", () => {
  /** The clock goes on by a minute; timers do not. */
  const later = Effect.acquireRelease(
    Effect.sync(() => {
      const now = performance.now.bind(performance)
      return vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000)
    }),
    (spy) => Effect.sync(() => spy.mockRestore())
  )

  /** A network between the proxy and the API that can lose what is sent on the connections there are. */
  const network = (port: number) =>
    Effect.acquireRelease(
      Effect.callback<{
        readonly port: number
        readonly lose: () => void
        /** What the API says on the connections there are stays on its way until the result is called. */
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

  /** A session that one request has been answered on, with an API behind such a network. */
  const served = (handler: StreamHandler) =>
    Effect.gen(function*() {
      const upstream = yield* makeUpstream(handler)
      const between = yield* network(upstream.port)
      const { proxy } = yield* proxyTo(between.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      yield* promise(() => get(session, "/"))
      return { between, session, upstream }
    })

  it.live("is asked for a sign of life, and goes on", () =>
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

  it.live("is replaced when it gives none: no request is lost in it", () =>
    Effect.gen(function*() {
      const { between, session, upstream } = yield* served(quick)
      between.lose()
      yield* later
      const answer = yield* promise(() => get(session, "/", { ":method": "POST" }))
      assert.strictEqual(answer.body, "ok")
      assert.lengthOf(upstream.sessions, 2)
      assert.lengthOf(upstream.seen, 2)
    }).pipe(Effect.scoped))

  /** Says the head and a part of each answer under `/begun`, and nothing more. */
  const begun: StreamHandler = (stream, headers, raw) => {
    if (headers[":path"] !== "/begun") return quick(stream, headers, raw)
    stream.respond()
    stream.write("a part")
  }

  it.live("or is so while requests wait, or while answers come, does not keep them waiting for ever", () =>
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

  it.live("or takes seconds to give one, because its way is full, keeps the requests that it has, and gets no other", () =>
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

describe("an API that wants HTTP/1.1 for what it is asked over HTTP/2 (RFC 9113 section 7)", () => {
  const resetting: StreamHandler = (stream) => resetStream(stream, HTTP_1_1_REQUIRED)
  /** It may have looked at the request, or has not. */
  const leaving = (lastStream: number): StreamHandler => (stream) =>
    stream.session?.goaway(HTTP_1_1_REQUIRED, lastStream)

  /** Speaks both, and answers what comes over HTTP/1.1 with its method and body. `asked`: the methods of those requests. */
  const willing = (decline: StreamHandler) =>
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

  for (const [how, decline] of [["a stream", resetting], ["the session", leaving(0)]] as const) {
    it.live(`is asked again, and over HTTP/1.1 from then on, by whomever, when it ends ${how} so`, () =>
      Effect.gen(function*() {
        const { asked, proxy, session, upstream } = yield* willing(decline)
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

  it.live("gets all that was on its way to it over HTTP/1.1", () =>
    Effect.gen(function*() {
      const { asked, session } = yield* willing(resetting)
      const answers = yield* many(session, 20)
      assert.isTrue(answers.every(({ status }) => status === 200))
      assert.lengthOf(asked, 20)
    }).pipe(Effect.scoped))

  it.live("gets a body that was not begun, and is named to a child that has to send its body again", () =>
    Effect.gen(function*() {
      const { asked, session } = yield* willing(resetting)
      const kept = session.request({ ":method": "POST", ":path": "/", expect: "100-continue" }, { endStream: false })
      kept.once("continue", () => kept.end("body"))
      assert.deepInclude(yield* promise(() => answerOf(kept)), { status: 200, body: "body" })
      const { asked: others, session: another } = yield* willing(resetting)
      for (const expected of [{ code: HTTP_1_1_REQUIRED }, { status: 200, body: "body" }]) {
        const sent = another.request({ ":method": "POST", ":path": "/" }, { endStream: false })
        sent.end("body")
        assert.deepInclude(yield* promise(() => answerOf(sent)), expected)
      }
      assert.deepStrictEqual([...asked, ...others], ["POST", "POST"])
    }).pipe(Effect.scoped))

  it.live("is not asked twice for what it may have done, when it does not say otherwise", () =>
    Effect.gen(function*() {
      const { asked, session } = yield* willing(leaving(1))
      assert.strictEqual((yield* promise(() => get(session, "/", { ":method": "POST" }))).status, 502)
      assert.strictEqual((yield* promise(() => get(session, "/", { ":method": "POST" }))).status, 200)
      assert.deepStrictEqual(asked, ["POST"])
    }).pipe(Effect.scoped))

  it.live("and does not speak it is asked once more, and the child is told", () =>
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

describe("an API that speaks one protocol only", () => {
  it.live("is asked for HTTP/2 once, then spoken to as it likes: HTTP/1.1 for each request of its own", () =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate })
      const { proxy } = yield* proxyTo(upstream.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      const answers = yield* many(session, 20)
      assert.isTrue(answers.every(({ status }) => status === 200))
      yield* many(session, 1)
      assert.isAtMost(upstream.connections(), 20)
    }).pipe(Effect.scoped))

  it.live("can have no protocols at all, which is HTTP/1.1", () =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate, tls: { ALPNProtocols: [] } })
      const { proxy } = yield* proxyTo(upstream.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
    }).pipe(Effect.scoped))

  it.live("can have neither HTTP/1.1 nor HTTP/2, which the child is told", () =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate, tls: { ALPNProtocols: ["spdy/3"] } })
      const { proxy } = yield* proxyTo(upstream.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      const answer = yield* promise(() => get(session, "/"))
      assert.strictEqual(answer.status, 502)
      assert.include(JSON.parse(answer.body).message, "does not speak h2 or http/1.1")
    }).pipe(Effect.scoped))

  it.live("is not spoken to in HTTP/2 for a WebSocket", () =>
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
