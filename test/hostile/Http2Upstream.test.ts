/**
 * Upstreams that abuse HTTP/2, frame by frame: the client gets a complete response or an error, and neither the proxy nor
 * later requests are affected.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { live, promise } from "../support/Fixture.ts"
import { block, Flag, frame, type RawSession, requestBlock, Type, uint32 } from "../support/Http2Frames.ts"
import {
  data,
  type Ending,
  goaway,
  head,
  informed,
  ok,
  ping,
  type ProtocolViolation,
  reset,
  settings,
  setUp,
  times,
  window
} from "../support/Http2Violations.ts"
import { HOST } from "../support/ProxiedHost.ts"
import { SECRET, secureTunnel } from "../support/ProxyHarness.ts"
import { until } from "../support/Until.ts"

type Fields = ReadonlyArray<readonly [name: string, value: string]>
type Respond = NonNullable<ProtocolViolation["respond"]>

const STATUS = [":status", "200"] as const

const survives = (ending: Ending, violation: ProtocolViolation, absent: string = SECRET) =>
  Effect.forEach(["HTTP/2", "HTTP/1.1"] as const, (protocol) =>
    Effect.gen(function*() {
      const { clients, other, upstream } = yield* setUp(violation)
      const first = yield* clients[protocol]
      assert.strictEqual(first.ending, ending, `over ${protocol}: ${first.text}`)
      if (ending === "whole") assert.strictEqual(first.body, "ok")
      assert.notInclude(first.text, SECRET)
      assert.notInclude(first.text, absent)
      const second = yield* clients[protocol]
      assert.deepInclude(second, { ending: "whole", body: "ok" }, `later over ${protocol}`)
      assert.strictEqual((yield* other).ending, "whole")
      assert.isAtMost(upstream.sessions.length, 2)
    }).pipe(Effect.scoped))

const describeResponses = (
  title: string,
  table: ReadonlyArray<readonly [what: string, ending: Ending, respond: Respond]>
) => {
  describe(title, () => {
    for (const [what, ending, respond] of table) it.live(what, () => survives(ending, { respond }))
  })
}

type MakeFrame = (stream: number) => Uint8Array

const END = Flag.endHeaders | Flag.endStream
/** Heads with these fields, which the stream continues or ends after. */
const headOf = (fields: Fields, flags: number = Flag.endHeaders): MakeFrame => (stream) => head(stream, fields, flags)
const part: MakeFrame = (stream) => data(stream, "o", Flag.none)
const body: MakeFrame = (stream) => data(stream, "ok")

/** Only these frames. */
const only = (...frames: ReadonlyArray<MakeFrame>): Respond => (session, stream) =>
  session.send(...frames.map((make) => make(stream)))
/** These frames, then the end of the connection. */
const thenClose = (...frames: ReadonlyArray<MakeFrame>): Respond => (session, stream) => {
  only(...frames)(session, stream)
  session.socket.end()
}
/** These frames within a response. */
const within = (...frames: ReadonlyArray<MakeFrame>): Respond => only((stream) => head(stream), ...frames, body)
/** These frames before a response. */
const before = (...frames: ReadonlyArray<MakeFrame>): Respond => only(...frames, ok)
/** A head with these fields, and a body. */
const listed = (fields: Fields): Respond => only(headOf(fields), body)
/** A response with trailers. */
const trailers = (fields: Fields, flags?: number): Respond =>
  only((stream) => head(stream), (stream) => data(stream, "ok", Flag.none), headOf(fields, flags ?? END))

/** A header block in as few frames as possible. */
const inPieces = (stream: number, fields: Buffer, first: number = Flag.none): ReadonlyArray<Buffer> => {
  const pieces: Array<Buffer> = []
  for (let at = 0; at < fields.length; at += 16_000) {
    const last = at + 16_000 >= fields.length ? Flag.endHeaders : Flag.none
    const piece = fields.subarray(at, at + 16_000)
    pieces.push(frame(at === 0 ? Type.headers : Type.continuation, last | (at === 0 ? first : 0), stream, piece))
  }
  return pieces
}
const long = Array.from({ length: 8 }, (_, i) => [`x-${i}`, "a".repeat(10_000)] as const)

