/** An upstream whose HTTP/2 frames are written by the test. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Net from "node:net"
import { builtins } from "../../src/platform/builtins.ts"
import { block, Flag, frame, PREFACE, RawSession, Type } from "./Http2Frames.ts"
import { certificate } from "./ProxiedHost.ts"

export interface RawApi {
  readonly port: number
  readonly sessions: Array<RawSession>
}

/** Both apply only once. Later behavior is correct. */
export interface ProtocolViolation {
  /** Replaces the SETTINGS frame at the start of a session. */
  readonly open?: ((session: RawSession) => void) | undefined
  /** Replaces a response. */
  readonly answer?: ((session: RawSession, stream: number) => void) | undefined
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

export const makeRawApi = ({ answer, disagrees, open }: ProtocolViolation): Effect.Effect<RawApi, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<RawApi & { readonly server: Net.Server }>((resume) => {
      const sessions: Array<RawSession> = []
      let asked = false
      const server = builtins.tls.createServer({ ...certificate, ALPNProtocols: ["h2"] }, (socket) => {
        const session: RawSession = new RawSession(socket, ({ flags, stream, type }) => {
          if (type === Type.settings && flags === Flag.none && disagrees !== true) {
            session.send(frame(Type.settings, Flag.ack, 0))
          }
          if (type !== Type.headers) return
          if (asked || answer === undefined) session.send(ok(stream))
          else answer(session, stream)
          asked = true
        }, PREFACE.length)
        sessions.push(session)
        if (sessions.length > 1 || open === undefined) session.send(settings())
        else open(session)
      })
      server.listen(0, "127.0.0.1", () => {
        resume(Effect.succeed({ port: (server.address() as Net.AddressInfo).port, server, sessions }))
      })
    }),
    ({ server, sessions }) =>
      Effect.sync(() => {
        server.close()
        for (const { socket } of sessions) socket.destroy()
      })
  )
