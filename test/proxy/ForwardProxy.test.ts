import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import type * as Net from "node:net"
import { builtins } from "../../src/platform/builtins.ts"
import { ForwardProxy } from "../../src/proxy/ForwardProxy.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { live, promise } from "../support/Fixture.ts"
import { connectSession, get } from "../support/Http2Peers.ts"
import { certificate, EVIL, HOST, proxied, proxyTo, request, WEBSOCKET } from "../support/ProxiedHost.ts"
import {
  authorization,
  caughtUp,
  configOf,
  connectTo,
  dial,
  fakeDaemon,
  type HarnessOptions,
  MARKER,
  noCredential,
  ownerOf,
  route,
  SECRET,
  secureTunnel,
  sourceOf
} from "../support/ProxyHarness.ts"
import { authority } from "../support/TestCertificates.ts"
import { listen } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

/** A host that no provider of the run claims. */
const OTHER = EVIL

const setUp = (options: Partial<HarnessOptions> = {}) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make({ certificate })
    const { port } = upstream
    return { upstream, ...yield* proxyTo({ [HOST]: port, [`${HOST}:8443`]: port, [OTHER]: port }, options) }
  })

describe("ForwardProxy", () => {
  live("fails and closes if a contained run gets no sockets", function*() {
    const lost = new Error("the namespaces ended")
    const contained = Effect.delay(Effect.fail(lost), "100 millis")
    const layer = ForwardProxy.layerNoDeps({ contained }).pipe(
      Layer.provide([sourceOf(fakeDaemon([route(HOST, "example")])), configOf(), ownerOf("own")])
    )
    assert.strictEqual(yield* Effect.flip(Effect.scoped(Layer.build(layer))), lost)
  })

  live("holds up to 512 connections, then closes the oldest one without an admitted request", function*() {
    const { connect, proxy } = yield* setUp({ headMilliseconds: 600_000 })
    const head = `CONNECT ${HOST}:443 HTTP/1.1\r\n`
    const tunnel = yield* connect
    assert.strictEqual((yield* tunnel.exchange(`${head}${authorization(proxy)}\r\n`)).status, 200)
    const rejected = yield* connect
    assert.strictEqual((yield* rejected.exchange(`${head}\r\n`)).status, 407)
    const silent = yield* Effect.all(Array.from({ length: 510 }, () => connect), { concurrency: 16 })
    yield* promise(() => caughtUp(proxy)) // also opens a connection, for which the one with the rejected request was closed
    yield* promise(() => rejected.closed())
    assert.isFalse(silent.some(({ ended }) => ended))
    const next = yield* connect
    assert.strictEqual((yield* next.exchange(`${head}${authorization(proxy)}\r\n`)).status, 200)
    assert.isFalse(tunnel.ended)
  })

  live("opens a tunnel however clients write the request for it", function*() {
    const { connect, proxy } = yield* setUp({ peer: "other" })
    const target = `${HOST}:443`
    const cases: ReadonlyArray<readonly [what: string, line: string, fields: string]> = [
      [
        "undici, which leaves out the port of Host",
        `CONNECT ${target} HTTP/1.1`,
        `host: ${HOST}\r\nconnection: close\r\n`
      ],
      ["a length of 0", `CONNECT ${target} HTTP/1.1`, `Host: ${target}\r\nContent-Length: 0\r\n`],
      ["the proxy's name in Host", `CONNECT ${target} HTTP/1.1`, "Host: proxy.corp:3128\r\n"],
      ["HTTP/1.0 without Host", `CONNECT ${target} HTTP/1.0`, ""],
      ["a name in capitals, with a dot", `CONNECT ${HOST.toUpperCase()}.:443 HTTP/1.1`, `Host: ${target}\r\n`]
    ]
    for (const [what, line, fields] of cases) {
      const wire = yield* connect
      const refused = yield* wire.exchange(`${line}\r\nProxy-Connection: Keep-Alive\r\n${fields}\r\n`)
      const next = line.endsWith("1.0") || fields.includes("close") ? yield* connect : wire
      const { head } = yield* next.exchange(`${line}\r\n${fields}${authorization(proxy)}\r\n`)
      // Some clients refuse other phrases, or a length.
      assert.deepStrictEqual([refused.status, head], [407, "HTTP/1.1 200 Connection Established\r\n\r\n"], what)
    }
  })

  describe("at admission", () => {
    /** The status of the response to a CONNECT with these header fields. */
    const statusWith = (proxy: Parameters<typeof connectTo>[0], headers: string) =>
      promise(async () => {
        const { response, socket } = await connectTo(proxy, `${HOST}:443`, { headers })
        socket.destroy()
        return response.status
      })

    live("responds to a missing credential with 407, and admits a retry on the same connection", function*() {
      const { connect, daemon, proxy } = yield* setUp()
      const wire = yield* connect
      const { headers, status } = yield* wire.exchange(`CONNECT ${HOST}:443 HTTP/1.1\r\n\r\n`)
      assert.strictEqual(status, 407)
      assert.match(headers.get("proxy-authenticate") ?? "", /^Basic /)
      assert.strictEqual(headers.get("connection"), "keep-alive")
      const second = yield* wire.exchange(`CONNECT ${HOST}:443 HTTP/1.1\r\n${authorization(proxy)}\r\n`)
      assert.strictEqual(second.status, 200)
      assert.lengthOf(daemon.resolved, 0)
    })

    live("closes the connection after a 407 if the client waits for 100 (Continue) to send its body", function*() {
      const wire = yield* (yield* setUp()).connect
      const { headers, status } = yield* wire.exchange(
        "POST http://x.test/ HTTP/1.1\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"
      )
      assert.deepStrictEqual([status, headers.get("connection")], [407, "close"])
      yield* promise(() => wire.closed())
    })

    live("refuses a wrong credential even from the run's user", function*() {
      const { daemon, proxy } = yield* setUp({ peer: "own" })
      const wrong = Buffer.from("credsvc:" + "A".repeat(43)).toString("base64")
      const attempts = [
        `Proxy-Authorization: Basic ${wrong}\r\n`,
        "Proxy-Authorization: Basic \r\n",
        "Proxy-Authorization: Bearer x\r\n",
        authorization(proxy).replace("\r\n", "x\r\n")
      ]
      for (const headers of attempts) assert.strictEqual(yield* statusWith(proxy, headers), 407, headers)
      assert.strictEqual(daemon.routeCalls, 1)
    })

    live("admits the run's user without a credential, as Java and Chromium connect", function*() {
      const { proxy } = yield* setUp({ peer: "own" })
      assert.strictEqual(yield* statusWith(proxy, ""), 200)
    })

    for (const peer of ["other", "unknown", "unsupported"] as const) {
      live(`refuses a connection without a credential if its user is ${peer}, for either kind of target`, function*() {
        const { connect, proxy, upstream } = yield* setUp({ peer })
        assert.strictEqual(yield* statusWith(proxy, ""), 407)
        const refused = yield* (yield* connect).exchange(request(`GET https://${HOST}/`))
        assert.strictEqual(refused.status, 407)
        assert.strictEqual(upstream.connections(), 0)
      })
    }

    live("listens only on 127.0.0.1, until the scope closes", function*() {
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
      assert.isDefined(yield* Effect.flip(Effect.tryPromise(() => dial(port))))
    })
  })

  describe("tunnels", () => {
    live("pass on the origin's own certificate for a host that is not routed", function*() {
      const { daemon, open, proxy } = yield* setUp()
      const { socket } = yield* open({ ca: [authority.caPem, proxy.caPem] }, `${OTHER}:443`)
      const { fingerprint256 } = new builtins.crypto.X509Certificate(certificate.cert)
      assert.strictEqual(socket.getPeerCertificate().fingerprint256, fingerprint256)
      assert.lengthOf(daemon.resolved, 0)
    })

    live("support half-closed connections in both directions", function*() {
      const { port } = yield* listen(builtins.net.createServer({ allowHalfOpen: true }, (socket: Net.Socket) => {
        let got = ""
        socket.on("data", (chunk: Buffer) => {
          got += chunk.toString()
        })
        socket.on("end", () => socket.end(`got ${got}`))
      }))
      const { proxy } = yield* setUp()
      const { response, socket, wire } = yield* promise(() => connectTo(proxy, `127.0.0.1:${port}`))
      assert.strictEqual(response.status, 200)
      socket.end("all of it")
      assert.strictEqual(yield* promise(() => wire.text("never")), "got all of it")
    })

    live("end with a 502 that has the reason in the status line if the host is unreachable", function*() {
      const { proxy } = yield* proxyTo({ [OTHER]: 1 })
      const { response } = yield* promise(() => connectTo(proxy, `${OTHER}:443`))
      assert.strictEqual(response.status, 502)
      assert.match(response.reason, /^credsvc: .*ECONNREFUSED/)
    })
  })

  describe("plaintext", () => {
    live("ends a tunnel to a routed host", function*() {
      const { daemon, proxy, upstream } = yield* setUp()
      const { wire } = yield* promise(() => connectTo(proxy, `${HOST}:443`))
      assert.strictEqual((yield* wire.exchange(request("GET /"))).status, 400)
      yield* promise(() => wire.closed())
      assert.lengthOf(daemon.resolved, 0)
      assert.strictEqual(upstream.connections(), 0)
    })

    live("is refused for an absolute http:// target on a routed host, on any port", function*() {
      const { daemon, forward, upstream } = yield* setUp()
      for (const target of [`http://${HOST}/v1`, `http://${HOST}:443/v1`, `HTTP://API.EXAMPLE.COM./`]) {
        const response = yield* forward(`GET ${target}`)
        assert.strictEqual(response.status, 403, target)
        assert.include(response.body, "requires https")
      }
      assert.lengthOf(daemon.resolved, 0)
      assert.strictEqual(upstream.connections(), 0)
    })
  })

  describe("absolute targets", () => {
    live("with http:// are forwarded without their offer of h2c, and cannot open a WebSocket", function*() {
      const upstream = yield* FakeUpstream.make()
      const { forward } = yield* setUp()
      const host = `127.0.0.1:${upstream.port}`
      const offer =
        `Host: ${host}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n`
      for (const [line, body] of [["GET", ""], ["POST", "body"]] as const) {
        const length = body === "" ? "" : `Content-Length: ${body.length}\r\n`
        const response = yield* forward(`${line} http://${host}/x`, offer + length, body)
        assert.strictEqual(response.status, 200)
        assert.strictEqual(JSON.parse(response.body).body, body)
      }
      for (const { headers } of upstream.seen) assert.doesNotHaveAnyKeys(headers, ["upgrade", "http2-settings"])
      const websocket = yield* forward(`GET http://${host}/x`, `Host: ${host}\r\n${WEBSOCKET}`)
      assert.strictEqual(websocket.status, 400)
      assert.lengthOf(upstream.seen, 2)
    })

    live("with http:// are forwarded to other hosts unchanged, without the run's credential", function*() {
      const plain = yield* FakeUpstream.make()
      const { daemon, forward } = yield* setUp()
      const host = `127.0.0.1:${plain.port}`
      const headers = `Host: ${host}\r\nAuthorization: Bearer ${MARKER}x\r\nX-Own: 1\r\nContent-Length: 4\r\n`
      const response = yield* forward(`POST http://${host}/x`, headers, "body")
      assert.strictEqual(response.status, 200)
      assert.strictEqual(JSON.parse(response.body).body, "body")
      assert.notProperty(plain.seen[0]?.headers ?? {}, "proxy-authorization")
      assert.strictEqual(plain.seen[0]?.headers["x-own"], "1")
      assert.lengthOf(daemon.resolved, 0)
    })

    live("are dropped if the client disconnects before the routes are known", function*() {
      const { connect, daemon, forward, proxy, upstream } = yield* setUp()
      const requested = yield* Deferred.make<void>()
      const known = yield* Deferred.make<void>()
      daemon.pause = Effect.andThen(Deferred.succeed(requested, undefined), Deferred.await(known))
      const gone = yield* connect
      gone.send(`GET https://${HOST}/gone HTTP/1.1\r\nHost: ${HOST}\r\n${authorization(proxy)}\r\n`)
      yield* Deferred.await(requested)
      gone.socket.resetAndDestroy()
      daemon.pause = Effect.void
      // The proxy notices the disconnect before the daemon responds.
      yield* promise(() => caughtUp(proxy))
      yield* Deferred.succeed(known, undefined)
      assert.strictEqual((yield* forward(`GET https://${HOST}/there`)).status, 200)
      assert.deepStrictEqual(upstream.seen.map(({ url }) => url), ["/there"])
    })
  })

  live("blocks requests to its own address, the daemon and cloud metadata addresses, in any spelling", function*() {
    const daemonStandIn = yield* FakeUpstream.make()
    const { forward, proxy } = yield* setUp({ daemonUrl: new URL(`http://127.0.0.1:${daemonStandIn.port}`) })
    const own = ["127.0.0.1", "localhost", "127.0.0.2", "[::ffff:127.0.0.1]"].map((host) => `${host}:${proxy.port}`)
    const daemon = ["0.0.0.0", "127.0.0.1", "localhost"].map((host) => `${host}:${daemonStandIn.port}`)
    const metadata = ["169.254.169.254:80", "[::ffff:169.254.169.254]:80", "[fd00:ec2::254]:80", "100.100.100.200:80"]
    for (const target of [...own, ...daemon, ...metadata]) {
      const { response, socket } = yield* promise(() => connectTo(proxy, target))
      socket.destroy()
      assert.strictEqual(response.status, 403, target)
      assert.strictEqual((yield* forward(`GET http://${target}/health`, "Host: x\r\n")).status, 403, target)
    }
    assert.strictEqual(daemonStandIn.connections(), 0)
  })

  describe("the daemon's routes", () => {
    live("take effect with the next tunnel after the daemon announces the removal of a route", function*() {
      const { daemon, open, proxy } = yield* setUp()
      daemon.routes = []
      daemon.version++
      for (const listener of daemon.listeners) listener()
      yield* promise(() => caughtUp(proxy))
      // The origin's certificate, which the run's authority did not sign.
      assert.isDefined(yield* Effect.flip(Effect.tryPromise(() => secureTunnel(proxy, `${HOST}:443`))))
      yield* open({ ca: authority.caPem })
    })

    live("that were added after the run began are refused, as the root certificate does not permit them", function*() {
      const { daemon, proxy, upstream } = yield* setUp()
      daemon.routes = [...daemon.routes, route(OTHER, "late")]
      daemon.version++
      const { response } = yield* promise(() => connectTo(proxy, `${OTHER}:443`))
      assert.strictEqual(response.status, 403)
      assert.match(response.reason, /after this run began/)
      assert.strictEqual(upstream.connections(), 0)
    })

    live("stay in effect while the daemon is down, and other hosts are tunneled", function*() {
      const { daemon, open, upstream } = yield* setUp()
      daemon.down = true
      const { exchange } = yield* open()
      const refused = yield* exchange("GET /", `Authorization: Bearer ${MARKER}\r\n`)
      assert.strictEqual(refused.status, 403)
      assert.strictEqual(refused.headers.get("x-credsvc-error"), "DaemonUnavailableError")
      assert.include(refused.body, "credsvc daemon start")
      assert.lengthOf(upstream.seen, 0)
      const other = yield* open({ ca: authority.caPem }, `${OTHER}:443`)
      assert.strictEqual((yield* other.exchange("GET /")).status, 200)
      daemon.down = false
      assert.strictEqual((yield* exchange("GET /")).status, 200)
      assert.strictEqual(upstream.seen.at(-1)?.headers.authorization, `Bearer ${SECRET}`)
    })
  })

  live("uses a corporate proxy, which never sees the secret, except to reach hosts in no_proxy", function*() {
    const upstream = yield* FakeUpstream.make({ certificate })
    const hops: Array<{ readonly target: string; readonly auth: string | undefined }> = []
    let bytes = ""
    const server = builtins.http.createServer()
    server.on("connect", (request, socket: Net.Socket, head: Buffer) => {
      hops.push({ target: request.url ?? "", auth: request.headers["proxy-authorization"] })
      const to = builtins.net.connect(upstream.port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        to.write(head)
        socket.on("data", (chunk: Buffer) => {
          bytes += chunk.toString("latin1")
        })
        socket.pipe(to).pipe(socket)
      })
      to.on("error", () => socket.destroy())
    })
    const { port } = yield* listen(server)
    const { open, proxy } = yield* proxyTo({}, {
      upstream: { proxy: `http://user:p%40ss@127.0.0.1:${port}`, noProxy: ["*.internal.test"] }
    })
    assert.strictEqual((yield* (yield* open()).exchange("GET /")).status, 200)
    assert.strictEqual(upstream.seen[0]?.headers.authorization, `Bearer ${SECRET}`)
    const auth = `Basic ${Buffer.from("user:p@ss").toString("base64")}`
    assert.deepStrictEqual(hops, [{ target: `${HOST}:443`, auth }])
    assert.notInclude(bytes, SECRET)
    const { response } = yield* promise(() => connectTo(proxy, "x.internal.test:443"))
    assert.strictEqual(response.status, 502)
    assert.lengthOf(hops, 1)
  })

  live("drains active requests for a limited time when it stops", function*() {
    const upstream = yield* FakeUpstream.make({
      certificate,
      handler: (_request, response) => {
        // The proxy accepts no more connections, so it is stopping.
        const stopped = () => dial(port).then((socket) => socket.destroy(), () => response.end("done"))
        const timer = setInterval(stopped, 2)
        response.once("close", () => clearInterval(timer))
      }
    })
    let port = 0
    const response = yield* Effect.scoped(Effect.gen(function*() {
      const { proxy } = yield* proxyTo(upstream.port, { drainMilliseconds: 60_000 })
      port = proxy.port
      const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
      wire.send(request("GET /"))
      yield* promise(() => until(() => upstream.seen.length === 1))
      return wire.response()
    }))
    assert.strictEqual((yield* promise(() => response)).body, "done")
  })

  live("closes a connection whose request head does not arrive, inside and outside a tunnel", function*() {
    const { connect, open, upstream } = yield* setUp({ headMilliseconds: 2000 })
    const inside = (yield* open()).wire
    inside.send("GET / HTTP/1.1\r\nHost:")
    const outside = yield* connect
    outside.send(`CONNECT ${HOST}:443 HTTP/1.1\r\nX:`)
    yield* promise(() => Promise.all([inside.closed(), outside.closed()]))
    assert.lengthOf(upstream.seen, 0)
  })

  const offers = [[["h2", "http/1.1"], "h2"], [["http/1.1"], "http/1.1"], [["h2"], "h2"], [undefined, false]] as const
  for (const [offered, chosen] of offers) {
    live(`uses TLS 1.2 or later, and selects ${chosen} from ${offered?.join(" and ") ?? "no protocols"}`, function*() {
      const { open } = yield* setUp()
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
    const { proxy } = yield* setUp()
    const error = yield* Effect.flip(Effect.tryPromise({
      try: () => secureTunnel(proxy, `${HOST}:443`, { ALPNProtocols: ["spdy/3"] }),
      catch: (cause) => cause as Error
    }))
    assert.match(error.message, /no application protocol/)
  })

  live("reports only the route's path prefix for a request without a credential", function*() {
    const routes = [route(HOST, "example", { pathPrefix: "/v1" }), route(HOST, "other", { pathPrefix: "/v1/x" })]
    const { events, exchange, proxy } = yield* proxied(undefined, {
      daemon: fakeDaemon(routes, { resolve: noCredential("CredentialMissingError", "none") })
    })
    const session = yield* connectSession(proxy)
    const requests = [
      ["GET", "/v1/bot42:canary/getMe", 403, "/v1"],
      ["POST", "/v1/x/canary", 403, "/v1/x"],
      ["TRACE", "/v1/canary", 405, ""],
      ["GET", "/canary", 200, ""],
      ["OPTIONS", "/v1/canary", 200, ""]
    ] as const
    for (const [method, path, status, reported] of requests) {
      events.length = 0
      assert.strictEqual((yield* promise(() => get(session, path, { ":method": method }))).status, status)
      assert.strictEqual((yield* exchange(`${method} ${path}`)).status, status)
      yield* promise(() => until(() => events.length === 2))
      assert.deepStrictEqual(events.map((event) => event.path), [reported, reported])
      assert.notMatch(JSON.stringify(events), /canary/)
    }
  })

  live("says which limit a request exceeds, and what to shorten, over both protocols", function*() {
    const routes = [route(HOST, "example", { pathPrefix: "/v1" }), route(HOST, "other", { pathPrefix: "/v1/x" })]
    const { open, proxy } = yield* proxied((_incoming, response) => response.end(), { daemon: fakeDaemon(routes) })
    const cases: ReadonlyArray<readonly [path: string, field: string, status: number, says: RegExp]> = [
      [`/v1/${"a".repeat(12_000)}`, "", 200, /^$/],
      [`/v1/${"a".repeat(16_381)}`, "", 414, /path .* longer than 16384 characters: .* the query or the body/],
      [`/v1/?${"a".repeat(65_520)}`, "", 431, /longer than 64 KiB: shorten the URL/],
      ["/v1/", "a".repeat(65_520), 431, /longer than 64 KiB: shorten the URL, the cookies or other fields/]
    ]
    for (const [path, field, status, says] of cases) {
      const { exchange } = yield* open()
      const session = yield* connectSession(proxy, undefined, { maxSendHeaderBlockLength: 1_000_000 })
      const responses = [
        yield* exchange(`GET ${path}`, `X-Field: ${field}\r\n`),
        yield* promise(() => get(session, path, { "x-field": field }))
      ]
      for (const response of responses) {
        assert.strictEqual(response.status, status)
        assert.match(response.body, says)
      }
    }
  })

  live("reports the host and the reason of a refused request or tunnel", function*() {
    const { connect, events, exchange, proxy, wire } = yield* proxied(undefined, { unmatched: "deny" })
    const own = authorization(proxy)
    const send = (line: string, headers = `Host: ${HOST}\r\n`) =>
      Effect.flatMap(connect, (wire) => wire.exchange(`${line} HTTP/1.1\r\n${headers}\r\n`))
    const handshake = (tls: Parameters<typeof secureTunnel>[2]) =>
      Effect.exit(Effect.tryPromise(() => secureTunnel(proxy, `${HOST}:443`, tls)))
    const denied = "other.test does not belong to a provider of this run and is blocked by --unmatched deny"
    const notHttp = "this is not valid HTTP/1.1 (Invalid method encountered)"
    const cases: ReadonlyArray<
      readonly [
        act: Effect.Effect<unknown, never, Scope.Scope>,
        method: string,
        host: string,
        status: number,
        reason: string
      ]
    > = [
      [
        send("CONNECT other.test:443"),
        "CONNECT",
        "",
        407,
        "this proxy belongs to one credsvc run; use the URL in HTTPS_PROXY without changes"
      ],
      [send("CONNECT other.test:8443", own), "CONNECT", "other.test:8443", 403, denied],
      [send("GET http://other.test/path?canary", own), "GET", "other.test", 403, denied],
      [send("canary\x01", ""), "", "", 400, notHttp],
      [
        handshake({ servername: "evil.test" }),
        "CONNECT",
        HOST,
        421,
        `this tunnel is for ${HOST}; the TLS handshake names another host`
      ],
      [
        handshake({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" }),
        "CONNECT",
        HOST,
        0,
        "the TLS handshake with the client failed (unsupported protocol)"
      ],
      [
        exchange("TRACE /canary"),
        "TRACE",
        HOST,
        405,
        "unsupported method: the response to TRACE would contain the credential"
      ],
      [wire.exchange(request("canary\x01")), "", HOST, 400, notHttp]
    ]
    for (const [act, ...expected] of cases) {
      events.length = 0
      yield* act
      yield* promise(() => until(() => events.length > 0))
      assert.deepStrictEqual(
        events.map(({ host, method, refusal, status }) => [method, host, status, refusal?.message]),
        [expected]
      )
    }
  })

  live("discloses nothing to a web page that sends requests to the proxy's port", function*() {
    const { connect, proxy } = yield* proxied()
    for (const line of ["GET /canary", "POST /canary", "OPTIONS /canary"]) {
      const wire = yield* connect
      const response = yield* wire.exchange(
        `${line} HTTP/1.1\r\nHost: 127.0.0.1:${proxy.port}\r\nOrigin: http://evil.test\r\nContent-Length: 0\r\n\r\n`
      )
      assert.include([400, 407], response.status)
      assert.notMatch(response.head, /access-control/i)
      assert.notInclude(response.head + response.body, "canary")
    }
  })
})
