/** HTTP/2 peers of the proxy: an upstream, and a client inside a tunnel. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http2 from "node:http2"
import { builtins } from "../../src/platform/builtins.ts"
import { certificate, HOST, proxyTo } from "./ProxiedHost.ts"
import { type HarnessOptions, securedSocket, type secureTunnel } from "./ProxyHarness.ts"
import { listen } from "./TestServer.ts"

export type StreamHandler = (
  stream: Http2.ServerHttp2Stream,
  headers: Http2.IncomingHttpHeaders,
  raw: ReadonlyArray<string>
) => void

const describeRequest: StreamHandler = (stream, headers) => {
  const chunks: Array<Buffer> = []
  stream.on("data", (chunk: Buffer) => chunks.push(chunk))
  stream.on("end", () => {
    stream.respond({ "content-type": "application/json" })
    stream.end(JSON.stringify({ headers, body: Buffer.concat(chunks).toString("latin1") }))
  })
}

/** Starts an upstream. By default it responds with 200 and a JSON description of the request, and offers only `h2`. */
export const makeUpstream = (
  handler: StreamHandler = describeRequest,
  options: Http2.SecureServerOptions = {}
) =>
  Effect.gen(function*() {
    const server = builtins.http2.createSecureServer({ ...certificate, ...options })
    /** The raw header list of each request. */
    const seen: Array<ReadonlyArray<string>> = []
    const sessions: Array<Http2.ServerHttp2Session> = []
    server.on("session", (session) => sessions.push(session.on("error", () => {})))
    server.on("stream", (
      stream: Http2.ServerHttp2Stream,
      headers: Http2.IncomingHttpHeaders,
      _flags: number,
      raw: ReadonlyArray<string>
    ) => {
      stream.on("error", () => {})
      seen.push(raw)
      handler(stream, headers, raw)
    })
    return { ...yield* listen(server), server, seen, sessions }
  })

/** Opens an HTTP/2 session in a tunnel of its own. */
export const connectSession = (
  proxy: Parameters<typeof secureTunnel>[0],
  target = `${HOST}:443`,
  options: Http2.ClientSessionOptions = {}
): Effect.Effect<Http2.ClientHttp2Session, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = await securedSocket(proxy, target, { ALPNProtocols: ["h2"] })
      const session = builtins.http2.connect(`https://${target}`, { ...options, createConnection: () => socket })
      return session.on("error", () => {})
    }),
    (session) => Effect.sync(() => session.destroy())
  )

/** The proxy, with one session to an upstream of any protocol. */
export const sessionTo = (port: number, options: Partial<HarnessOptions> = {}) =>
  Effect.gen(function*() {
    const parts = yield* proxyTo(port, options)
    return { ...parts, session: yield* connectSession(parts.proxy) }
  })

/** The proxy, with a client and an upstream that both speak HTTP/2. */
export const setUp = (
  handler?: StreamHandler,
  { server, ...options }: Partial<HarnessOptions> & { readonly server?: Http2.SecureServerOptions } = {}
) =>
  Effect.gen(function*() {
    const upstream = yield* makeUpstream(handler, server)
    return { upstream, ...yield* sessionTo(upstream.port, options) }
  })

export interface StreamResponse {
  readonly status: number
  readonly headers: Http2.IncomingHttpHeaders
  /** The header list as received, including pseudo-headers. */
  readonly raw: ReadonlyArray<string>
  readonly informed: ReadonlyArray<Http2.IncomingHttpHeaders>
  readonly body: string
  readonly trailers: Http2.IncomingHttpHeaders | undefined
  /** The code of the RST_STREAM that ended the stream; 0 if it ended normally. */
  readonly code: number
}

/** Everything received on a stream until it is closed. */
export const responseOf = (stream: Http2.ClientHttp2Stream): Promise<StreamResponse> =>
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
): Promise<StreamResponse> => responseOf(session.request({ ":path": path, ...headers }, { endStream: true }))

/** Begins a request whose body the test writes. */
export const post = (
  session: Http2.ClientHttp2Session,
  headers: Http2.OutgoingHttpHeaders = {},
  options: Http2.ClientSessionRequestOptions = {}
): Http2.ClientHttp2Stream =>
  session.request({ ":method": "POST", ":path": "/", ...headers }, { endStream: false, ...options })

/** Responds to each request with `ok`. */
export const respondOk: StreamHandler = (stream) => {
  stream.respond()
  stream.end("ok")
}
