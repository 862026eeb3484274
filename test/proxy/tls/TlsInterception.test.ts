import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { X509Certificate } from "node:crypto"
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { builtins } from "../../../src/platform/builtins.ts"
import { readClientHello } from "../../../src/proxy/tls/TlsInterception.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import * as fc from "../../support/FastCheck.ts"
import { get, setUp } from "../../support/Http2Peers.ts"
import { certificate, HOST, proxyTo, request } from "../../support/ProxiedHost.ts"
import { fakeDaemon, route, secureTunnel, until } from "../../support/ProxyHarness.ts"

/** The first bytes of a real client. */
const helloOf = (options: Tls.ConnectionOptions): Effect.Effect<Buffer> =>
  Effect.callback((resume) => {
    const server = builtins.net.createServer((socket) => {
      socket.once("data", (bytes: Buffer) => {
        socket.destroy()
        server.close()
        resume(Effect.succeed(bytes))
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as Net.AddressInfo
      builtins.tls.connect({ port, host: "127.0.0.1", ...options }).on("error", () => {})
    })
  })

describe("readClientHello", () => {
  it.live("reads the server name and the offered protocols", () =>
    Effect.gen(function*() {
      const offered = yield* helloOf({ servername: HOST, ALPNProtocols: ["h2", "http/1.1"] })
      assert.deepStrictEqual(readClientHello(offered), { serverName: HOST, protocols: ["h2", "http/1.1"] })
      const bare = yield* helloOf({})
      assert.deepStrictEqual(readClientHello(bare), { serverName: undefined, protocols: [] })
    }))

  it.live("survives truncated and damaged messages", () =>
    Effect.gen(function*() {
      const hello = yield* helloOf({ servername: HOST, ALPNProtocols: ["h2", "http/1.1"] })
      for (let length = 0; length < hello.length; length++) {
        assert.isUndefined(readClientHello(hello.subarray(0, length)), `${length} bytes`)
      }
      const place = fc.integer({ min: 0, max: hello.length - 1 })
      fc.assert(fc.property(place, fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const damaged = Buffer.from(hello)
        damaged[at] = byte
        readClientHello(damaged)
      }))
      fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        readClientHello(Buffer.from([0x16, 3, 1, 0, bytes.length, 1, ...bytes]))
      }))
    }))
})

describe("TlsInterception", () => {
  it.live("serves a client that offers only HTTP/1.0", () =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate })
      const { open } = yield* proxyTo(upstream.port)
      const { socket, wire } = yield* open({ ALPNProtocols: ["http/1.0"] })
      assert.strictEqual(socket.alpnProtocol, "http/1.0")
      wire.send(`GET / HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`)
      assert.strictEqual((yield* Effect.promise(() => wire.answer())).status, 200)
      const both = yield* open({ ALPNProtocols: ["http/1.0", "http/1.1"] })
      assert.strictEqual(both.socket.alpnProtocol, "http/1.1")
    }).pipe(Effect.scoped))

  it.live("sends the root certificate after that of the host", () =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate })
      const { open, proxy } = yield* proxyTo(upstream.port)
      // A client without the root certificate knows only the certificates that it received.
      const { socket } = yield* open({ ca: [], rejectUnauthorized: false })
      const { issuerCertificate } = socket.getPeerCertificate(true)
      assert.strictEqual(
        issuerCertificate.raw.toString("base64"),
        new X509Certificate(proxy.caPem).raw.toString("base64")
      )
    }).pipe(Effect.scoped))
})

describe("an upstream connection", () => {
  /** `asked`: the number of resolved credentials at the time of each connection. */
  const behind = (routes = [route(HOST, "example")]) =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate })
      const parts = yield* proxyTo(upstream.port, { daemon: fakeDaemon(routes) })
      const asked: Array<number> = []
      const arrival = new Promise<void>((resolve) => {
        upstream.server.on("connection", () => {
          asked.push(parts.daemon.resolved.length)
          resolve()
        })
      })
      const answerTo = (line: string) =>
        Effect.flatMap(parts.tunnel, ({ wire }) => {
          wire.send(request(line))
          return Effect.promise(() => wire.answer())
        })
      return { ...parts, answerTo, arrival: Effect.promise(() => arrival), asked, upstream }
    })

  it.live("is opened during the client's TLS handshake, without resolving a credential", () =>
    Effect.gen(function*() {
      const { answerTo, arrival, asked, tunnel, upstream } = yield* behind()
      const { wire } = yield* tunnel
      yield* arrival
      assert.deepStrictEqual(asked, [0])
      wire.send(request("GET /first"))
      assert.strictEqual((yield* Effect.promise(() => wire.answer())).status, 200)
      assert.strictEqual((yield* answerTo("GET /second")).status, 200)
      assert.strictEqual(upstream.connections(), 1)
    }).pipe(Effect.scoped))

  for (const protocol of ["h2", "http/1.1"]) {
    it.live(`uses ${protocol} for a client that offers only that`, () =>
      Effect.gen(function*() {
        const upstream = yield* FakeUpstream.make({ certificate, tls: { ALPNProtocols: ["h2", "http/1.1"] } })
        const spoken: Array<string | false | null> = []
        upstream.server.on("secureConnection", ({ alpnProtocol }) => spoken.push(alpnProtocol))
        const { open } = yield* proxyTo(upstream.port)
        const { socket } = yield* open({ ALPNProtocols: [protocol] })
        yield* Effect.promise(() => until(() => spoken.length > 0))
        assert.deepStrictEqual(spoken, [protocol])
        socket.destroy()
      }).pipe(Effect.scoped))
  }

  it.live("over HTTP/2 is opened during the client's TLS handshake and used by its requests", () =>
    Effect.gen(function*() {
      const { daemon, session, upstream } = yield* setUp((stream) => {
        stream.respond()
        stream.end()
      })
      yield* Effect.promise(() => until(() => upstream.sessions.length === 1))
      assert.lengthOf(daemon.resolved, 0)
      assert.lengthOf(upstream.seen, 0)
      for (const path of ["/first", "/second"]) {
        assert.strictEqual((yield* Effect.promise(() => get(session, path))).status, 200)
      }
      assert.lengthOf(upstream.sessions, 1)
    }).pipe(Effect.scoped))

  it.live("is not opened for a handshake with another server name", () =>
    Effect.gen(function*() {
      const { answerTo, proxy, upstream } = yield* behind()
      const refused = yield* Effect.promise(() =>
        secureTunnel(proxy, `${HOST}:443`, { servername: "evil.example" }).then(() => false, () => true)
      )
      assert.isTrue(refused)
      assert.strictEqual((yield* answerTo("GET /")).status, 200)
      assert.strictEqual(upstream.connections(), 1)
    }).pipe(Effect.scoped))

  it.live("is not opened early if the route table has no connection of the provider", () =>
    Effect.gen(function*() {
      const { answerTo, asked } = yield* behind([route(HOST, "example", { connected: false })])
      assert.strictEqual((yield* answerTo("GET /")).status, 200)
      assert.deepStrictEqual(asked, [1])
    }).pipe(Effect.scoped))
})
