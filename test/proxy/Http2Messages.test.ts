import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http2 from "node:http2"
import { vi } from "vitest"
import { resetStream } from "../../src/http/NodeQuirks.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { CredentialRefusedError } from "../../src/proxy/routing/CredentialSource.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import {
  answerOf,
  certificate,
  connectSession,
  get,
  HOST,
  makeUpstream,
  proxyTo,
  setUp
} from "../support/Http2Peers.ts"
import { bearer, fakeDaemon, route, secureTunnel, until } from "../support/ProxyHarness.ts"

const promise = <A>(run: () => Promise<A>) => Effect.promise(run)
const once = (emitter: NodeJS.EventEmitter, event: string) =>
  promise(() => new Promise<void>((resolve) => emitter.once(event, () => resolve())))
const signal = <A = void>() => {
  let resolve: (value: A) => void = () => {}
  const value = new Promise<A>((done) => {
    resolve = done
  })
  return { resolve, value }
}

const NO_ERROR = 0
const INTERNAL_ERROR = 2
const REFUSED_STREAM = 7
const CANCEL = 8
const ENHANCE_YOUR_CALM = 11

describe("messages over HTTP/2", () => {
  for (const status of [204, 304]) {
    it.live(`have no body when they say ${status}`, () =>
      Effect.gen(function*() {
        const { session } = yield* setUp((stream) => stream.respond({ ":status": status, etag: "x" }))
        const answer = yield* promise(() => get(session, "/"))
        assert.deepInclude(answer, { status, body: "", code: NO_ERROR })
      }).pipe(Effect.scoped))
  }

  it.live("respond to HEAD with the length of the omitted content", () =>
    Effect.gen(function*() {
      const { session } = yield* setUp((stream) => {
        stream.respond({ "content-length": "1234" }, { endStream: true })
      })
      const answer = yield* promise(() => get(session, "/", { ":method": "HEAD" }))
      assert.deepInclude(answer, { status: 200, body: "" })
      assert.strictEqual(answer.headers["content-length"], "1234")
    }).pipe(Effect.scoped))

  it.live("pass on early hints and 100 (Continue)", () =>
    Effect.gen(function*() {
      const { session, upstream } = yield* setUp((stream) => {
        stream.additionalHeaders({ ":status": 103, link: "</a.css>; rel=preload", "x-more": "1" })
        stream.additionalHeaders({ ":status": 100 })
        stream.resume()
        stream.on("end", () => {
          stream.respond()
          stream.end("ok")
        })
      })
      const stream = session.request({ ":method": "POST", ":path": "/", expect: "100-continue" }, { endStream: false })
      stream.once("continue", () => stream.end("body"))
      const answer = yield* promise(() => answerOf(stream))
      assert.deepStrictEqual(
        answer.informed.map((headers) => Number(headers[":status"])),
        [103, 100]
      )
      assert.strictEqual(answer.informed.find((headers) => Number(headers[":status"]) === 103)?.["x-more"], "1")
      assert.strictEqual(answer.body, "ok")
      assert.include(upstream.seen[0] ?? [], "expect")
    }).pipe(Effect.scoped))

  it.live("send the body after a time limit if the upstream ignores Expect", () =>
    Effect.gen(function*() {
      const { session } = yield* setUp((stream) => {
        stream.resume()
        stream.on("end", () => {
          stream.respond()
          stream.end("ok")
        })
      })
      const stream = session.request({ ":method": "POST", ":path": "/", expect: "100-continue" }, { endStream: false })
      stream.once("continue", () => stream.end("body"))
      assert.strictEqual((yield* promise(() => answerOf(stream))).body, "ok")
    }).pipe(Effect.scoped))

  it.live("let the upstream decide by the head whether it wants the body", () =>
    Effect.gen(function*() {
      const { session, upstream } = yield* setUp((stream) => {
        stream.respond({ ":status": 417 })
        stream.end("no")
      })
      const stream = session.request({ ":method": "POST", ":path": "/", expect: "100-continue" }, { endStream: false })
      const answer = yield* promise(() => answerOf(stream))
      assert.deepInclude(answer, { status: 417, body: "no", informed: [] })
      assert.lengthOf(upstream.seen, 1)
    }).pipe(Effect.scoped))

  it.live("do not request a body that will not be forwarded", () =>
    Effect.gen(function*() {
      const { session } = yield* setUp(undefined, {
        daemon: fakeDaemon([route(HOST, "example")], {
          resolve: () =>
            Effect.fail(new CredentialRefusedError({ error: "ConnectionNotFoundError", detail: "", status: 404 }))
        })
      })
      const stream = session.request({ ":method": "POST", ":path": "/", expect: "100-continue" }, { endStream: false })
      const answer = yield* promise(() => answerOf(stream))
      assert.lengthOf(answer.informed, 0)
      assert.strictEqual(answer.status, 403)
      assert.include(JSON.parse(answer.body).message, "run: credsvc login example")
    }).pipe(Effect.scoped))

  it.live("keep repeated fields and join `cookie` fields", () =>
    Effect.gen(function*() {
      const { session, upstream } = yield* setUp((stream) => {
        stream.respond({ "set-cookie": ["a=1", "b=2"], "x-twice": ["1", "2"] })
        stream.end()
      })
      const answer = yield* promise(() => get(session, "/", { cookie: ["c=1", "d=2"], "x-many": ["3", "4"] }))
      assert.deepStrictEqual(answer.headers["set-cookie"], ["a=1", "b=2"])
      assert.strictEqual(answer.headers["x-twice"], "1, 2")
      const raw = upstream.seen[0] ?? []
      const named = (name: string) => raw.flatMap((text, i) => i % 2 === 0 && text === name ? [raw[i + 1]] : [])
      assert.deepStrictEqual(named("cookie"), ["c=1; d=2"])
      assert.deepStrictEqual(named("x-many"), ["3", "4"])
    }).pipe(Effect.scoped))

  it.live("keep `te: trailers` and lose hop-by-hop fields", () =>
    Effect.gen(function*() {
      const { session, upstream } = yield* setUp()
      yield* promise(() => get(session, "/", { te: "trailers", "proxy-authorization": "Basic eDp5", trailer: "x" }))
      const raw = upstream.seen[0] ?? []
      assert.strictEqual(raw[raw.indexOf("te") + 1], "trailers")
      assert.notInclude(raw, "proxy-authorization")
      assert.notInclude(raw, "trailer")
    }).pipe(Effect.scoped))

  it.live("pass on each chunk of a body when it arrives, in both directions", () =>
    Effect.gen(function*() {
      const { session } = yield* setUp((stream) => {
        stream.respond()
        stream.pipe(stream)
      })
      const stream = session.request({ ":method": "POST", ":path": "/" }, { endStream: false })
      for (const piece of ["one", "two", "three"]) {
        stream.write(piece)
        const back = yield* promise(() => new Promise<Buffer>((resolve) => stream.once("data", resolve)))
        assert.strictEqual(back.toString(), piece)
      }
      stream.end()
      yield* once(stream, "close")
      assert.strictEqual(stream.rstCode, NO_ERROR)
    }).pipe(Effect.scoped))

  it.live("get an early response without the rest of the upload", () =>
    Effect.gen(function*() {
      const { session, upstream } = yield* setUp((stream) => {
        stream.respond({ ":status": 413 })
        stream.end("too much")
      })
      const stream = session.request({ ":method": "POST", ":path": "/" }, { endStream: false })
      stream.write("the beginning")
      const answer = yield* promise(() => answerOf(stream))
      assert.deepInclude(answer, { status: 413, body: "too much", code: NO_ERROR })
      assert.strictEqual((yield* promise(() => get(session, "/"))).status, 413)
      assert.lengthOf(upstream.sessions, 1)
    }).pipe(Effect.scoped))

  it.live("translate trailers between HTTP/1.1 and HTTP/2", () =>
    Effect.gen(function*() {
      const old = yield* FakeUpstream.make({
        certificate,
        handler: (_request, response) => {
          response.writeHead(200, { trailer: "x-sum" })
          response.write("body")
          response.addTrailers({ "x-sum": "1" })
          response.end()
        }
      })
      const down = yield* proxyTo(old.port)
      const session = yield* connectSession(down.proxy, `${HOST}:443`)
      const answer = yield* promise(() => get(session, "/"))
      assert.strictEqual(answer.trailers?.["x-sum"], "1")

      const upstream = yield* makeUpstream((stream) => {
        stream.respond({ ":status": 200 }, { waitForTrailers: true })
        stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "2", host: "x" }))
        stream.end("body")
      })
      const up = yield* proxyTo(upstream.port)
      const { socket, wire } = yield* promise(() => secureTunnel(up.proxy, `${HOST}:443`))
      wire.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
      const text = yield* promise(() => wire.text("\r\n0\r\n"))
      assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
      assert.strictEqual(yield* promise(() => wire.text("\r\n\r\n")), "x-sum: 2\r\n\r\n")
      socket.destroy()
    }).pipe(Effect.scoped))

  it.live("send the trailers of a request after its chunks over HTTP/1.1, without a credential", () =>
    Effect.gen(function*() {
      const old = yield* FakeUpstream.make({
        certificate,
        handler: (incoming, response) => {
          incoming.resume()
          incoming.on("end", () => response.end(JSON.stringify(incoming.rawTrailers)))
        }
      })
      const { proxy } = yield* proxyTo(old.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      const stream = session.request({ ":method": "POST", ":path": "/" }, { endStream: false, waitForTrailers: true })
      stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "1", authorization: "Bearer own" }))
      stream.end("body")
      assert.strictEqual((yield* promise(() => answerOf(stream))).body, "[\"x-sum\",\"1\"]")
    }).pipe(Effect.scoped))

  for (const [what, length] of [["more", 2], ["less", 9]] as const) {
    it.live(`are reset when a request has ${what} than declared`, () =>
      Effect.gen(function*() {
        const taken: Array<string> = []
        const { session } = yield* setUp((stream) => {
          stream.on("data", () => {})
          stream.on("end", () => taken.push(stream.aborted ? "aborted" : "whole"))
        })
        const headers = { ":method": "POST", ":path": "/", "content-length": length }
        const stream = session.request(headers, { endStream: false })
        stream.end("body")
        const answer = yield* promise(() => answerOf(stream))
        assert.strictEqual(answer.status, 0)
        assert.notStrictEqual(answer.code, NO_ERROR)
        assert.notInclude(taken, "whole")
      }).pipe(Effect.scoped))
  }
})