describe("an HTTP/2 upstream that responds with a head", () => {
  const lost: ReadonlyArray<readonly [what: string, fields: Fields]> = [
    ["transfer-encoding", [STATUS, ["transfer-encoding", "chunked"]]],
    ["a name in upper case", [STATUS, ["Server", "x"]]],
    ["two statuses", [STATUS, [":status", "404"]]],
    ["no status", [["x", "y"]]],
    ["the status 101", [[":status", "101"]]]
  ]
  for (const [what, fields] of lost) {
    it.live(`with ${what} is rejected`, () => survives("none", { respond: listed(fields) }))
  }

  for (const [protocol, ending] of [["HTTP/2", "none"], ["HTTP/1.1", "whole"]] as const) {
    it.live(`with the status 999 has the end "${ending}" for a client over ${protocol}`, () =>
      Effect.gen(function*() {
        const { clients } = yield* setUp({ respond: listed([[":status", "999"]]) })
        const first = yield* clients[protocol]
        assert.strictEqual(first.ending, ending)
        assert.include(first.text, protocol === "HTTP/2" ? "sent a response (999) that HTTP/2 does not allow" : "999")
        assert.strictEqual((yield* clients[protocol]).ending, "whole")
      }).pipe(Effect.scoped))
  }

  const left: ReadonlyArray<readonly [what: string, name: string, value: string]> = [
    ["a line break in a value", "x-evil", "a\r\nset-cookie: b"],
    ["a name with a colon", "x-evil: a", "b"]
  ]
  for (const [what, name, value] of left) {
    it.live(
      `with ${what} loses that field`,
      () => survives("whole", { respond: listed([STATUS, [name, value]]) }, "x-evil")
    )
  }
})

describeResponses("a response of an HTTP/2 upstream whose body contradicts its head", [
  ["is aborted if the body is too short", "cut", listed([STATUS, ["content-length", "3"]])],
  ["is aborted if the body is too long", "cut", listed([STATUS, ["content-length", "1"]])],
  ["is rejected if there is no body", "none", only(headOf([STATUS, ["content-length", "5"]], END))],
  ["is rejected if the body comes first", "none", before((stream) => data(stream, "x", Flag.none))],
  ["is aborted if another head follows", "cut", within(part, headOf([STATUS]))],
  ["is aborted if early hints follow the head", "cut", within(headOf([[":status", "103"]]))],
  ["is aborted by trailers with a status", "cut", trailers([STATUS])],
  ["is aborted by trailers without END_STREAM", "cut", trailers([["x", "y"]], Flag.endHeaders)],
  [
    "is complete if more frames follow its end",
    "whole",
    only(ok, (stream) => data(stream, "evil"), headOf([STATUS], END))
  ]
])

describeResponses("an HTTP/2 upstream that sends an informational response", [
  ["with END_STREAM is rejected", "none", only(headOf([[":status", "103"]], END))],
  ["with a body is rejected", "none", only(headOf([[":status", "103"]]), body)],
  ["5000 times (103) is accepted", "whole", before(informed(5000, "103"))],
  ["5000 times (100) is accepted", "whole", before(informed(5000, "100"))]
])

describe("a header list of an HTTP/2 upstream", () => {
  const continuation = (flags: number, fields?: Uint8Array): MakeFrame => (stream) =>
    frame(Type.continuation, flags, stream, fields)
  const begun = headOf([STATUS], Flag.none)
  const inMany = (fields: Buffer): MakeFrame => (stream) => Buffer.concat(inPieces(stream, fields))
  const fields2500 = Array.from({ length: 2500 }, () => ["a", ""] as const)
  const indexed = [Buffer.of(0x40, 1), Buffer.from("a"), Buffer.of(127, 0xa1, 0x1e), Buffer.alloc(4000, "b")]
  const lists: ReadonlyArray<readonly [what: string, ...frames: ReadonlyArray<MakeFrame>]> = [
    ["of 80 KiB", inMany(block(STATUS, ...long))],
    ["of 2500 fields", inMany(block(STATUS, ...fields2500))],
    ["of 6 MiB packed in 5 KiB", inMany(Buffer.concat([block(STATUS), ...indexed, Buffer.alloc(1500, 0xbe)]))],
    ["in many frames", begun, times(1000, continuation(Flag.none)), continuation(Flag.endHeaders)],
    ["with another frame within", begun, ping, continuation(Flag.endHeaders)]
  ]
  for (const disagrees of [false, true]) {
    const regardless = disagrees ? ", even if the upstream ignores the limits" : ""
    for (const [what, ...frames] of lists) {
      it.live(`${what} is rejected${regardless}`, () => survives("none", { disagrees, respond: only(...frames, body) }))
    }
    it.live(`of 80 KiB in trailers aborts the response${regardless}`, () => {
      const long80 = (stream: number) => Buffer.concat(inPieces(stream, block(...long), Flag.endStream))
      return survives("cut", {
        disagrees,
        respond: only(headOf([STATUS]), (stream) => data(stream, "ok", Flag.none), long80)
      })
    })
  }
})

describeResponses("an HTTP/2 upstream that resets", [
  ["a response aborts it", "cut", within(part, reset(8))],
  ["a response with NO_ERROR aborts it", "cut", within(part, reset(0))],
  ["a request with NO_ERROR is rejected", "none", only(reset(0))],
  ["a request with REFUSED_STREAM gets it again", "whole", only(reset(7))],
  ["a complete response does not affect it", "whole", only(ok, times(5000, reset(0)))]
])

