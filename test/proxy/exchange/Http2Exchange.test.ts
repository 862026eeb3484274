import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import type * as Http2 from "node:http2"
import type * as Tls from "node:tls"
import { vi } from "vitest"
import { resetStream } from "../../../src/http/NodeQuirks.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { transportOf } from "../../../src/platform/sockets/Transport.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { get, makeUpstream, post, responseOf, sessionTo, setUp, type StreamHandler } from "../../support/Http2Peers.ts"
import { memoryGrowth } from "../../support/Memory.ts"
import { certificate, proxyTo, request } from "../../support/ProxiedHost.ts"
import { bearer, noCredential } from "../../support/ProxyHarness.ts"
import { until } from "../../support/Until.ts"

const NO_ERROR = 0
const INTERNAL_ERROR = 2
const REFUSED_STREAM = 7
const CANCEL = 8
const ENHANCE_YOUR_CALM = 11

/** Responds with `ok` once the request is complete. */
const respondAtEnd: StreamHandler = (stream) => {
  stream.resume().on("end", () => {
    stream.respond()
    stream.end("ok")
  })
}

/** Begins a request that sends `body` once it is told to continue. */
const postExpecting = (session: Http2.ClientHttp2Session) => {
  const stream = post(session, { expect: "100-continue" })
  stream.once("continue", () => stream.end("body"))
  return promise(() => responseOf(stream))
}

describe("a connection over HTTP/2", () => {
  live("is closed by the proxy once the client has closed its side", function*() {
    const { session } = yield* setUp(respondAtEnd)
    const transport = transportOf(session.socket as Tls.TLSSocket)!
    const closed = once(transport, "close")
    assert.strictEqual((yield* promise(() => responseOf(post(session).end("body")))).body, "ok")
    // As a client behind a port that ssh forwards: ssh waits until both sides are closed.
    transport.end()
    yield* promise(() => closed)
  }, 20_000)
})

