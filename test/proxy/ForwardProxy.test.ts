import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Net from "node:net"
import { builtins } from "../../src/platform/builtins.ts"
import { ForwardProxy } from "../../src/proxy/ForwardProxy.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { live, promise } from "../support/Fixture.ts"
import { connectSession, get } from "../support/Http2Peers.ts"
import { certificate, EVIL, HOST, proxied, proxyTo, request, serverBehind } from "../support/ProxiedHost.ts"
import {
  authorization,
  caughtUp,
  configOf,
  connectTo,
  fakeDaemon,
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

describe("ForwardProxy", () => {
  live("fails and closes if a contained run gets no sockets", function*() {
    const lost = new Error("the namespaces ended")
    const contained = Effect.delay(Effect.fail(lost), "100 millis")
    const layer = ForwardProxy.layerNoDeps({ contained }).pipe(
      Layer.provide([sourceOf(fakeDaemon([route(HOST, "example")])), configOf(), ownerOf("own")])
    )
    assert.strictEqual(yield* Effect.flip(Effect.scoped(Layer.build(layer))), lost)
  })

  live("opens a tunnel however clients write the request for it", function*() {
    const { connect, proxy } = yield* serverBehind({ peer: "other" })
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

  live("blocks requests to its own address, the daemon and cloud metadata addresses, in any spelling", function*() {
    const daemonStandIn = yield* FakeUpstream.make()
    const { forward, proxy } = yield* serverBehind({ daemonUrl: new URL(`http://127.0.0.1:${daemonStandIn.port}`) })
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
      const { daemon, open, proxy } = yield* serverBehind()
      daemon.routes = []
      daemon.version++
      for (const listener of daemon.listeners) listener()
      yield* promise(() => caughtUp(proxy))
      // The origin's certificate, which the run's authority did not sign.
      assert.isDefined(yield* Effect.flip(Effect.tryPromise(() => secureTunnel(proxy, `${HOST}:443`))))
      yield* open({ ca: authority.caPem })
    })

    live("stay in effect while the daemon is down, and other hosts are tunneled", function*() {
      const { daemon, open, upstream } = yield* serverBehind()
      daemon.down = true
      const { exchange } = yield* open()
      const refused = yield* exchange("GET /", `Authorization: Bearer ${MARKER}\r\n`)
      assert.strictEqual(refused.status, 403)
      assert.strictEqual(refused.headers.get("x-credsvc-error"), "DaemonUnavailableError")
      assert.include(refused.body, "credsvc daemon start")
      assert.lengthOf(upstream.seen, 0)
      const other = yield* open({ ca: authority.caPem }, `${EVIL}:443`)
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
