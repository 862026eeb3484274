/** HTTP/2 peers of the proxy: an upstream, and a client inside a tunnel. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http2 from "node:http2"
import type * as Net from "node:net"
import { builtins } from "../../src/platform/builtins.ts"
import {
  type connectTo,
  type FakeDaemon,
  fakeDaemon,
  route,
  secureTunnel,
  startProxy,
  temporaryFile
} from "./ProxyHarness.ts"
import { makeAuthority } from "./TestCertificates.ts"

const authority = makeAuthority()
export const HOST = "api.example.com"
export const certificate = authority.issue([HOST])

export interface Http2Upstream {
  readonly port: number
  readonly server: Http2.Http2SecureServer
  /** The raw header list of each request. */
  readonly seen: Array<ReadonlyArray<string>>
  readonly sessions: Array<Http2.ServerHttp2Session>
}

export type StreamHandler = (
  stream: Http2.ServerHttp2Stream,
  headers: Http2.IncomingHttpHeaders,
  raw: ReadonlyArray<string>
) => void

/** Without a handler it responds with 200 and a JSON description of the request. Offers only `h2` by default. */
export const makeUpstream = (
  handler?: StreamHandler,
  options: Http2.SecureServerOptions = {}
): Effect.Effect<Http2Upstream, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Http2Upstream>((resume) => {
      const server = builtins.http2.createSecureServer({ ...certificate, ...options })
      const seen: Array<ReadonlyArray<string>> = []
      const sessions: Array<Http2.ServerHttp2Session> = []
      server.on("session", (session) => {
        sessions.push(session)
        session.on("error", () => {})
      })
      server.on("stream", (
        stream: Http2.ServerHttp2Stream,
        headers: Http2.IncomingHttpHeaders,
        _flags: number,
        raw: ReadonlyArray<string>
      ) => {
        stream.on("error", () => {})
        seen.push(raw)
        if (handler !== undefined) {
          handler(stream, headers, raw)
          return
        }
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          stream.respond({ "content-type": "application/json" })
          stream.end(JSON.stringify({ headers, body: Buffer.concat(chunks).toString("latin1") }))
        })
      })
      server.listen(0, "127.0.0.1", () => {
        resume(Effect.succeed({ port: (server.address() as Net.AddressInfo).port, server, seen, sessions }))
      })
    }),
    ({ server, sessions }) =>
      Effect.sync(() => {
        server.close()
        for (const session of sessions) session.destroy()
      })
  )

type Proxy = Parameters<typeof connectTo>[0] & { readonly caPem: string }

/** An HTTP/2 session in its own tunnel. */
export const connectSession = (
  proxy: Proxy,
  target: string,
  options: Http2.ClientSessionOptions = {}
): Effect.Effect<Http2.ClientHttp2Session, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { socket } = await secureTunnel(proxy, target, { ALPNProtocols: ["h2"] })
      for (const event of ["data", "end", "close", "error"]) socket.removeAllListeners(event)
      const session = builtins.http2.connect(`https://${target}`, { ...options, createConnection: () => socket })
      session.on("error", () => {})
      return session
    }),
    (session) => Effect.sync(() => session.destroy())
  )

/** A proxy that reaches the upstream at a port of this machine. */
export const proxyTo = (
  port: number,
  options: { readonly daemon?: FakeDaemon | undefined; readonly headMilliseconds?: number | undefined } = {}
) =>
  Effect.gen(function*() {
    const daemon = options.daemon ?? fakeDaemon([route(HOST, "example")])
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const proxy = yield* startProxy({
      daemon,
      headMilliseconds: options.headMilliseconds,
      upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${port}` } }
    })
    return { daemon, proxy }
  })

/** A client and an upstream that both speak HTTP/2. */
export const setUp = (
  handler?: StreamHandler,
  options: {
    readonly daemon?: FakeDaemon
    readonly server?: Http2.SecureServerOptions
    readonly headMilliseconds?: number
  } = {}
) =>
  Effect.gen(function*() {
    const upstream = yield* makeUpstream(handler, options.server)
    const made = yield* proxyTo(upstream.port, options)
    const session = yield* connectSession(made.proxy, `${HOST}:443`)
    return { ...made, upstream, session }
  })

export interface StreamAnswer {
  readonly status: number
  readonly headers: Http2.IncomingHttpHeaders
  /** As received, including pseudo-headers. */
  readonly raw: ReadonlyArray<string>
  readonly informed: ReadonlyArray<Http2.IncomingHttpHeaders>
  readonly body: string
  readonly trailers: Http2.IncomingHttpHeaders | undefined
  /** The code of the RST_STREAM that ended the stream; 0 if it ended normally. */
  readonly code: number
}

/** Everything received on a stream until it is closed. */
export const answerOf = (stream: Http2.ClientHttp2Stream): Promise<StreamAnswer> =>
  new Promise((resolve) => {
    const informed: Array<Http2.IncomingHttpHeaders> = []
    const chunks: Array<Buffer> = []
    let status = 0
    let headers: Http2.IncomingHttpHeaders = {}
    let fields: ReadonlyArray<string> = []
    let trailers: Http2.IncomingHttpHeaders | undefined
    stream.on("headers", (received) => informed.push(received))
    stream.on("response", (received, _flags, raw: ReadonlyArray<string>) => {
      status = received[":status"] ?? 0
      headers = received
      fields = raw
    })
    stream.on("trailers", (received) => {
      trailers = received
    })
    stream.on("data", (chunk: Buffer) => chunks.push(chunk))
    stream.on("error", () => {})
    stream.on("close", () => {
      const body = Buffer.concat(chunks).toString("latin1")
      resolve({ status, headers, raw: fields, informed, body, trailers, code: stream.rstCode })
    })
  })

/** Sends one request without a body. */
export const get = (
  session: Http2.ClientHttp2Session,
  path: string,
  headers: Http2.OutgoingHttpHeaders = {}
): Promise<StreamAnswer> => answerOf(session.request({ ":path": path, ...headers }, { endStream: true }))