describe("messages over HTTP/2", () => {
  live("get no 100 (Continue) if the upstream responds to the head", function*() {
    const { session, upstream } = yield* setUp((stream) => {
      stream.respond({ ":status": 417 })
      stream.end("no")
    })
    assert.deepInclude(yield* postExpecting(session), { status: 417, body: "no", informed: [] })
    assert.lengthOf(upstream.seen, 1)
  })

  live("get no 100 (Continue) if the proxy will not forward the body", function*() {
    const { daemon, session } = yield* setUp()
    daemon.resolve = noCredential()
    const response = yield* postExpecting(session)
    assert.deepInclude(response, { status: 403, informed: [] })
    assert.include(JSON.parse(response.body).message, "Create it with: credsvc login example")
  })

  live("keep repeated fields and join `cookie` fields", function*() {
    const { session, upstream } = yield* setUp((stream) => {
      stream.respond({ "set-cookie": ["a=1", "b=2"], "x-twice": ["1", "2"] })
      stream.end()
    })
    const { headers } = yield* promise(() => get(session, "/", { cookie: ["c=1", "d=2"], "x-many": ["3", "4"] }))
    assert.deepStrictEqual(headers["set-cookie"], ["a=1", "b=2"])
    assert.strictEqual(headers["x-twice"], "1, 2")
    const raw = upstream.seen[0] ?? []
    const named = (name: string) => raw.flatMap((text, i) => i % 2 === 0 && text === name ? [raw[i + 1]] : [])
    assert.deepStrictEqual(named("cookie"), ["c=1; d=2"])
    assert.deepStrictEqual(named("x-many"), ["3", "4"])
  })

  live("keep `te: trailers` and lose hop-by-hop fields", function*() {
    const { session, upstream } = yield* setUp()
    yield* promise(() => get(session, "/", { te: "trailers", "proxy-authorization": "Basic eDp5", trailer: "x" }))
    const raw = upstream.seen[0] ?? []
    assert.strictEqual(raw[raw.indexOf("te") + 1], "trailers")
    assert.notInclude(raw, "proxy-authorization")
    assert.notInclude(raw, "trailer")
  })

  live("carry each chunk of a body as soon as it arrives, in both directions", function*() {
    const { session } = yield* setUp((stream) => {
      stream.respond()
      stream.pipe(stream)
    })
    const stream = post(session)
    for (const piece of ["one", "two", "three"]) {
      stream.write(piece)
      const [back] = yield* promise(() => once(stream, "data"))
      assert.strictEqual(String(back), piece)
    }
    stream.end()
    yield* promise(() => once(stream, "close"))
    assert.strictEqual(stream.rstCode, NO_ERROR)
  })

  live("keep the trailers of a response between HTTP/1.1 and HTTP/2", function*() {
    const old = yield* FakeUpstream.make({
      certificate,
      handler: (_request, response) => {
        response.writeHead(200, { trailer: "x-sum" }).write("body")
        response.addTrailers({ "x-sum": "1" })
        response.end()
      }
    })
    const { session } = yield* sessionTo(old.port)
    assert.strictEqual((yield* promise(() => get(session, "/"))).trailers?.["x-sum"], "1")

    const upstream = yield* makeUpstream((stream) => {
      stream.respond({ ":status": 200 }, { waitForTrailers: true })
      stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "2", host: "x" }))
      stream.end("body")
    })
    const { wire } = yield* (yield* proxyTo(upstream.port)).open()
    wire.send(request("GET /"))
    assert.match(yield* promise(() => wire.text("\r\n0\r\n")), /^HTTP\/1\.1 200 OK\r\n/)
    assert.strictEqual(yield* promise(() => wire.text("\r\n\r\n")), "x-sum: 2\r\n\r\n")
  })

  live("carry the trailers of a request after its chunks over HTTP/1.1, without a credential", function*() {
    const old = yield* FakeUpstream.make({
      certificate,
      handler: (incoming, response) => {
        incoming.resume().on("end", () => response.end(JSON.stringify(incoming.rawTrailers)))
      }
    })
    const { session } = yield* sessionTo(old.port)
    const stream = post(session, {}, { waitForTrailers: true })
    stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "1", authorization: "Bearer own" }))
    stream.end("body")
    assert.strictEqual((yield* promise(() => responseOf(stream))).body, "[\"x-sum\",\"1\"]")
  })
})