describe("an aborted exchange over HTTP/2", () => {
  for (const code of [INTERNAL_ERROR, CANCEL, ENHANCE_YOUR_CALM]) {
    it.live(`is reset with the upstream's code ${code}, before and within a response`, () =>
      Effect.gen(function*() {
        const { session } = yield* setUp((stream, headers) => {
          if (headers[":path"] === "/before") return resetStream(stream, code)
          stream.respond()
          stream.write("half of it", () => resetStream(stream, code))
        })
        assert.deepInclude(yield* promise(() => get(session, "/before")), { status: 0, code })
        assert.deepInclude(yield* promise(() => get(session, "/within")), { status: 200, code })
      }).pipe(Effect.scoped))
  }

  it.live("is not a complete response even if its code is NO_ERROR", () =>
    Effect.gen(function*() {
      const { session, proxy } = yield* setUp((stream) => {
        stream.respond()
        stream.write("half of it", () => resetStream(stream, NO_ERROR))
      })
      assert.deepInclude(yield* promise(() => get(session, "/")), { status: 200, code: INTERNAL_ERROR })
      const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
      wire.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
      assert.isFalse((yield* promise(() => wire.answer())).complete)
    }).pipe(Effect.scoped))

  it.live("is reset when the upstream connection is lost, or gets a 502 before a response", () =>
    Effect.gen(function*() {
      const { session } = yield* setUp((stream, headers) => {
        if (headers[":path"] === "/before") return stream.session?.destroy()
        stream.respond()
        stream.write("half of it", () => stream.session?.destroy())
      })
      const before = yield* promise(() => get(session, "/before", { ":method": "POST" }))
      assert.deepInclude(before, { status: 502, code: NO_ERROR })
      assert.deepInclude(yield* promise(() => get(session, "/within")), { status: 200, code: INTERNAL_ERROR })
    }).pipe(Effect.scoped))

  it.live("is reset when an HTTP/1.1 upstream aborts", () =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({
        certificate,
        handler: (_request, response) => response.write("half of it", () => response.destroy())
      })
      const { proxy } = yield* proxyTo(upstream.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      assert.deepInclude(yield* promise(() => get(session, "/")), { status: 200, code: INTERNAL_ERROR })
    }).pipe(Effect.scoped))

  it.live("is cancelled upstream when the client resets it, and the session is kept", () =>
    Effect.gen(function*() {
      const started = signal()
      const code = signal<number>()
      const { session, upstream } = yield* setUp((stream, headers) => {
        if (headers[":path"] !== "/long") return stream.respond({ ":status": 204 })
        stream.respond()
        stream.write("first")
        started.resolve()
        stream.on("close", () => code.resolve(stream.rstCode))
      })
      const stream = session.request({ ":path": "/long" })
      stream.on("error", () => {})
      yield* promise(() => started.value)
      resetStream(stream, CANCEL)
      assert.strictEqual(yield* promise(() => code.value), CANCEL)
      assert.strictEqual((yield* promise(() => get(session, "/"))).status, 204)
      assert.lengthOf(upstream.sessions, 1)
    }).pipe(Effect.scoped))

  for (const code of [NO_ERROR, CANCEL]) {
    it.live(`is closed when the client resets an unread response with code ${code}`, () =>
      Effect.gen(function*() {
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
      }))
  }

  it.live("does not look like a complete upload when the client resets it", () =>
    Effect.gen(function*() {
      const outcome = signal<string>()
      const { session } = yield* setUp((stream) => {
        stream.resume()
        stream.on("end", () => !stream.aborted && outcome.resolve("whole"))
        stream.on("aborted", () => outcome.resolve("aborted"))
        stream.once("data", () => begun.resolve())
      })
      const begun = signal()
      const stream = session.request({ ":method": "PUT", ":path": "/" }, { endStream: false })
      stream.on("error", () => {})
      stream.write("half of it")
      yield* promise(() => begun.value)
      resetStream(stream, NO_ERROR)
      assert.strictEqual(yield* promise(() => outcome.value), "aborted")
    }).pipe(Effect.scoped))

  it.live("is reported to the client when an upstream resets an unread upload with NO_ERROR", () =>
    Effect.gen(function*() {
      const { session } = yield* setUp((stream, headers) => {
        if (headers[":path"] === "/") stream.respond()
        resetStream(stream, NO_ERROR)
      })
      for (const path of ["/", "/unanswered"]) {
        const stream = session.request({ ":method": "PUT", ":path": path }, { endStream: false })
        stream.end(Buffer.alloc(200_000))
        const answer = yield* promise(() => answerOf(stream))
        assert.isTrue(answer.status === 502 || answer.code === INTERNAL_ERROR, JSON.stringify(answer))
      }
    }).pipe(Effect.scoped))
})

