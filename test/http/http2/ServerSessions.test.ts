import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
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

describe("ServerSessions", () => {
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
