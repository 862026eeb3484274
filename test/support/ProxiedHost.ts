/** Upstreams behind the proxy, for tests of the traffic between them and a client. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Tls from "node:tls"
import { type ClientOptions, WebSocket } from "ws"
import type { FoundPlaceholder } from "../../src/proxy/placeholders/PlaceholderWatch.ts"
import type { ProxyEvent } from "../../src/proxy/ProxyEvent.ts"
import * as FakeUpstream from "./FakeUpstream.ts"
import {
  authorization,
  dial,
  type FakeDaemon,
  fakeDaemon,
  type HarnessOptions,
  route,
  secureTunnel,
  startProxy,
  temporaryFile,
  Wire,
  type WireResponse
} from "./ProxyHarness.ts"
import { authority } from "./TestCertificates.ts"

/** A host of the provider `example`. */
export const HOST = "api.example.com"
/** A host without a provider. */
export const EVIL = "evil.example.net"
export const certificate = authority.issue([HOST, EVIL])

/** The head of a request to `HOST`. */
export const request = (line: string, headers = ""): string => `${line} HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n`

/** The header of a WebSocket handshake. */
export const WEBSOCKET = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

export interface Tunnel {
  readonly socket: Tls.TLSSocket
  readonly wire: Wire
  /** Sends a request and reads its response. */
  readonly exchange: (line: string, headers?: string, body?: string) => Effect.Effect<WireResponse>
}

/** The proxy, which reaches hosts at ports of this machine: `HOST`, or those of a record by host name or `host:port`. */
export const proxyTo = (to: number | Readonly<Record<string, number>>, options: Partial<HarnessOptions> = {}) =>
  Effect.gen(function*() {
    const ports = Object.entries(typeof to === "number" ? { [HOST]: to } : to)
    const resolve = ports.map(([host, port]) => [host.includes(":") ? host : `${host}:443`, `127.0.0.1:${port}`])
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const daemon: FakeDaemon = options.daemon ?? fakeDaemon([route(HOST, "example")])
    const events: Array<ProxyEvent> = []
    const misplaced: Array<FoundPlaceholder> = []
    const proxy = yield* startProxy({
      onEvent: (event) => events.push(event),
      onMisplaced: (found) => misplaced.push(found),
      ...options,
      daemon,
      upstream: { extraCaCerts: [ca], resolve: Object.fromEntries(resolve), ...options.upstream }
    })
    /** Opens a tunnel with TLS. */
    const open = (
      tls: Tls.ConnectionOptions & { readonly headers?: string } = {},
      target = `${HOST}:443`
    ): Effect.Effect<Tunnel, never, Scope.Scope> =>
      Effect.acquireRelease(
        Effect.promise(async () => {
          const { socket, wire } = await secureTunnel(proxy, target, tls)
          return { socket, wire, exchange: (line, headers, body = "") => wire.exchange(request(line, headers) + body) }
        }),
        ({ socket }) => Effect.sync(() => socket.destroy())
      )
    /** Opens a connection to the proxy itself. */
    const connect: Effect.Effect<Wire, never, Scope.Scope> = Effect.acquireRelease(
      Effect.promise(async () => new Wire(await dial(proxy.port))),
      ({ socket }) => Effect.sync(() => socket.destroy())
    )
    /** Sends a request with an absolute target and the run's credential. */
    const forward = (line: string, headers = `Host: ${HOST}\r\n`, body = "") =>
      Effect.scoped(
        Effect.flatMap(connect, (wire) =>
          wire.exchange(`${line} HTTP/1.1\r\n${headers}${authorization(proxy)}\r\n${body}`))
      )
    return { connect, daemon, events, forward, misplaced, open, proxy }
  })

/** The proxy, and a server behind it with the certificate of `HOST` and `EVIL`. */
export const serverBehind = (options: Partial<HarnessOptions> = {}, handler?: FakeUpstream.Handler) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make({ certificate, handler })
    return { upstream, ...yield* proxyTo({ [HOST]: upstream.port, [EVIL]: upstream.port }, options) }
  })

/** The proxy, a server behind it, and one tunnel. */
export const proxied = (handler?: FakeUpstream.Handler, options?: Partial<HarnessOptions>) =>
  Effect.gen(function*() {
    const parts = yield* serverBehind(options, handler)
    return { ...parts, ...yield* parts.open() }
  })

/** The proxy, a server whose responses the test writes byte by byte, and one tunnel. */
export const proxiedRaw = (
  serve: Parameters<typeof FakeUpstream.makeRaw>[1],
  options: Partial<HarnessOptions> = {}
) =>
  Effect.gen(function*() {
    const { port } = yield* FakeUpstream.makeRaw(certificate, serve)
    const parts = yield* proxyTo(port, options)
    return { ...parts, ...yield* parts.open() }
  })

/** A client of the path `/` in a new tunnel. */
export const webSocketIn = (open: () => Effect.Effect<Tunnel, never, Scope.Scope>, options: ClientOptions = {}) =>
  Effect.map(open(), ({ socket }) => {
    socket.removeAllListeners("data")
    return new WebSocket(`wss://${HOST}/`, { createConnection: () => socket, ...options })
  })
