/** The proxy with its clients in front of an upstream that violates HTTP/2, and the frames of such violations. */
import * as Effect from "effect/Effect"
import type * as Http2 from "node:http2"
import { builtins } from "../../src/platform/builtins.ts"
import * as FakeUpstream from "./FakeUpstream.ts"
import { block, Flag, type Frame, frame, PREFACE, RawSession, Type, uint32 } from "./Http2Frames.ts"
import { connectSession, get } from "./Http2Peers.ts"
import { certificate, HOST, proxyTo } from "./ProxiedHost.ts"
import { fakeDaemon, route } from "./ProxyHarness.ts"
import { authority } from "./TestCertificates.ts"
import { listen } from "./TestServer.ts"

/** Violations of an upstream. `open` and `respond` apply only once. */
export interface ProtocolViolation {
  /** Replaces the SETTINGS frame at the start of a session. */
  readonly open?: ((session: RawSession) => void) | undefined
  /** Replaces a response. */
  readonly respond?: ((session: RawSession, stream: number) => void) | undefined
  /** Whether it never acknowledges the proxy's settings. */
  readonly disagrees?: boolean | undefined
}

export const settings = (...entries: ReadonlyArray<readonly [id: number, value: number]>): Buffer =>
  frame(
    Type.settings,
    Flag.none,
    0,
    Buffer.concat(entries.map(([id, value]) => {
      const entry = Buffer.alloc(6)
      entry.writeUInt16BE(id)
      entry.writeUInt32BE(value, 2)
      return entry
    }))
  )

/** A final response head with status 200, or with the given fields. */
export const head = (
  stream: number,
  fields: ReadonlyArray<readonly [name: string, value: string]> = [[":status", "200"]],
  flags: number = Flag.endHeaders
): Buffer => frame(Type.headers, flags, stream, block(...fields))

export const data = (stream: number, body: string, flags: number = Flag.endStream): Buffer =>
  frame(Type.data, flags, stream, Buffer.from(body))

export const ok = (stream: number): Buffer => Buffer.concat([head(stream), data(stream, "ok")])

const makeUpstream = ({ disagrees, open, respond }: ProtocolViolation) =>
  Effect.gen(function*() {
    const sessions: Array<RawSession> = []
    let responded = false
    const { port } = yield* listen(builtins.tls.createServer({ ...certificate, ALPNProtocols: ["h2"] }, (socket) => {
      const session: RawSession = new RawSession(socket, ({ flags, stream, type }) => {
        if (type === Type.settings && flags === Flag.none && disagrees !== true) {
          session.send(frame(Type.settings, Flag.ack, 0))
        }
        if (type !== Type.headers) return
        if (responded || respond === undefined) session.send(ok(stream))
        else respond(session, stream)
        responded = true
      }, PREFACE.length)
      sessions.push(session)
      if (sessions.length > 1 || open === undefined) session.send(settings())
      else open(session)
    }))
    return { port, sessions }
  })

const OTHER = "other.example.com"
const promise = <A>(run: () => Promise<A>) => Effect.promise(run)

/**
 * How an exchange ended for the client. `whole`: with the complete response. `none`: with an error response of the
 * proxy. `cut`: with a reset within the response.
 */
export type Ending = "whole" | "none" | "cut"

export interface Outcome {
  readonly ending: Ending
  readonly body: string
  /** Everything that was received. */
  readonly text: string
}

/**
 * The proxy between an upstream that violates the protocol, one that does not, and a client of each protocol that sends
 * one request.
 */
export const setUp = (violation: ProtocolViolation) =>
  Effect.gen(function*() {
    const upstream = yield* makeUpstream(violation)
    const other = yield* FakeUpstream.make({ certificate: authority.issue([OTHER]) })
    const { open, proxy } = yield* proxyTo({ [HOST]: upstream.port, [OTHER]: other.port }, {
      daemon: fakeDaemon([route(HOST, "example"), route(OTHER, "other")])
    })
    const overHttp2 = Effect.gen(function*() {
      const options = { maxHeaderListPairs: 5000 } as Http2.ClientSessionOptions
      const session = yield* connectSession(proxy, undefined, options)
      const response = yield* promise(() => get(session, "/", { ":method": "POST" }))
      const refused = response.headers["x-credsvc-error"] !== undefined || response.status === 0 && response.code !== 0
      const ending = refused ? "none" : response.code === 0 ? "whole" : "cut"
      return { ending, body: response.body, text: JSON.stringify(response) } satisfies Outcome
    })
    const overHttp1 = (host: string) =>
      Effect.scoped(Effect.gen(function*() {
        const { wire } = yield* open({}, `${host}:443`)
        let response = yield* wire.exchange(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`)
        while (response.status >= 100 && response.status < 200) response = yield* promise(() => wire.response())
        const ending = response.headers.has("x-credsvc-error") ? "none" : response.complete ? "whole" : "cut"
        return { ending, body: response.body, text: response.head + response.body } satisfies Outcome
      }))
    return { upstream, clients: { "HTTP/2": overHttp2, "HTTP/1.1": overHttp1(HOST) }, other: overHttp1(OTHER), proxy }
  })

export const times = (count: number, make: (stream: number, index: number) => Uint8Array) => (stream: number) =>
  Buffer.concat(Array.from({ length: count }, (_, index) => make(stream, index)))
export const isPong = ({ flags, type }: Frame) => type === Type.ping && flags === Flag.ack
export const ping = () => frame(Type.ping, Flag.none, 0, Buffer.alloc(8))
export const reset = (code: number) => (stream: number) => frame(Type.reset, Flag.none, stream, uint32(code))
export const goaway = (last: number, code = 0) =>
  frame(Type.goaway, Flag.none, 0, Buffer.concat([uint32(last), uint32(code)]))
export const window = (stream: number, increment: number) =>
  frame(Type.windowUpdate, Flag.none, stream, uint32(increment))
export const informed = (count: number, code: string) =>
  times(count, (stream) => head(stream, [[":status", code], ["link", "</a.css>"]]))
