import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live } from "../../support/Fixture.ts"
import { get, respondOk, setUp } from "../../support/Http2Peers.ts"
import { certificate, HOST, proxied, proxyTo, serverBehind } from "../../support/ProxiedHost.ts"
import { fakeDaemon, route, secureTunnel } from "../../support/ProxyHarness.ts"
import { until } from "../../support/Until.ts"

describe("TlsInterception", () => {
  live("serves a client that offers only HTTP/1.0", function*() {
    const { open } = yield* proxied()
    const { socket, wire } = yield* open({ ALPNProtocols: ["http/1.0"] })
    assert.strictEqual(socket.alpnProtocol, "http/1.0")
    assert.strictEqual((yield* wire.exchange(`GET / HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`)).status, 200)
    const both = yield* open({ ALPNProtocols: ["http/1.0", "http/1.1"] })
    assert.strictEqual(both.socket.alpnProtocol, "http/1.1")
  })

  live("sends no root certificate: clients already have it, and it would name every host", function*() {
    const { open } = yield* proxied()
    // A client without the root certificate knows only the certificates that it received.
    const { socket } = yield* open({ ca: [], rejectUnauthorized: false })
    assert.isUndefined(socket.getPeerCertificate(true).issuerCertificate)
  })

  const offers = [[["h2", "http/1.1"], "h2"], [["http/1.1"], "http/1.1"], [["h2"], "h2"], [undefined, false]] as const
  for (const [offered, chosen] of offers) {
    live(`uses TLS 1.2 or later, and selects ${chosen} from ${offered?.join(" and ") ?? "no protocols"}`, function*() {
      const { open } = yield* serverBehind()
      const ALPNProtocols = offered === undefined ? undefined as never : [...offered]
      // The second offer causes a HelloRetryRequest, after which Node 24 may lose the ALPN protocols.
      for (const ecdhCurve of ["X25519", "P-384:X25519"]) {
        const { socket } = yield* open({ ecdhCurve, ALPNProtocols })
        assert.strictEqual(socket.alpnProtocol, chosen)
        assert.include(["TLSv1.2", "TLSv1.3"], socket.getProtocol())
      }
    })
  }

  live("ends the handshake with a client that offers neither HTTP/1.1 nor HTTP/2", function*() {
    const { proxy } = yield* serverBehind()
    const error = yield* Effect.flip(Effect.tryPromise({
      try: () => secureTunnel(proxy, `${HOST}:443`, { ALPNProtocols: ["spdy/3"] }),
      catch: (cause) => cause as Error
    }))
    assert.match(error.message, /no application protocol/)
  })
})

describe("an upstream connection", () => {
  /** `resolved`: the number of resolved credentials at the time of each connection. */
  const behind = (routes = [route(HOST, "example")]) =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate })
      const parts = yield* proxyTo(upstream.port, { daemon: fakeDaemon(routes) })
      const resolved: Array<number> = []
      upstream.server.on("connection", () => resolved.push(parts.daemon.resolved.length))
      const statusOf = (line: string) =>
        Effect.flatMap(parts.open(), ({ exchange }) => Effect.map(exchange(line), ({ status }) => status))
      return { ...parts, resolved, statusOf, upstream }
    })

  live("is opened during the client's TLS handshake, without resolving a credential", function*() {
    const { open, resolved, statusOf, upstream } = yield* behind()
    const { exchange } = yield* open()
    yield* Effect.promise(() => until(() => resolved.length > 0))
    assert.deepStrictEqual(resolved, [0])
    assert.strictEqual((yield* exchange("GET /first")).status, 200)
    assert.strictEqual(yield* statusOf("GET /second"), 200)
    assert.strictEqual(upstream.connections(), 1)
  })

  for (const protocol of ["h2", "http/1.1"]) {
    live(`uses ${protocol} for a client that offers only this protocol`, function*() {
      const upstream = yield* FakeUpstream.make({ certificate, tls: { ALPNProtocols: ["h2", "http/1.1"] } })
      const spoken: Array<string | false | null> = []
      upstream.server.on("secureConnection", ({ alpnProtocol }) => spoken.push(alpnProtocol))
      const { open } = yield* proxyTo(upstream.port)
      yield* open({ ALPNProtocols: [protocol] })
      yield* Effect.promise(() => until(() => spoken.length > 0))
      assert.deepStrictEqual(spoken, [protocol])
    })
  }

  live("over HTTP/2 is opened during the client's TLS handshake and used by its requests", function*() {
    const { daemon, session, upstream } = yield* setUp(respondOk)
    yield* Effect.promise(() => until(() => upstream.sessions.length === 1))
    assert.lengthOf(daemon.resolved, 0)
    assert.lengthOf(upstream.seen, 0)
    for (const path of ["/first", "/second"]) {
      assert.strictEqual((yield* Effect.promise(() => get(session, path))).status, 200)
    }
    assert.lengthOf(upstream.sessions, 1)
  })

  live("is not opened for a handshake with another server name", function*() {
    const { proxy, statusOf, upstream } = yield* behind()
    const handshake = () => secureTunnel(proxy, `${HOST}:443`, { servername: "evil.example" })
    assert.isDefined(yield* Effect.flip(Effect.tryPromise(handshake)))
    assert.strictEqual(yield* statusOf("GET /"), 200)
    assert.strictEqual(upstream.connections(), 1)
  })

  live("is not opened before the first request if the user has not logged in to the provider", function*() {
    const { resolved, statusOf } = yield* behind([route(HOST, "example", { connected: false })])
    assert.strictEqual(yield* statusOf("GET /"), 200)
    assert.deepStrictEqual(resolved, [1])
  })
})