describe("an aborted exchange over HTTP/2", () => {
  /** Ends the stream before a response for the path `/before`, otherwise within a response. */
  const ending = (end: (stream: Http2.ServerHttp2Stream) => void): StreamHandler => (stream, headers) => {
    if (headers[":path"] === "/before") return end(stream)
    stream.respond()
    stream.write("half of it", () => end(stream))
  }

  for (const code of [INTERNAL_ERROR, CANCEL, ENHANCE_YOUR_CALM]) {
    live(`is reset with the upstream's code ${code}, before and within a response`, function*() {
      const { session } = yield* setUp(ending((stream) => resetStream(stream, code)))
      assert.deepInclude(yield* promise(() => get(session, "/before")), { status: 0, code })
      assert.deepInclude(yield* promise(() => get(session, "/within")), { status: 200, code })
    })
  }

  live("is not a complete response even if its code is NO_ERROR", function*() {
    const { open, session } = yield* setUp(ending((stream) => resetStream(stream, NO_ERROR)))
    assert.deepInclude(yield* promise(() => get(session, "/")), { status: 200, code: INTERNAL_ERROR })
    assert.isFalse((yield* (yield* open()).exchange("GET /")).complete)
  })

  live("is reset when the upstream connection is lost, or gets a 502 before a response", function*() {
    const { session } = yield* setUp(ending((stream) => stream.session?.destroy()))
    const before = yield* promise(() => get(session, "/before", { ":method": "POST" }))
    assert.deepInclude(before, { status: 502, code: NO_ERROR })
    assert.deepInclude(yield* promise(() => get(session, "/within")), { status: 200, code: INTERNAL_ERROR })
  })

  live("is reset when an HTTP/1.1 upstream aborts", function*() {
    const upstream = yield* FakeUpstream.make({
      certificate,
      handler: (_request, response) => response.write("half of it", () => response.destroy())
    })
    const { session } = yield* sessionTo(upstream.port)
    assert.deepInclude(yield* promise(() => get(session, "/")), { status: 200, code: INTERNAL_ERROR })
  })

  live("is cancelled upstream when the client resets it, and the session is kept", function*() {
    const started = Promise.withResolvers<void>()
    const code = Promise.withResolvers<number>()
    const { session, upstream } = yield* setUp((stream, headers) => {
      if (headers[":path"] !== "/long") return stream.respond({ ":status": 204 })
      stream.respond()
      stream.write("first")
      started.resolve()
      stream.on("close", () => code.resolve(stream.rstCode))
    })
    const stream = session.request({ ":path": "/long" }).on("error", () => {})
    yield* promise(() => started.promise)
    resetStream(stream, CANCEL)
    assert.strictEqual(yield* promise(() => code.promise), CANCEL)
    assert.strictEqual((yield* promise(() => get(session, "/"))).status, 204)
    assert.lengthOf(upstream.sessions, 1)
  })

  for (const code of [NO_ERROR, CANCEL]) {
    live(`is closed when the client resets an unread response with code ${code}`, function*() {
      const streams: Array<Http2.ServerHttp2Stream> = []
      const { performServerHandshake } = builtins.http2
      const spy = vi.spyOn(builtins.http2, "performServerHandshake").mockImplementation((...parameters) =>
        performServerHandshake(...parameters).on("stream", (stream) => streams.push(stream))
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => spy.mockRestore()))
      const { session } = yield* setUp((stream) => {
        stream.respond()
        stream.write(Buffer.alloc(1024 * 1024))
      })
      const stream = session.request({ ":path": "/" }).on("error", () => {}).pause()
      yield* promise(() => until(() => streams[0]?.writableNeedDrain === true))
      resetStream(stream, code)
      yield* promise(() => vi.waitFor(() => assert.isTrue(streams[0]?.destroyed), { timeout: 10_000 }))
    })
  }

  live("does not look like a complete upload when the client resets it", function*() {
    const begun = Promise.withResolvers<void>()
    const outcome = Promise.withResolvers<string>()
    const { session } = yield* setUp((stream) => {
      stream.resume()
      stream.on("end", () => !stream.aborted && outcome.resolve("whole"))
      stream.on("aborted", () => outcome.resolve("aborted"))
      stream.once("data", () => begun.resolve())
    })
    const stream = post(session).on("error", () => {})
    stream.write("half of it")
    yield* promise(() => begun.promise)
    resetStream(stream, NO_ERROR)
    assert.strictEqual(yield* promise(() => outcome.promise), "aborted")
  })

  live("is reported to the client when an upstream resets an unread upload with NO_ERROR", function*() {
    const { session } = yield* setUp((stream, headers) => {
      if (headers[":path"] === "/") stream.respond()
      resetStream(stream, NO_ERROR)
    })
    for (const path of ["/", "/without-response"]) {
      const stream = post(session, { ":path": path })
      stream.end(Buffer.alloc(200_000))
      const response = yield* promise(() => responseOf(stream))
      assert.isTrue(response.status === 502 || response.code === INTERNAL_ERROR, JSON.stringify(response))
    }
  })
})

