import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http2 from "node:http2"
import type * as Tls from "node:tls"
import { vi } from "vitest"
import { ServerSessions, type StreamHandler } from "../../../src/http/http2/ServerSessions.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { live, promise } from "../../support/Fixture.ts"
import { Flag, frame, PREFACE, RawSession, requestBlock, Type } from "../../support/Http2Frames.ts"
import { dial } from "../../support/ProxyHarness.ts"
import { listen } from "../../support/TestServer.ts"

const settings = frame(Type.settings, Flag.none, 0)
const acknowledgement = frame(Type.settings, Flag.ack, 0)
const request = (stream: number) =>
  frame(Type.headers, Flag.endStream | Flag.endHeaders, stream, requestBlock("api.example.com"))
const ended =
  (stream: number) => (received: { readonly type: number; readonly flags: number; readonly stream: number }) =>
    received.stream === stream && (received.type === Type.data || received.type === Type.headers) &&
    (received.flags & Flag.endStream) !== 0

/** A client that has sent nothing yet. Only the timers of the sessions are fake. */
const connected = (handler: StreamHandler) =>
  Effect.gen(function*() {
    yield* Effect.acquireRelease(
      Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })),
      () => Effect.sync(() => vi.useRealTimers())
    )
    const sessions = new ServerSessions(10_000)
    const server = builtins.net.createServer((socket) => sessions.serve(socket as Tls.TLSSocket, handler))
    const { port } = yield* listen(server)
    const socket = yield* Effect.acquireRelease(
      promise(() => dial(port)),
      (socket) =>
        Effect.sync(() => {
          sessions.close()
          socket.destroy()
        })
    )
    return new RawSession(socket as Tls.TLSSocket)
  })

/** A request whose body comes in frames of one byte, some of them together with the head. */
const sendShortFrames = (session: RawSession) =>
  Effect.gen(function*() {
    const short = Array.from({ length: 500 }, () => frame(Type.data, Flag.none, 1, Buffer.of(7)))
    const head = frame(Type.headers, Flag.endHeaders, 1, requestBlock("api.example.com"))
    session.send(PREFACE, settings, acknowledgement, head, ...short)
    for (let sent = 0; sent < 2; sent++) {
      session.send(...short, frame(Type.ping, Flag.none, 0, Buffer.alloc(8, sent)))
      yield* promise(() =>
        session.find(({ flags, payload, type }) => type === Type.ping && flags === Flag.ack && payload[0] === sent)
      )
    }
  })

describe("ServerSessions", () => {
  live("joins short frames that wait for a reader, so that they cost little more memory than their bytes", function*() {
    const opened = Promise.withResolvers<Http2.ServerHttp2Stream>()
    const session = yield* connected((stream) => opened.resolve(stream))
    yield* sendShortFrames(session)
    const stream = yield* promise(() => opened.promise)
    const parts: Array<Buffer> = []
    const read = new Promise((resolve) => stream.on("data", (part: Buffer) => parts.push(part)).once("end", resolve))
    session.send(frame(Type.data, Flag.endStream, 1, Buffer.of(8)))
    yield* promise(() => read)
    assert.isTrue(Buffer.concat(parts).equals(Buffer.concat([Buffer.alloc(1500, 7), Buffer.of(8)])))
    assert.isBelow(parts.length, 32)
  })

  live("closes a stream whose content nobody has read", function*() {
    const closed = Promise.withResolvers<void>()
    const session = yield* connected((stream) => {
      stream.on("error", () => {}).once("close", () => closed.resolve())
      stream.respond({ ":status": 204 }, { endStream: true })
    })
    yield* sendShortFrames(session)
    yield* promise(() => closed.promise)
  })

  live("keeps a session after a first request that ended before the client acknowledged the settings", function*() {
    const started: Array<PromiseWithResolvers<void>> = [Promise.withResolvers(), Promise.withResolvers()]
    const session = yield* connected((stream) => {
      const isFirst = stream.id === 1
      stream.respond({ ":status": 204 }, { endStream: isFirst })
      started[isFirst ? 0 : 1]!.resolve()
    })
    session.send(PREFACE, settings, request(1))
    yield* promise(() => session.find(ended(1)))
    session.send(acknowledgement, request(3))
    yield* promise(() => started[1]!.promise)
    vi.advanceTimersByTime(200_000)
    // Whatever the timers have sent arrives before the response to a PING.
    session.send(frame(Type.ping, Flag.none, 0, Buffer.alloc(8)))
    yield* promise(() => session.find(({ flags, type }) => type === Type.ping && flags === Flag.ack))
    assert.notInclude(session.frames.map(({ type }) => type), Type.goaway)
  })

  live("closes a session that has been idle for 75 seconds", function*() {
    const session = yield* connected((stream) => stream.respond({ ":status": 204 }, { endStream: true }))
    session.send(PREFACE, settings, acknowledgement, request(1))
    yield* promise(() => session.find(ended(1)))
    session.send(frame(Type.ping, Flag.none, 0, Buffer.alloc(8)))
    yield* promise(() => session.find(({ flags, type }) => type === Type.ping && flags === Flag.ack))
    vi.advanceTimersByTime(74_000)
    assert.notInclude(session.frames.map(({ type }) => type), Type.goaway)
    vi.advanceTimersByTime(2000)
    assert.isDefined(yield* promise(() => session.find(({ type }) => type === Type.goaway)))
  })
})