describe("requests that an HTTP/2 upstream has not processed", () => {
  it.live("are retried once if they have no body, whatever the method (RFC 9113 section 8.7)", () =>
    Effect.gen(function*() {
      let requests = 0
      const { session } = yield* setUp((stream) => {
        if (++requests === 1) return resetStream(stream, REFUSED_STREAM)
        stream.respond()
        stream.end("second")
      })
      assert.deepInclude(yield* promise(() => get(session, "/", { ":method": "POST" })), {
        status: 200,
        body: "second"
      })
    }).pipe(Effect.scoped))

  it.live("are retried once if the client has not sent any of the body", () =>
    Effect.gen(function*() {
      let requests = 0
      const { proxy, session } = yield* setUp((stream) => {
        if (++requests % 2 === 1) return resetStream(stream, REFUSED_STREAM)
        stream.additionalHeaders({ ":status": 100 })
        stream.respond()
        stream.pipe(stream)
      })
      const stream = session.request({ ":method": "POST", ":path": "/", expect: "100-continue" }, { endStream: false })
      stream.once("continue", () => stream.end("body"))
      assert.deepInclude(yield* promise(() => answerOf(stream)), { status: 200, body: "body" })
      const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
      wire.send(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n`)
      assert.strictEqual((yield* promise(() => wire.answer())).status, 100)
      wire.send("body")
      assert.deepInclude(yield* promise(() => wire.answer()), { status: 200, body: "body" })
      assert.strictEqual(requests, 4)
    }).pipe(Effect.scoped))

  it.live("are refused to the client with the same code otherwise", () =>
    Effect.gen(function*() {
      let requests = 0
      const { session } = yield* setUp((stream) => {
        requests++
        resetStream(stream, REFUSED_STREAM)
      })
      assert.strictEqual((yield* promise(() => get(session, "/"))).code, REFUSED_STREAM)
      assert.strictEqual(requests, 2)
      const stream = session.request({ ":method": "POST", ":path": "/" }, { endStream: false })
      stream.end("body")
      assert.strictEqual((yield* promise(() => answerOf(stream))).code, REFUSED_STREAM)
      assert.strictEqual(requests, 3)
    }).pipe(Effect.scoped))
})

describe("a token that an HTTP/2 upstream rejects", () => {
  it.live("is refreshed, and the request is retried on the same session", () =>
    Effect.gen(function*() {
      let current = "old"
      const daemon = fakeDaemon([route(HOST, "example")], {
        resolve: (asked) =>
          Effect.sync(() => {
            if (asked.rejected !== undefined) current = "new"
            return {
              ...bearer(asked, current),
              issuedAt: current === "old" ? "2026-01-01T00:00:00.000Z" : "2026-01-01T01:00:00.000Z",
              refreshable: true
            }
          })
      })
      const { session, upstream } = yield* setUp((stream, headers) => {
        stream.respond({ ":status": headers.authorization === "Bearer new" ? 200 : 401 })
        stream.end("body")
      }, { daemon })
      assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
      assert.lengthOf(upstream.seen, 2)
      assert.lengthOf(upstream.sessions, 1)
    }).pipe(Effect.scoped))
})

describe("bodies over HTTP/2", () => {
  const MEBIBYTE = 1024 * 1024
  const PIECE = Buffer.alloc(64 * 1024, 7)

  const write = async (stream: Http2.Http2Stream, total: number) => {
    for (let sent = 0; sent < total; sent += PIECE.length) {
      if (!stream.write(PIECE)) await new Promise((resolve) => stream.once("drain", resolve))
    }
    stream.end()
  }
  const count = async (stream: Http2.Http2Stream) => {
    let bytes = 0
    for await (const chunk of stream) bytes += (chunk as Buffer).length
    return bytes
  }
  const peak = async (work: () => Promise<void>) => {
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }, 10)
    await work()
    clearInterval(timer)
    return most
  }

  it.live("of 100 MiB pass in both directions with bounded memory", () =>
    Effect.gen(function*() {
      const uploaded = signal<number>()
      const { session } = yield* setUp((stream, headers) => {
        if (headers[":method"] === "GET") {
          stream.respond()
          void write(stream, 100 * MEBIBYTE)
          return
        }
        void count(stream).then((bytes) => {
          uploaded.resolve(bytes)
          stream.respond({ ":status": 204 }, { endStream: true })
        })
      })
      const down = yield* promise(() =>
        peak(async () => {
          assert.strictEqual(await count(session.request({ ":path": "/" })), 100 * MEBIBYTE)
        })
      )
      const up = yield* promise(() =>
        peak(async () => {
          const stream = session.request({ ":method": "PUT", ":path": "/" }, { endStream: false })
          await write(stream, 100 * MEBIBYTE)
          assert.strictEqual(await uploaded.value, 100 * MEBIBYTE)
        })
      )
      assert.isBelow(down, 64 * MEBIBYTE)
      assert.isBelow(up, 64 * MEBIBYTE)
    }).pipe(Effect.scoped))

  it.live("apply backpressure up to the sender without blocking other streams", () =>
    Effect.gen(function*() {
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
      const stalled = session.request({ ":path": "/large" })
      stalled.on("error", () => {})
      yield* once(stalled, "response")
      stalled.pause()
      let before = -1
      while (before !== taken) {
        before = taken
        for (let i = 0; i < 20; i++) assert.strictEqual((yield* promise(() => get(session, "/"))).body, "small")
      }
      assert.isBelow(taken, 8 * MEBIBYTE)
      stalled.close(CANCEL)
    }).pipe(Effect.scoped))
})
