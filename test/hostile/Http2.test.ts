/** Clients that abuse HTTP/2, frame by frame: the session is closed without affecting the proxy or other sessions. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { live, promise } from "../support/Fixture.ts"
import {
  block,
  Flag,
  frame,
  openRaw,
  PREFACE,
  requestBlock,
  tellsBreaches,
  Type,
  uint32
} from "../support/Http2Frames.ts"
import { get, respondOk, setUp } from "../support/Http2Peers.ts"
import { HOST } from "../support/ProxiedHost.ts"
import { until } from "../support/Until.ts"

const PROTOCOL_ERROR = 1
const ENHANCE_YOUR_CALM = 11

const raw = Effect.gen(function*() {
  const made = yield* setUp(respondOk)
  const session = yield* promise(() => openRaw(made.proxy, `${HOST}:443`))
  yield* Effect.addFinalizer(() => Effect.sync(() => session.socket.destroy()))
  return { ...made, raw: session }
})

const many = (one: Uint8Array) => Buffer.concat(Array.from({ length: 1000 }, () => one))

const headers = (stream: number, flags: number = Flag.endHeaders | Flag.endStream, fields = requestBlock(HOST)) =>
  frame(Type.headers, flags, stream, fields)

describe("an HTTP/2 flood", () => {
  const floods: ReadonlyArray<readonly [what: string, next: (round: number) => Uint8Array]> = [
    [
      "requests that are reset at once (CVE-2023-44487)",
      (round) => Buffer.concat([headers(2 * round + 1), frame(Type.reset, 0, 2 * round + 1, uint32(8))])
    ],
    ["SETTINGS", () => many(frame(Type.settings, 0, 0, Buffer.from([0, 4, 0, 1, 0, 0])))],
    ["PRIORITY", () => many(frame(Type.priority, 0, 3, Buffer.concat([uint32(0), Buffer.of(16)])))],
    ["frames of an unknown type", () => many(frame(200, 0, 0, Buffer.alloc(8)))],
    [
      "empty DATA",
      (round) => round === 0 ? headers(1, Flag.endHeaders) : frame(Type.data, 0, 1)
    ],
    [
      "CONTINUATION (CVE-2024-27983)",
      (round) =>
        round === 0
          ? headers(1, Flag.none)
          : frame(Type.continuation, 0, 1, block([`x-${round}`, "a".repeat(1000)]))
    ],
    [
      "streams that it makes the proxy reset (CVE-2025-8671)",
      (round) =>
        Buffer.concat([headers(2 * round + 1, Flag.endHeaders), frame(Type.windowUpdate, 0, 2 * round + 1, uint32(0))])
    ]
  ]
  for (const [what, next] of floods) {
    live(`of ${what} closes its session and no other`, function*() {
      const { raw: session, session: other } = yield* raw
      session.socket.pause() // responses that are read would not accumulate
      assert.isTrue(yield* promise(() => session.flood(next)))
      assert.strictEqual((yield* promise(() => get(other, "/"))).body, "ok")
    })
  }

  live("of PING frames does not accumulate memory", function*() {
    const { raw: session } = yield* raw
    const before = process.memoryUsage().rss
    yield* promise(async () => {
      for (let round = 0; round < 100; round++) {
        session.send(many(frame(Type.ping, 0, 0, Buffer.alloc(8))))
        await new Promise((resolve) => setImmediate(resolve))
      }
      session.send(headers(5))
    })
    assert.isDefined(yield* promise(() => session.find(({ stream, type }) => type === Type.headers && stream === 5)))
    assert.isBelow(process.memoryUsage().rss - before, 64 * 1024 * 1024)
  })
})

describe("an HTTP/2 limit", () => {
  live("drops early hints for a client that does not read, but not the response", function*() {
    const streams = [1, 3, 5, 7, 9, 11, 13, 15]
    const link = `<${"a".repeat(30_000)}>`
    const { proxy, session: other, upstream } = yield* setUp((stream, { ":path": path }) => {
      for (let i = path === "/" ? 250 : 0; i > 0; i--) stream.additionalHeaders({ ":status": 103, link })
      stream.respond()
      stream.end("ok")
    }, { server: { maxSessionMemory: 1000 } })
    const session = yield* promise(() => openRaw(proxy, `${HOST}:443`))
    session.send(frame(Type.settings, Flag.ack, 0), ...streams.map((id) => headers(id)))
    session.socket.pause()
    yield* promise(() => until(() => upstream.seen.length === streams.length))
    // Sent on the same upstream session, after all hints.
    assert.strictEqual((yield* promise(() => get(other, "/last"))).body, "ok")
    assert.lengthOf(upstream.sessions, 1)
    session.socket.resume()
    for (const id of streams) {
      yield* promise(() => session.find(({ flags, stream }) => stream === id && (flags & Flag.endStream) !== 0))
    }
    const received = session.frames.reduce((bytes, { payload }) => bytes + payload.length, 0)
    assert.isAbove(received, link.length)
    assert.isBelow(received, 16_000_000)
    session.socket.destroy()
  })

  live("on concurrent streams is advertised and enforced", function*() {
    const { proxy, upstream } = yield* setUp(() => {})
    const session = yield* promise(() => openRaw(proxy, `${HOST}:443`))
    yield* promise(() => session.find(({ flags, type }) => type === Type.settings && flags === 0))
    session.send(frame(Type.settings, Flag.ack, 0))
    yield* promise(() => session.find(({ flags, type }) => type === Type.settings && flags === Flag.ack))
    session.send(...Array.from({ length: 513 }, (_, i) => headers(2 * i + 1)))
    const code = yield* promise(() => session.goaway())
    if (tellsBreaches) assert.strictEqual(code, PROTOCOL_ERROR)
    assert.isAtMost(upstream.seen.length, 512)
    session.socket.destroy()
  })

  live("of 64 KiB applies to the head of a request", function*() {
    const { daemon, raw: session, upstream } = yield* raw
    const send = (stream: number, length: number) => {
      const long = Array.from({ length }, (_, i) => [`x-${i}`, "a".repeat(8000)] as const)
      const fields = requestBlock(HOST, long)
      for (let at = 0; at < fields.length; at += 16_000) {
        const last = at + 16_000 >= fields.length
        const flags = (last ? Flag.endHeaders : 0) | (at === 0 ? Flag.endStream : 0)
        const type = at === 0 ? Type.headers : Type.continuation
        session.send(frame(type, flags, stream, fields.subarray(at, at + 16_000)))
      }
      return promise(() =>
        session.find(({ stream: of, type }) => of === stream && (type === Type.headers || type === Type.reset))
      )
    }
    assert.strictEqual((yield* send(1, 9))?.type, Type.headers)
    session.send(frame(Type.settings, Flag.ack, 0))
    assert.strictEqual((yield* send(3, 9))?.type, Type.headers)
    const reset = yield* send(5, 17)
    assert.strictEqual(reset?.payload.readUInt32BE(0), ENHANCE_YOUR_CALM)
    assert.lengthOf(daemon.resolved, 0)
    assert.lengthOf(upstream.seen, 0)
  })

  live("on the time of a request's head also applies to the preface", function*() {
    const { open } = yield* setUp(undefined, { headMilliseconds: 200 })
    const silent = yield* open({ ALPNProtocols: ["h2"] })
    yield* promise(() => silent.wire.closed())
    const half = yield* open({ ALPNProtocols: ["h2"] })
    half.wire.send(PREFACE.subarray(0, 10))
    yield* promise(() => half.wire.closed())
  })
})

describe("malformed HTTP/2 (RFC 9113)", () => {
  const broken: ReadonlyArray<readonly [what: string, bytes: Uint8Array]> = [
    ["bytes that are not a frame", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["a frame longer than allowed", frame(Type.data, 0, 1, Buffer.alloc(20_000))],
    ["a header block that cannot be read", headers(1, 5, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))]
  ]
  for (const [what, bytes] of broken) {
    live(`closes the session: ${what}`, function*() {
      const { daemon, raw: session, session: other, upstream } = yield* raw
      session.send(bytes)
      assert.notStrictEqual(yield* promise(() => session.goaway()), 0)
      assert.lengthOf(daemon.resolved, 0)
      assert.lengthOf(upstream.seen, 0)
      assert.strictEqual((yield* promise(() => get(other, "/"))).body, "ok")
    })
  }

  const fields: ReadonlyArray<readonly [what: string, block: Buffer]> = [
    ["connection", requestBlock(HOST, [["connection", "authorization"]])],
    ["transfer-encoding", requestBlock(HOST, [["transfer-encoding", "chunked"]])],
    ["a name in upper case", requestBlock(HOST, [["Authorization", "Bearer x"]])],
    ["two authorities", requestBlock(HOST, [[":authority", "evil.example.net"]])],
    ["two lengths", requestBlock(HOST, [["content-length", "0"], ["content-length", "1"]])]
  ]
  for (const [what, list] of fields) {
    live(`resets the stream with ${what} without resolving a credential`, function*() {
      const { daemon, raw: session, upstream } = yield* raw
      session.send(headers(1, undefined, list), headers(3))
      const reset = yield* promise(() => session.find(({ stream, type }) => stream === 1 && type === Type.reset))
      assert.strictEqual(reset?.payload.readUInt32BE(0), PROTOCOL_ERROR)
      const response = yield* promise(() => session.find(({ stream, type }) => stream === 3 && type === Type.headers))
      assert.isDefined(response)
      assert.lengthOf(daemon.resolved, 1)
      assert.lengthOf(upstream.seen, 1)
    })
  }
})
