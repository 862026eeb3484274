import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { builtins } from "../../src/platform/builtins.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import {
  authorization,
  caughtUp,
  connectTo,
  dial,
  fakeDaemon,
  type HarnessOptions,
  MARKER,
  route,
  SECRET,
  secureTunnel,
  startProxy,
  temporaryFile,
  until,
  Wire
} from "../support/ProxyHarness.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const authority = makeAuthority()
const HOST = "api.example.com"
const OTHER = "other.example.net"

const setUp = (more: Partial<HarnessOptions> = {}) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make({ certificate: authority.issue([HOST, OTHER]) })
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const daemon = more.daemon ?? fakeDaemon([route(HOST, "example")])
    const proxy = yield* startProxy({
      ...more,
      daemon,
      upstream: {
        extraCaCerts: [ca],
        resolve: {
          [`${HOST}:443`]: `127.0.0.1:${upstream.port}`,
          [`${HOST}:8443`]: `127.0.0.1:${upstream.port}`,
          [`${OTHER}:443`]: `127.0.0.1:${upstream.port}`
        },
        ...more.upstream
      }
    })
    return { upstream, daemon, proxy }
  })

const promise = <A>(run: () => Promise<A>) => Effect.promise(run)

const get = (path: string, host = HOST) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`

describe("ForwardProxy", () => {
  it.live("injects the credential into a request to a routed host and removes the placeholder", () =>
    Effect.gen(function*() {
      const { daemon, proxy, upstream } = yield* setUp()
      const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
      wire.send(`GET /v1/models HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${MARKER}\r\n\r\n`)
      const answer = yield* promise(() => wire.answer())
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(upstream.seen.map((request) => request.headers.authorization), [`Bearer ${SECRET}`])
      assert.notInclude(JSON.stringify(upstream.seen), MARKER)
      assert.strictEqual(daemon.resolved.length, 1)
    }).pipe(Effect.scoped))

  it.live("holds up to 512 connections, then closes the oldest one without an admitted request", () =>
    Effect.gen(function*() {
      const { proxy } = yield* setUp({ headMilliseconds: 600_000 })
      const open = promise(() => dial(proxy.port)).pipe(
        Effect.map((socket) => new Wire(socket)),
        Effect.tap(({ socket }) => Effect.addFinalizer(() => Effect.sync(() => socket.destroy())))
      )
      const connect = (wire: Wire, headers: string) =>
        promise(() => {
          wire.send(`CONNECT ${HOST}:443 HTTP/1.1\r\n${headers}\r\n`)
          return wire.answer("CONNECT")
        })
      const tunnel = yield* open
      assert.strictEqual((yield* connect(tunnel, authorization(proxy))).status, 200)
      const rejected = yield* open
      assert.strictEqual((yield* connect(rejected, "")).status, 407)
      const silent = yield* Effect.all(Array.from({ length: 510 }, () => open), { concurrency: 16 })
      yield* promise(() => caughtUp(proxy)) // also opens a connection, for which the one with the rejected request was closed
      yield* promise(() => rejected.closed())
      assert.isFalse(silent.some(({ ended }) => ended))
      const next = yield* open
      assert.strictEqual((yield* connect(next, authorization(proxy))).status, 200)
      assert.isFalse(tunnel.ended)
    }).pipe(Effect.scoped))

  describe("admission", () => {
    it.live("responds with 407 without a credential, keeps the connection and admits a retry on it", () =>
      Effect.gen(function*() {
        const { daemon, proxy } = yield* setUp()
        const { answer, socket, wire } = yield* promise(() => connectTo(proxy, `${HOST}:443`, { headers: "" }))
        assert.strictEqual(answer.status, 407)
        assert.match(answer.headers.get("proxy-authenticate") ?? "", /^Basic /)
        assert.strictEqual(answer.headers.get("connection"), "keep-alive")
        assert.isFalse(socket.destroyed)
        wire.send(`CONNECT ${HOST}:443 HTTP/1.1\r\n${authorization(proxy)}\r\n`)
        const second = yield* promise(() => wire.answer("CONNECT"))
        assert.strictEqual(second.status, 200)
        assert.strictEqual(daemon.resolved.length, 0)
        socket.destroy()
      }).pipe(Effect.scoped))

    it.live("closes the connection after a 407 if the client waits for 100 (Continue) to send its body", () =>
      Effect.gen(function*() {
        const { proxy } = yield* setUp()
        const wire = new Wire(yield* promise(() => dial(proxy.port)))
        wire.send("POST http://x.test/ HTTP/1.1\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 407)
        assert.strictEqual(answer.headers.get("connection"), "close")
        yield* promise(() => wire.closed())
      }).pipe(Effect.scoped))

    it.live("refuses a wrong credential even from the run's user", () =>
      Effect.gen(function*() {
        const { daemon, proxy } = yield* setUp({ peer: "own" })
        const wrong = Buffer.from("credsvc:" + "A".repeat(43)).toString("base64")
        const attempts = [
          `Proxy-Authorization: Basic ${wrong}\r\n`,
          "Proxy-Authorization: Basic \r\n",
          "Proxy-Authorization: Bearer x\r\n",
          authorization(proxy).replace("\r\n", "x\r\n")
        ]
        for (const headers of attempts) {
          const { answer, socket } = yield* promise(() => connectTo(proxy, `${HOST}:443`, { headers }))
          assert.strictEqual(answer.status, 407, headers)
          socket.destroy()
        }
        assert.strictEqual(daemon.routeCalls, 1)
      }).pipe(Effect.scoped))

    it.live("admits the run's user without a credential, as Java and Chromium connect", () =>
      Effect.gen(function*() {
        const { proxy } = yield* setUp({ peer: "own" })
        const { answer, socket } = yield* promise(() => connectTo(proxy, `${HOST}:443`, { headers: "" }))
        assert.strictEqual(answer.status, 200)
        socket.destroy()
      }).pipe(Effect.scoped))

    for (const peer of ["other", "unknown", "unsupported"] as const) {
      it.live(`refuses a connection without a credential if its user is ${peer}, for CONNECT and absolute targets`, () =>
        Effect.gen(function*() {
          const { proxy, upstream } = yield* setUp({ peer })
          const { answer, socket } = yield* promise(() => connectTo(proxy, `${HOST}:443`, { headers: "" }))
          assert.strictEqual(answer.status, 407)
          socket.destroy()
          const plain = new Wire(yield* promise(() => dial(proxy.port)))
          plain.send(`GET https://${HOST}/ HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
          const refused = yield* promise(() => plain.answer())
          assert.strictEqual(refused.status, 407)
          assert.strictEqual(upstream.connections(), 0)
          plain.socket.destroy()
        }).pipe(Effect.scoped))
    }

    it.live("listens only on 127.0.0.1, until the scope closes", () =>
      Effect.gen(function*() {
        const port = yield* Effect.scoped(Effect.gen(function*() {
          const { proxy } = yield* setUp()
          const hex = proxy.port.toString(16).toUpperCase().padStart(4, "0")
          const rows = ["tcp", "tcp6"].flatMap((table) =>
            fs.readFileSync(`/proc/self/net/${table}`, "latin1").split("\n").filter((row) =>
              row.includes(`:${hex} `) && row.includes(" 0A ")
            )
          )
          assert.lengthOf(rows, 1)
          assert.include(rows[0] ?? "", `0100007F:${hex}`)
          return proxy.port
        }))
        const error = yield* Effect.flip(Effect.tryPromise(() => dial(port)))
        assert.isDefined(error)
      }))
  })

  describe("tunnels", () => {
    const certificateSeen = (proxy: { port: number; proxyUrl: string; caPem: string }, target: string) =>
      promise(async () => {
        const { socket } = await secureTunnel(proxy, target, { ca: [authority.caPem, proxy.caPem] })
        const seen = socket.getPeerCertificate().fingerprint256
        socket.destroy()
        return seen
      })

    it.live("pass on the origin's own certificate for a host that is not routed", () =>
      Effect.gen(function*() {
        const certificate = authority.issue([OTHER])
        const upstream = yield* FakeUpstream.make({ certificate })
        const { daemon, proxy } = yield* setUp({
          upstream: { resolve: { [`${OTHER}:443`]: `127.0.0.1:${upstream.port}` } }
        })
        const expected = new builtins.crypto.X509Certificate(certificate.cert).fingerprint256
        assert.strictEqual(yield* certificateSeen(proxy, `${OTHER}:443`), expected)
        assert.strictEqual(daemon.resolved.length, 0)
      }).pipe(Effect.scoped))

    it.live("connect a routed name on another port without interception", () =>
      Effect.gen(function*() {
        const { daemon, proxy, upstream } = yield* setUp()
        const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:8443`, { ca: authority.caPem }))
        wire.send(get("/"))
        yield* promise(() => wire.answer())
        assert.isUndefined(upstream.seen[0]?.headers.authorization)
        assert.strictEqual(daemon.resolved.length, 0)
      }).pipe(Effect.scoped))

    it.live("support half-closed connections in both directions", () =>
      Effect.gen(function*() {
        const server = builtins.net.createServer({ allowHalfOpen: true }, (socket: Net.Socket) => {
          let got = ""
          socket.on("data", (chunk: Buffer) => {
            got += chunk.toString()
          })
          socket.on("end", () => socket.end(`got ${got}`))
        })
        yield* Effect.acquireRelease(
          promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))),
          () => Effect.sync(() => server.close())
        )
        const { proxy } = yield* setUp()
        const port = (server.address() as Net.AddressInfo).port
        const { answer, socket, wire } = yield* promise(() => connectTo(proxy, `127.0.0.1:${port}`))
        assert.strictEqual(answer.status, 200)
        socket.end("all of it")
        const text = yield* promise(() => wire.text("never"))
        assert.strictEqual(text, "got all of it")
      }).pipe(Effect.scoped))

    it.live("get a 502 with the reason in the status line if the host is unreachable", () =>
      Effect.gen(function*() {
        const { proxy } = yield* setUp({ upstream: { resolve: { [`${OTHER}:443`]: "127.0.0.1:1" } } })
        const { answer } = yield* promise(() => connectTo(proxy, `${OTHER}:443`))
        assert.strictEqual(answer.status, 502)
        assert.match(answer.reason, /^credsvc: .*ECONNREFUSED/)
      }).pipe(Effect.scoped))

    it.live("are refused with `--unmatched deny`, with the reason in the status line", () =>
      Effect.gen(function*() {
        const { proxy, upstream } = yield* setUp({ unmatched: "deny" })
        const { answer } = yield* promise(() => connectTo(proxy, `${OTHER}:443`))
        assert.strictEqual(answer.status, 403)
        assert.match(answer.reason, /--unmatched deny/)
        const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        wire.send(get("/"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        assert.lengthOf(upstream.seen, 1)
      }).pipe(Effect.scoped))
  })

  describe("authorities", () => {
    const strange = [
      `${HOST}%2eevil.test:443`,
      `user@${HOST}:443`,
      `${HOST}\\@evil.test:443`,
      `${HOST}`,
      `${HOST}:`,
      `${HOST}:0`,
      `${HOST}:99999`,
      `${HOST}:443:443`,
      `${HOST}..:443`,
      `.${HOST}:443`,
      "0x7f.1:443",
      "2130706433:443",
      "127.1:443",
      "a_b.example.com:443",
      `[${HOST}]:443`,
      "[::1:443",
      `${HOST}:443/path`,
      `https://${HOST}:443`
    ]
    it.live("are refused in every invalid spelling, without a call to the daemon", () =>
      Effect.gen(function*() {
        const { daemon, proxy, upstream } = yield* setUp()
        for (const target of strange) {
          const { answer, socket } = yield* promise(() => connectTo(proxy, target))
          assert.strictEqual(answer.status, 400, target)
          socket.destroy()
        }
        assert.strictEqual(daemon.routeCalls, 1)
        assert.strictEqual(upstream.connections(), 0)
      }).pipe(Effect.scoped))

    it.live("are equal regardless of case and one trailing dot", () =>
      Effect.gen(function*() {
        const { proxy, upstream } = yield* setUp()
        const { wire } = yield* promise(() => secureTunnel(proxy, `API.Example.COM.:443`, { servername: HOST }))
        wire.send(get("/"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        assert.strictEqual(upstream.seen[0]?.headers.authorization, `Bearer ${SECRET}`)
      }).pipe(Effect.scoped))

    it.live("are accepted in an HTTP/1.0 CONNECT without a Host header", () =>
      Effect.gen(function*() {
        const { proxy } = yield* setUp()
        const { answer, socket } = yield* promise(() => connectTo(proxy, `${HOST}:443`, { version: "1.0" }))
        assert.strictEqual(answer.status, 200)
        socket.destroy()
      }).pipe(Effect.scoped))
  })

  describe("plaintext", () => {
    it.live("ends a tunnel to a routed host whose first byte does not begin TLS", () =>
      Effect.gen(function*() {
        const { daemon, proxy, upstream } = yield* setUp()
        const { wire } = yield* promise(() => connectTo(proxy, `${HOST}:443`))
        wire.send(get("/"))
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 400)
        yield* promise(() => wire.closed())
        assert.strictEqual(daemon.resolved.length, 0)
        assert.strictEqual(upstream.connections(), 0)
      }).pipe(Effect.scoped))

    it.live("is refused for an absolute http:// target on a routed host, on any port", () =>
      Effect.gen(function*() {
        const { daemon, proxy, upstream } = yield* setUp()
        for (const target of [`http://${HOST}/v1`, `http://${HOST}:443/v1`, `HTTP://API.EXAMPLE.COM./`]) {
          const wire = new Wire(yield* promise(() => dial(proxy.port)))
          wire.send(`GET ${target} HTTP/1.1\r\nHost: ${HOST}\r\n${authorization(proxy)}\r\n`)
          const answer = yield* promise(() => wire.answer())
          assert.strictEqual(answer.status, 403, target)
          assert.include(answer.body, "requires https")
          wire.socket.destroy()
        }
        assert.strictEqual(daemon.resolved.length, 0)
        assert.strictEqual(upstream.connections(), 0)
      }).pipe(Effect.scoped))
  })

  describe("absolute targets", () => {
    it.live("may use https:// over an unencrypted connection, as wget2 does", () =>
      Effect.gen(function*() {
        const { proxy, upstream } = yield* setUp()
        const wire = new Wire(yield* promise(() => dial(proxy.port)))
        wire.send(`GET https://${HOST}/a?b=c HTTP/1.1\r\nHost: evil.test\r\n${authorization(proxy)}\r\n`)
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 200)
        const [seen] = upstream.seen
        assert.strictEqual(seen?.headers.authorization, `Bearer ${SECRET}`)
        assert.strictEqual(seen?.headers.host, HOST)
        assert.strictEqual(seen?.url, "/a?b=c")
        assert.isUndefined(seen?.headers["proxy-authorization"])
        wire.socket.destroy()
      }).pipe(Effect.scoped))

    it.live("with http:// are forwarded to other hosts unchanged, without the run's credential", () =>
      Effect.gen(function*() {
        const plain = yield* FakeUpstream.make()
        const { daemon, proxy } = yield* setUp()
        const wire = new Wire(yield* promise(() => dial(proxy.port)))
        wire.send(
          `POST http://127.0.0.1:${plain.port}/x HTTP/1.1\r\nHost: 127.0.0.1:${plain.port}\r\n` +
            `Authorization: Bearer ${MARKER}x\r\nX-Own: 1\r\nContent-Length: 4\r\n${authorization(proxy)}\r\nbody`
        )
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(JSON.parse(answer.body).body, "body")
        assert.isUndefined(plain.seen[0]?.headers["proxy-authorization"])
        assert.strictEqual(plain.seen[0]?.headers["x-own"], "1")
        assert.strictEqual(daemon.resolved.length, 0)
        wire.socket.destroy()
      }).pipe(Effect.scoped))

    it.live("are dropped if the client disconnects before the routes are known", () =>
      Effect.gen(function*() {
        const { daemon, proxy, upstream } = yield* setUp()
        const asked = yield* Deferred.make<void>()
        const known = yield* Deferred.make<void>()
        daemon.pause = Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(known))
        const gone = new Wire(yield* promise(() => dial(proxy.port)))
        gone.send(`GET https://${HOST}/gone HTTP/1.1\r\nHost: ${HOST}\r\n${authorization(proxy)}\r\n`)
        yield* Deferred.await(asked)
        gone.socket.resetAndDestroy()
        daemon.pause = Effect.void
        // The proxy notices the disconnect before the daemon responds.
        yield* promise(() => caughtUp(proxy))
        yield* Deferred.succeed(known, undefined)
        const wire = new Wire(yield* promise(() => dial(proxy.port)))
        wire.send(`GET https://${HOST}/there HTTP/1.1\r\nHost: ${HOST}\r\n${authorization(proxy)}\r\n`)
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        assert.deepStrictEqual(upstream.seen.map(({ url }) => url), ["/there"])
        wire.socket.destroy()
      }).pipe(Effect.scoped))

    it.live("are required: an origin-form target gets a 400", () =>
      Effect.gen(function*() {
        const { proxy } = yield* setUp()
        const wire = new Wire(yield* promise(() => dial(proxy.port)))
        wire.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n${authorization(proxy)}\r\n`)
        assert.strictEqual((yield* promise(() => wire.answer())).status, 400)
        wire.socket.destroy()
      }).pipe(Effect.scoped))
  })

  describe("blocked targets", () => {
    it.live("include the proxy itself, the daemon and cloud metadata addresses, in any spelling", () =>
      Effect.gen(function*() {
        const daemonStandIn = yield* FakeUpstream.make()
        const { proxy } = yield* setUp({ daemonUrl: new URL(`http://127.0.0.1:${daemonStandIn.port}`) })
        const targets = [
          `127.0.0.1:${proxy.port}`,
          `localhost:${proxy.port}`,
          `127.0.0.2:${proxy.port}`,
          `[::ffff:127.0.0.1]:${proxy.port}`,
          `0.0.0.0:${daemonStandIn.port}`,
          `127.0.0.1:${daemonStandIn.port}`,
          `localhost:${daemonStandIn.port}`,
          "169.254.169.254:80",
          "[::ffff:169.254.169.254]:80",
          "[fd00:ec2::254]:80",
          "100.100.100.200:80"
        ]
        for (const target of targets) {
          const { answer, socket } = yield* promise(() => connectTo(proxy, target))
          assert.strictEqual(answer.status, 403, target)
          socket.destroy()
          const wire = new Wire(yield* promise(() => dial(proxy.port)))
          wire.send(`GET http://${target}/health HTTP/1.1\r\nHost: x\r\n${authorization(proxy)}\r\n`)
          assert.strictEqual((yield* promise(() => wire.answer())).status, 403, target)
          wire.socket.destroy()
        }
        assert.strictEqual(daemonStandIn.connections(), 0)
      }).pipe(Effect.scoped))
  })

  describe("the daemon's routes", () => {
    it.live("take effect with the next tunnel when one is removed", () =>
      Effect.gen(function*() {
        const { daemon, proxy } = yield* setUp()
        daemon.routes = []
        daemon.version++
        const failed = yield* Effect.flip(Effect.tryPromise(() => secureTunnel(proxy, `${HOST}:443`)))
        assert.isDefined(failed) // the origin's certificate, which the run's authority did not sign
        const { socket } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`, { ca: authority.caPem }))
        socket.destroy()
      }).pipe(Effect.scoped))

    it.live("that were added after the run began are refused, because the root certificate does not permit their hosts", () =>
      Effect.gen(function*() {
        const { daemon, proxy, upstream } = yield* setUp()
        daemon.routes = [...daemon.routes, route(OTHER, "late")]
        daemon.version++
        const { answer } = yield* promise(() => connectTo(proxy, `${OTHER}:443`))
        assert.strictEqual(answer.status, 403)
        assert.match(answer.reason, /after this run began/)
        assert.strictEqual(upstream.connections(), 0)
      }).pipe(Effect.scoped))

    it.live("stay in effect while the daemon is down, and other hosts are tunneled", () =>
      Effect.gen(function*() {
        const { daemon, proxy, upstream } = yield* setUp()
        daemon.down = true
        const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        wire.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${MARKER}\r\n\r\n`)
        const refused = yield* promise(() => wire.answer())
        assert.strictEqual(refused.status, 403)
        assert.strictEqual(refused.headers.get("x-credsvc-error"), "DaemonUnavailableError")
        assert.include(refused.body, "credsvc daemon start")
        assert.lengthOf(upstream.seen, 0)
        const other = yield* promise(() => secureTunnel(proxy, `${OTHER}:443`, { ca: authority.caPem }))
        other.wire.send(get("/", OTHER))
        assert.strictEqual((yield* promise(() => other.wire.answer())).status, 200)
        daemon.down = false
        wire.send(get("/"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        assert.strictEqual(upstream.seen.at(-1)?.headers.authorization, `Bearer ${SECRET}`)
      }).pipe(Effect.scoped))

    it.live("are limited to the selected providers and connections", () =>
      Effect.gen(function*() {
        const daemon = fakeDaemon([route(HOST, "example"), route(OTHER, "other")])
        const { proxy } = yield* setUp({ daemon, providers: ["example"], connections: { example: "work" } })
        const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        wire.send(get("/"))
        yield* promise(() => wire.answer())
        const tunnel = yield* promise(() => secureTunnel(proxy, `${OTHER}:443`, { ca: authority.caPem }))
        tunnel.wire.send(get("/", OTHER))
        yield* promise(() => tunnel.wire.answer())
        assert.deepStrictEqual(daemon.resolved.map(({ connection, provider }) => [provider, connection]), [[
          "example",
          "work"
        ]])
      }).pipe(Effect.scoped))
  })

  describe("a corporate proxy", () => {
    const corporate = Effect.gen(function*() {
      const hops: Array<{ readonly target: string; readonly auth: string | undefined }> = []
      let bytes = ""
      const server = builtins.http.createServer()
      server.on("connect", (request, socket: Net.Socket, head: Buffer) => {
        hops.push({ target: request.url ?? "", auth: request.headers["proxy-authorization"] })
        const to = builtins.net.connect(upstreamPort, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n")
          to.write(head)
          socket.on("data", (chunk: Buffer) => {
            bytes += chunk.toString("latin1")
          })
          socket.pipe(to)
          to.pipe(socket)
        })
        to.on("error", () => socket.destroy())
        socket.on("error", () => to.destroy())
      })
      let upstreamPort = 0
      yield* Effect.acquireRelease(
        promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))),
        () => Effect.sync(() => server.close())
      )
      return {
        port: (server.address() as Net.AddressInfo).port,
        hops,
        bytes: () => bytes,
        leadTo: (port: number) => {
          upstreamPort = port
        }
      }
    })

    it.live("is used with CONNECT and never sees the secret, except for hosts in no_proxy", () =>
      Effect.gen(function*() {
        const hop = yield* corporate
        const { proxy, upstream } = yield* setUp({
          upstream: {
            resolve: {},
            proxy: `http://user:p%40ss@127.0.0.1:${hop.port}`,
            noProxy: ["*.internal.test"]
          }
        })
        hop.leadTo(upstream.port)
        const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        wire.send(get("/"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        assert.strictEqual(upstream.seen[0]?.headers.authorization, `Bearer ${SECRET}`)
        assert.deepStrictEqual(hop.hops, [{
          target: `${HOST}:443`,
          auth: `Basic ${Buffer.from("user:p@ss").toString("base64")}`
        }])
        assert.notInclude(hop.bytes(), SECRET)
        const { answer } = yield* promise(() => connectTo(proxy, "x.internal.test:443"))
        assert.strictEqual(answer.status, 502)
        assert.lengthOf(hop.hops, 1)
      }).pipe(Effect.scoped))
  })

  it.live("drains active requests for a limited time when it stops", () =>
    Effect.gen(function*() {
      let finish: () => void = () => {}
      const upstream = yield* FakeUpstream.make({
        certificate: authority.issue([HOST]),
        handler: (_request, response) => {
          finish = () => response.end("done")
        }
      })
      const answer = yield* Effect.scoped(Effect.gen(function*() {
        const { proxy } = yield* setUp({
          upstream: {
            extraCaCerts: [yield* temporaryFile("ca.pem", authority.caPem)],
            resolve: { [`${HOST}:443`]: `127.0.0.1:${upstream.port}` }
          },
          drainMilliseconds: 60_000
        })
        const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        wire.send(get("/"))
        yield* promise(() => until(() => upstream.seen.length === 1))
        setTimeout(() => finish(), 100)
        return wire.answer()
      }))
      assert.strictEqual((yield* promise(() => answer)).body, "done")
    }).pipe(Effect.scoped))

  it.live("closes a connection whose request head does not arrive, inside and outside a tunnel", () =>
    Effect.gen(function*() {
      const { proxy, upstream } = yield* setUp({ headMilliseconds: 2000 })
      const inside = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
      inside.wire.send("GET / HTTP/1.1\r\nHost:")
      const outside = new Wire(yield* promise(() => dial(proxy.port)))
      outside.send(`CONNECT ${HOST}:443 HTTP/1.1\r\nX:`)
      yield* promise(() => Promise.all([inside.wire.closed(), outside.closed()]))
      assert.lengthOf(upstream.seen, 0)
    }).pipe(Effect.scoped))

  for (
    const [offered, chosen] of [[["h2", "http/1.1"], "h2"], [["http/1.1"], "http/1.1"], [["h2"], "h2"], [
      undefined,
      false
    ]] as const
  ) {
    it.live(`uses TLS 1.2 or later with clients, and selects ${chosen} from ${offered?.join(" and ") ?? "no protocols"}`, () =>
      Effect.gen(function*() {
        const { proxy } = yield* setUp()
        for (const ecdhCurve of ["X25519", "P-384:X25519"]) {
          const { socket } = yield* promise(() =>
            secureTunnel(proxy, `${HOST}:443`, {
              ecdhCurve,
              ALPNProtocols: offered === undefined ? undefined as never : [...offered]
            })
          )
          // The second offer causes a HelloRetryRequest, after which Node 24 may lose the ALPN protocols.
          assert.strictEqual((socket as Tls.TLSSocket).alpnProtocol, chosen)
          assert.include(["TLSv1.2", "TLSv1.3"], socket.getProtocol())
          socket.destroy()
        }
      }).pipe(Effect.scoped))
  }

  it.live("ends the handshake with a client that offers neither HTTP/1.1 nor HTTP/2", () =>
    Effect.gen(function*() {
      const { proxy } = yield* setUp()
      const error = yield* Effect.flip(Effect.tryPromise({
        try: () => secureTunnel(proxy, `${HOST}:443`, { ALPNProtocols: ["spdy/3"] }),
        catch: (cause) => cause as NodeJS.ErrnoException
      }))
      assert.match(error.message, /no application protocol/)
    }).pipe(Effect.scoped))
})