describeResponses("an HTTP/2 upstream that sends GOAWAY or closes", [
  ["before the request gets the request on another session", "whole", only(() => goaway(0))],
  ["before the request, but responds, gets the request again", "whole", before(() => goaway(0))],
  ["after the request can complete the response", "whole", before((stream) => goaway(stream))],
  ["without a last stream can complete the response", "whole", before(() => goaway(0x7fffffff))],
  ["for a stream with a partial response aborts it", "cut", within(part, () => goaway(0))],
  ["with an error is rejected", "none", before((stream) => goaway(stream, 2))],
  ["and then closes is rejected", "none", thenClose((stream) => goaway(stream))],
  ["and then closes within a response aborts it", "cut", thenClose(headOf([STATUS]), part, (stream) => goaway(stream))],
  ["without GOAWAY is rejected", "none", thenClose()]
])

describeResponses("an HTTP/2 upstream that violates RFC 9113 aborts its response", [
  ["by a WINDOW_UPDATE of 0 for the stream", "cut", within((stream) => window(stream, 0))],
  ["by SETTINGS of an odd length", "cut", within(() => frame(Type.settings, 0, 0, Buffer.alloc(5)))],
  ["by SETTINGS that allow pushes", "cut", within(() => settings([2, 1]))],
  ["by 5000 SETTINGS", "cut", within(times(5000, (_, index) => settings([3, index + 1])))],
  ["by 5000 PING", "cut", within(times(5000, ping))],
  ["by 5000 empty DATA", "cut", within(times(5000, (stream) => data(stream, "", Flag.none)))],
  ["by a frame longer than allowed", "cut", within((stream) => frame(Type.data, 0, stream, Buffer.alloc(20_000)))],
  ["by DATA on stream 0", "cut", within(() => data(0, "x"))],
  ["by bytes that are not frames", "cut", within(() => Buffer.from("HTTP/1.1 200 OK\r\n\r\n"))]
])

describeResponses("an HTTP/2 upstream may send, without effect on its response,", [
  ["SETTINGS with other limits", "whole", within(() => settings([1, 0xffffffff], [3, 0], [4, 0], [6, 0]))],
  [
    "5000 PRIORITY",
    "whole",
    within(times(5000, (stream) => frame(Type.priority, 0, stream, Buffer.concat([uint32(0), Buffer.of(1)]))))
  ],
  ["5000 frames of an unknown type", "whole", within(times(5000, (stream) => frame(200, 0, stream, Buffer.alloc(8))))],
  [
    "ALTSVC and ORIGIN frames",
    "whole",
    within(
      () => frame(10, 0, 0, Buffer.from("\0\x04hosth2=\"evil.example:443\"", "latin1")),
      () => frame(12, 0, 0, Buffer.from("\0\x14https://evil.example", "latin1"))
    )
  ]
])

describe("an HTTP/2 upstream that pushes", () => {
  const push = (stream: number) =>
    frame(Type.push, Flag.endHeaders, stream, Buffer.concat([uint32(2), requestBlock(HOST)]))
  it.live("is rejected after it has acknowledged the settings", () => survives("none", { respond: before(push) }))
  it.live("loses only its push if it pushes before it acknowledges the settings", () =>
    survives("whole", { disagrees: true, respond: before(push, () => ok(2)) }))
})

describe("an HTTP/2 upstream that begins its session", () => {
  const openings: ReadonlyArray<readonly [what: string, ending: Ending, open: (session: RawSession) => void]> = [
    ["with HTTP/1.1", "none", (session) => session.send(Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"))],
    ["with SETTINGS that allow pushes", "none", (session) => session.send(settings([2, 1]))],
    ["with GOAWAY", "none", (session) => session.send(goaway(0))],
    ["by closing the connection", "none", (session) => void session.socket.end()]
  ]
  for (const [what, ending, open] of openings) {
    it.live(`${what} gets no request on this session, and the next request on another session`, () =>
      survives(ending, { open }))
  }

  it.live("with GOAWAY gets the request on another session", () =>
    survives("whole", { open: (session) => session.send(settings(), goaway(0)) }))

  live("with unsolicited responses does not affect any request", function*() {
    const { clients, proxy, upstream } = yield* setUp({
      open: (session) => {
        session.send(settings())
        void session.find(({ flags, type }) => type === Type.settings && flags === Flag.ack)
          .then(() => session.send(head(1), data(1, "evil")))
      }
    })
    // The TLS handshake alone opens the upstream connection.
    const { socket } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`, { ALPNProtocols: ["h2"] }))
    yield* promise(() => until(() => upstream.sessions[0]?.closed === true))
    assert.deepInclude(yield* clients["HTTP/2"], { ending: "whole", body: "ok" })
    socket.destroy()
  })
})
