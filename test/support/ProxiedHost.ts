/** One upstream behind the proxy, for tests of the traffic between it and a client with a connection. */
import * as Effect from "effect/Effect"
import type * as Tls from "node:tls"
import type { ProxyEvent } from "../../src/proxy/HttpEngine.ts"
import * as FakeUpstream from "./FakeUpstream.ts"
import {
  type FakeDaemon,
  fakeDaemon,
  type HarnessOptions,
  route,
  secureTunnel,
  startProxy,
  temporaryFile,
  type Wire
} from "./ProxyHarness.ts"
import { makeAuthority } from "./TestCertificates.ts"

export const authority = makeAuthority()
export const HOST = "api.example.com"
export const certificate = authority.issue([HOST])

/** The proxy, with `HOST` at a port of this machine. */
export const proxyTo = (port: number, options: Partial<HarnessOptions> = {}) =>
  Effect.gen(function*() {
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const daemon: FakeDaemon = options.daemon ?? fakeDaemon([route(HOST, "example")])
    const events: Array<ProxyEvent> = []
    const proxy = yield* startProxy({
      onEvent: (event) => events.push(event),
      ...options,
      daemon,
      upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${port}` }, ...options.upstream }
    })
    /** A new tunnel, closed with the scope. */
    const open = (tls: Tls.ConnectionOptions = {}): Effect.Effect<{ socket: Tls.TLSSocket; wire: Wire }> =>
      Effect.promise(() => secureTunnel(proxy, `${HOST}:443`, tls))
    const tunnel = Effect.acquireRelease(open(), ({ socket }) => Effect.sync(() => socket.destroy()))
    return { daemon, events, open, proxy, tunnel }
  })

/** The proxy, a server behind it, and one tunnel. */
export const proxied = (handler?: FakeUpstream.Handler, options: Partial<HarnessOptions> = {}) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make({ certificate, handler })
    const parts = yield* proxyTo(upstream.port, options)
    return { upstream, ...parts, ...yield* parts.tunnel }
  })

/** The head of a request to `HOST`. */
export const request = (line: string, headers = ""): string => `${line} HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n`
