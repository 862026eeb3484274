/** The proxy with its clients in front of an upstream that violates HTTP/2, and the frames of such violations. */
import * as Effect from "effect/Effect"
import type * as Http2 from "node:http2"
import * as FakeUpstream from "./FakeUpstream.ts"
import { Flag, type Frame, frame, Type, uint32 } from "./Http2Frames.ts"
import { connectSession, get } from "./Http2Peers.ts"
import { head, makeRawApi, type ProtocolViolation } from "./Http2RawApi.ts"
import { authority, HOST, proxyTo } from "./ProxiedHost.ts"
import { fakeDaemon, route, secureTunnel } from "./ProxyHarness.ts"

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
    const api = yield* makeRawApi(violation)
    const other = yield* FakeUpstream.make({ certificate: authority.issue([OTHER]) })
    const { proxy } = yield* proxyTo(api.port, {
      daemon: fakeDaemon([route(HOST, "example"), route(OTHER, "other")]),
      upstream: { resolve: { [`${HOST}:443`]: `127.0.0.1:${api.port}`, [`${OTHER}:443`]: `127.0.0.1:${other.port}` } }
    })
    const overHttp2 = Effect.gen(function*() {
      const options = { maxHeaderListPairs: 5000 } as Http2.ClientSessionOptions
      const session = yield* connectSession(proxy, `${HOST}:443`, options)
      const answer = yield* promise(() => get(session, "/", { ":method": "POST" }))
      const refused = answer.headers["x-credsvc-error"] !== undefined || answer.status === 0 && answer.code !== 0
      const ending = refused ? "none" : answer.code === 0 ? "whole" : "cut"
      return { ending, body: answer.body, text: JSON.stringify(answer) } satisfies Outcome
    })
    const overHttp1 = (host: string) =>
      promise(async () => {
        const { socket, wire } = await secureTunnel(proxy, `${host}:443`)
        wire.send(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`)
        let answer = await wire.answer()
        while (answer.status >= 100 && answer.status < 200) answer = await wire.answer()
        socket.destroy()
        const ending = answer.headers.has("x-credsvc-error") ? "none" : answer.complete ? "whole" : "cut"
        return { ending, body: answer.body, text: answer.head + answer.body } satisfies Outcome
      })
    return { api, children: { "HTTP/2": overHttp2, "HTTP/1.1": overHttp1(HOST) }, other: overHttp1(OTHER), proxy }
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
