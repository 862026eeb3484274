/** HTTP/2 upstreams that flood or stall. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { live, promise } from "../support/Fixture.ts"
import { Flag, frame, type RawSession, tellsBreaches, Type, uint32 } from "../support/Http2Frames.ts"
import { connectSession, get, responseOf } from "../support/Http2Peers.ts"
import {
  data,
  goaway,
  head,
  informed,
  isPong,
  ping,
  reset,
  settings,
  setUp,
  times,
  window
} from "../support/Http2Violations.ts"
import { until } from "../support/Until.ts"
import { turn } from "../support/UpstreamPeer.ts"

const FLOW_CONTROL_ERROR = 3
const CANCEL = 8

describe("an HTTP/2 upstream that floods", () => {
  const floods: ReadonlyArray<readonly [what: string, make: (stream: number) => Uint8Array]> = [
    ["hints", informed(100, "103")],
    ["PING", times(100, ping)],
    ["SETTINGS", times(100, () => settings([3, 1]))],
    ["PRIORITY", times(100, (stream) => frame(Type.priority, 0, stream, Buffer.concat([uint32(0), Buffer.of(1)])))],
    ["windows", times(100, () => window(0, 1))],
    ["GOAWAY", times(100, (stream) => goaway(stream))],
    ["empty DATA that is padded", times(100, (stream) => frame(Type.data, Flag.padded, stream, Buffer.of(0)))],
    ["frames of an unknown type", times(100, (stream) => frame(200, 0, stream, Buffer.alloc(8)))]
  ]
  for (const [what, make] of floods) {
    live(`with ${what} does not delay others and is disconnected when the client disconnects`, function*() {
      let flooded: RawSession | undefined
      const { other, proxy } = yield* setUp({
        respond: (session, stream) => {
          flooded = session
          if (what.startsWith("empty")) session.send(head(stream))
          void session.flood(() => make(stream))
        }
      })
      const session = yield* connectSession(proxy)
      const stream = session.request({ ":method": "POST", ":path": "/" }, { endStream: true })
      stream.on("error", () => {})
      stream.resume()
      yield* promise(() => until(() => flooded !== undefined))
      for (let round = 0; round < 3; round++) assert.strictEqual((yield* other).ending, "whole")
      stream.close(CANCEL)
      const reset = yield* promise(() => flooded!.find(({ type }) => type === Type.reset))
      assert.isTrue(reset !== undefined || flooded!.closed)
    })
  }

  live("with more data than flow control allows loses its session", function*() {
    const { upstream, other, proxy } = yield* setUp({
      respond: (session, stream) => {
        session.send(head(stream))
        void session.flood(() => frame(Type.data, 0, stream, Buffer.alloc(16_384)))
      }
    })
    const session = yield* connectSession(proxy)
    const stream = session.request({ ":path": "/" })
    const closed = new Promise((resolve) => stream.on("error", resolve))
    yield* promise(() => until(() => upstream.sessions[0]?.closed === true))
    const code = yield* promise(() => upstream.sessions[0]!.goaway())
    if (tellsBreaches) assert.strictEqual(code, FLOW_CONTROL_ERROR)
    yield* promise(() => closed)
    assert.strictEqual((yield* other).ending, "whole")
  })
})

describe("an HTTP/2 upstream that delays the end of its response", () => {
  live("and resets it with NO_ERROR causes an incomplete response, even for a slow client", function*() {
    const { upstream, proxy } = yield* setUp({
      respond: (session, stream) => {
        const body = times(40, () => data(stream, "x".repeat(16_000), Flag.none))
        session.send(head(stream), body(stream), reset(0)(stream), ping())
      }
    })
    const session = yield* connectSession(proxy)
    const stream = session.request({ ":path": "/" })
    // The proxy has processed everything that was sent before the PING.
    yield* promise(() => until(() => upstream.sessions[0]?.frames.some(isPong) === true))
    const response = yield* promise(() => responseOf(stream))
    assert.notStrictEqual(response.code, 0)
    assert.isAbove(response.body.length, 60_000)
  })

  live("and never ends its head is treated as unresponsive", function*() {
    const { upstream, clients, other, proxy } = yield* setUp({
      respond: (session, stream) =>
        session.send(
          head(stream, undefined, Flag.none),
          frame(Type.continuation, 0, stream, Buffer.alloc(100)).subarray(0, 20)
        )
    })
    const session = yield* connectSession(proxy)
    const has = (type: number, flags?: number) =>
      upstream.sessions[0]?.frames.some((frame) => frame.type === type && frame.flags === (flags ?? frame.flags)) ===
        true
    yield* promise(() => until(() => has(Type.settings, Flag.ack)))
    let passed = 0
    const now = performance.now.bind(performance)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
        vi.spyOn(performance, "now").mockImplementation(() => now() + passed)
      }),
      () => Effect.sync(() => vi.useRealTimers() && vi.restoreAllMocks())
    )
    const pass = (milliseconds: number) => {
      passed += milliseconds
      vi.advanceTimersByTime(milliseconds)
    }
    const waiting = get(session, "/", { ":method": "POST" })
    yield* promise(async () => {
      while (!has(Type.headers)) await turn()
      pass(10_000)
      while (!has(Type.ping)) await turn()
      pass(15_000)
    })
    assert.strictEqual((yield* promise(() => waiting)).status, 502)
    vi.useRealTimers()
    assert.strictEqual((yield* clients["HTTP/2"]).ending, "whole")
    assert.strictEqual((yield* other).ending, "whole")
  })
})
