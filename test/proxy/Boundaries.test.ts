import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { live, promise } from "../support/Fixture.ts"
import { connectSession, get } from "../support/Http2Peers.ts"
import { HOST, proxied, request } from "../support/ProxiedHost.ts"
import { authorization, fakeDaemon, noCredential, route, secureTunnel } from "../support/ProxyHarness.ts"
import { until } from "../support/Until.ts"

describe("the proxy", () => {
  live("caches no responses", function*() {
    let served = 0
    const { exchange } = yield* proxied((_incoming, response) => {
      response.writeHead(200, { "Cache-Control": "public, max-age=3600", ETag: "\"x\"" })
      response.end(String(++served))
    })
    for (const expected of ["1", "2"]) {
      assert.strictEqual((yield* exchange("GET /same")).body, expected)
    }
  })

  live("reports requests without query, headers or bodies", function*() {
    const { events, wire } = yield* proxied()
    assert.strictEqual(
      (yield* wire.exchange(
        `${request("POST /v1/x?token=canary-query", "X-Own: canary-header\r\nContent-Length: 11\r\n")}canary-body`
      )).status,
      200
    )
    yield* promise(() => until(() => events.length > 0))
    assert.deepInclude(events[0], { host: HOST, method: "POST", path: "/v1/x", status: 200, provider: "example" })
    assert.notMatch(JSON.stringify(events), /canary/)
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

  for (const bytes of ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x00\x01\x02 canary\r\n\r\n", "SSH-2.0-canary\r\n\r\n"]) {
    live(`closes a TLS connection with other content than HTTP/1.1: ${JSON.stringify(bytes)}`, function*() {
      const { daemon, upstream, wire } = yield* proxied()
      const response = yield* wire.exchange(bytes)
      assert.strictEqual(response.status, 400)
      assert.notInclude(response.body, "canary")
      yield* promise(() => wire.closed())
      assert.lengthOf(daemon.resolved, 0)
      assert.lengthOf(upstream.seen, 0)
    })
  }

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