describe("requests that an HTTP/2 upstream has not processed", () => {
  live("are retried once with any method if they have no body (RFC 9113 section 8.7)", function*() {
    let requests = 0
    const { session } = yield* setUp((stream) => {
      if (++requests === 1) return resetStream(stream, REFUSED_STREAM)
      stream.respond()
      stream.end("second")
    })
    const response = yield* promise(() => get(session, "/", { ":method": "POST" }))
    assert.deepInclude(response, { status: 200, body: "second" })
  })

  live("are retried once if the client has not sent any of the body", function*() {
    let requests = 0
    const { open, session } = yield* setUp((stream) => {
      if (++requests % 2 === 1) return resetStream(stream, REFUSED_STREAM)
      stream.additionalHeaders({ ":status": 100 })
      stream.respond()
      stream.pipe(stream)
    })
    assert.deepInclude(yield* postExpecting(session), { status: 200, body: "body" })
    const { exchange, wire } = yield* open()
    const told = yield* exchange("POST /", "Content-Length: 4\r\nExpect: 100-continue\r\n")
    assert.strictEqual(told.status, 100)
    assert.deepInclude(yield* wire.exchange("body"), { status: 200, body: "body" })
    assert.strictEqual(requests, 4)
  })

  live(
    "are reset with the upstream's code after a second refusal, or if the client has sent a part of the body",
    function*() {
      let requests = 0
      const { session } = yield* setUp((stream) => {
        requests++
        resetStream(stream, REFUSED_STREAM)
      })
      assert.strictEqual((yield* promise(() => get(session, "/"))).code, REFUSED_STREAM)
      assert.strictEqual(requests, 2)
      const stream = post(session)
      stream.end("body")
      assert.strictEqual((yield* promise(() => responseOf(stream))).code, REFUSED_STREAM)
      assert.strictEqual(requests, 3)
    }
  )
})

describe("a token that an HTTP/2 upstream rejects", () => {
  live("is refreshed, and the request is retried on the same session", function*() {
    const { daemon, session, upstream } = yield* setUp((stream, headers) => {
      stream.respond({ ":status": headers.authorization === "Bearer new" ? 200 : 401 })
      stream.end("body")
    })
    daemon.resolve = (request) => {
      const [token, issuedAt] = request.rejected === undefined ? ["old", 0] as const : ["new", 1] as const
      return Effect.succeed({ ...bearer(request, token), issuedAt: DateTime.makeUnsafe(issuedAt), refreshable: true })
    }
    assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
    assert.lengthOf(upstream.seen, 2)
    assert.lengthOf(upstream.sessions, 1)
  })
})

describe("bodies over HTTP/2", () => {
  const MEBIBYTE = 1024 * 1024
  const PIECE = Buffer.alloc(64 * 1024, 7)

  const write = async (stream: Http2.Http2Stream, total: number) => {
    for (let sent = 0; sent < total; sent += PIECE.length) {
      if (!stream.write(PIECE)) await once(stream, "drain")
    }
    stream.end()
  }
  const count = async (stream: Http2.Http2Stream) => {
    let bytes = 0
    for await (const chunk of stream) bytes += (chunk as Buffer).length
    return bytes
  }

  live("of 40 MiB pass in both directions with bounded memory", function*() {
    const uploaded = Promise.withResolvers<number>()
    const { session } = yield* setUp((stream, headers) => {
      if (headers[":method"] === "GET") {
        stream.respond()
        void write(stream, 40 * MEBIBYTE)
        return
      }
      void count(stream).then((bytes) => {
        uploaded.resolve(bytes)
        stream.respond({ ":status": 204 }, { endStream: true })
      })
    })
    const download = async () => {
      assert.strictEqual(await count(session.request({ ":path": "/" })), 40 * MEBIBYTE)
    }
    const upload = async () => {
      await write(post(session), 40 * MEBIBYTE)
      assert.strictEqual(await uploaded.promise, 40 * MEBIBYTE)
    }
    for (const work of [download, upload]) {
      assert.isBelow(yield* promise(() => memoryGrowth(work)), 24 * MEBIBYTE)
    }
  })

  live("cause backpressure on the sender without blocking other streams", function*() {
    let taken = 0
    const { session } = yield* setUp((stream, headers) => {
      stream.respond()
      if (headers[":path"] !== "/large") return stream.end("small")
      const more = (): void => {
        while (!stream.destroyed) {
          taken += PIECE.length
          if (!stream.write(PIECE)) return void stream.once("drain", more)
        }
      }
      more()
    })
    const stalled = session.request({ ":path": "/large" }).on("error", () => {})
    yield* promise(() => once(stalled, "response"))
    stalled.pause()
    let before = -1
    while (before !== taken) {
      before = taken
      for (let i = 0; i < 20; i++) assert.strictEqual((yield* promise(() => get(session, "/"))).body, "small")
    }
    assert.isBelow(taken, 8 * MEBIBYTE)
    stalled.close(CANCEL)
  })
})
