import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ProxyEvent } from "../../src/proxy/HttpEngine.ts"
import { CredentialRefusedError } from "../../src/proxy/routing/CredentialSource.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { connectSession, get } from "../support/Http2Peers.ts"
import {
  authorization,
  bearer,
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
const certificate = authority.issue([HOST])

const promise = <A>(run: () => Promise<A>) => Effect.promise(run)
const request = (line: string, headers = "") => `${line} HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n`

const setUp = (
  handler?: FakeUpstream.Handler,
  daemon = fakeDaemon([route(HOST, "example")]),
  more: Partial<HarnessOptions> = {}
) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make({ certificate, handler })
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const events: Array<ProxyEvent> = []
    const proxy = yield* startProxy({
      ...more,
      daemon,
      onEvent: (event) => events.push(event),
      upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${upstream.port}` } }
    })
    const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    return { daemon, events, proxy, socket, upstream, wire }
  })

describe("security boundaries of the proxy", () => {
  it.live("discloses no secret to a client through an upstream that echoes requests", () =>
    Effect.gen(function*() {
      const { upstream, wire } = yield* setUp((incoming, response) => {
        response.writeHead(200, {
          "Idempotency-Key": incoming.headers["idempotency-key"] ?? "none",
          Link: `<https://${HOST}${incoming.url}&page=2>; rel="next"`
        })
        response.end("ok")
      })
      wire.send(
        request(`GET /items?cursor=${MARKER}&per_page=1`, `Idempotency-Key: ${MARKER}\r\nX-Trace: ${MARKER}\r\n`)
      )
      const answer = yield* promise(() => wire.answer())
      assert.strictEqual(upstream.seen[0]?.headers.authorization, `Bearer ${SECRET}`)
      assert.notInclude(answer.head, SECRET)
      assert.notInclude(upstream.seen[0]?.url, MARKER)
    }).pipe(Effect.scoped))

  it.live("removes a key in the query from redirects", () =>
    Effect.gen(function*() {
      const { daemon, upstream, wire } = yield* setUp((incoming, response) => {
        response.writeHead(301, { Location: `https://evil.example.net${incoming.url}` })
        response.end()
      })
      daemon.resolve = (asked) =>
        Effect.succeed({
          ...bearer(asked),
          headers: {},
          query: { api_key: Redacted.make(`${SECRET}&`) },
          strip: { headers: [], query: ["api_key"] }
        })
      wire.send(request("GET /search?q=1"))
      const answer = yield* promise(() => wire.answer())
      assert.include(upstream.seen[0]?.url, SECRET)
      assert.strictEqual(answer.headers.get("location"), `https://evil.example.net/search?q=1&api_key=${MARKER}`)
      assert.notInclude(answer.head, SECRET)
    }).pipe(Effect.scoped))

  it.live("has no cache", () =>
    Effect.gen(function*() {
      let served = 0
      const { wire } = yield* setUp((_incoming, response) => {
        response.writeHead(200, { "Cache-Control": "public, max-age=3600", ETag: "\"x\"" })
        response.end(String(++served))
      })
      for (const expected of ["1", "2"]) {
        wire.send(request("GET /same"))
        assert.strictEqual((yield* promise(() => wire.answer())).body, expected)
      }
    }).pipe(Effect.scoped))

  it.live("passes on the upstream's error response unchanged, without a retry", () =>
    Effect.gen(function*() {
      const { daemon, upstream, wire } = yield* setUp((_incoming, response) => {
        response.writeHead(401, { "WWW-Authenticate": "Bearer" })
        response.end("no")
      })
      wire.send(request("GET /"))
      assert.strictEqual((yield* promise(() => wire.answer())).status, 401)
      assert.lengthOf(upstream.seen, 1)
      assert.lengthOf(daemon.resolved, 1)
    }).pipe(Effect.scoped))

  it.live("reports requests without query, headers and bodies", () =>
    Effect.gen(function*() {
      const { events, wire } = yield* setUp()
      wire.send(
        `${request("POST /v1/x?token=canary-query", "X-Own: canary-header\r\nContent-Length: 11\r\n")}canary-body`
      )
      assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
      yield* promise(() => until(() => events.length > 0))
      assert.deepInclude(events[0], { host: HOST, method: "POST", path: "/v1/x", status: 200, provider: "example" })
      assert.notMatch(JSON.stringify(events), /canary/)
    }).pipe(Effect.scoped))

  it.live("reports only the route's path prefix for a request without a credential", () =>
    Effect.gen(function*() {
      const resolve = () =>
        Effect.fail(new CredentialRefusedError({ error: "CredentialMissingError", detail: "none", status: 404 }))
      const routes = [route(HOST, "example", { pathPrefix: "/v1" }), route(HOST, "other", { pathPrefix: "/v1/x" })]
      const { events, proxy } = yield* setUp(undefined, fakeDaemon(routes, { resolve }))
      const session = yield* connectSession(proxy, `${HOST}:443`)
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
        const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        wire.send(request(`${method} ${path}`))
        assert.strictEqual((yield* promise(() => wire.answer())).status, status)
        socket.destroy()
        yield* promise(() => until(() => events.length === 2))
        assert.deepStrictEqual(events.map((event) => event.path), [reported, reported])
        assert.notMatch(JSON.stringify(events), /canary/)
      }
    }).pipe(Effect.scoped))

  it.live("reports the host and the reason of a refused request or tunnel", () =>
    Effect.gen(function*() {
      const { events, proxy, wire } = yield* setUp(undefined, fakeDaemon([route(HOST, "example")]), {
        unmatched: "deny"
      })
      const reported = (act: Promise<unknown>) =>
        promise(async () => {
          events.length = 0
          await act.catch(() => {})
          await until(() => events.length > 0)
          assert.lengthOf(events, 1)
          const [{ host, method, refusal, status } = {}] = events
          return [method, host, status, refusal?.message]
        })
      const ask = async (line: string, headers = `Host: ${HOST}\r\n`) => {
        const plain = new Wire(await dial(proxy.port))
        plain.send(`${line} HTTP/1.1\r\n${headers}\r\n`)
        await plain.answer()
        plain.socket.destroy()
      }
      const own = authorization(proxy)
      assert.deepStrictEqual(yield* reported(ask("CONNECT other.test:443")), [
        "CONNECT",
        "",
        407,
        "this proxy belongs to one credsvc run; use the address in HTTPS_PROXY without changes"
      ])
      assert.deepStrictEqual(yield* reported(ask("CONNECT other.test:8443", own)), [
        "CONNECT",
        "other.test:8443",
        403,
        "other.test does not belong to a provider of this run and is blocked by --unmatched deny"
      ])
      assert.deepStrictEqual(yield* reported(ask("GET http://other.test/path?canary", own)), [
        "GET",
        "other.test",
        403,
        "other.test does not belong to a provider of this run and is blocked by --unmatched deny"
      ])
      assert.deepStrictEqual(yield* reported(ask("canary\x01", "")), ["", "", 400, "this is not valid HTTP/1.1"])
      const named = secureTunnel(proxy, `${HOST}:443`, { servername: "evil.test" })
      assert.deepStrictEqual(yield* reported(named), [
        "CONNECT",
        HOST,
        421,
        `this tunnel is for ${HOST}; the TLS handshake names another host`
      ])
      const old = secureTunnel(proxy, `${HOST}:443`, {
        minVersion: "TLSv1",
        maxVersion: "TLSv1.1",
        ciphers: "ALL@SECLEVEL=0"
      })
      assert.deepStrictEqual(yield* reported(old), [
        "CONNECT",
        HOST,
        0,
        "the TLS handshake with the client failed (unsupported protocol)"
      ])
      const inside = (line: string) => {
        wire.send(`${line} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
        return wire.answer()
      }
      assert.deepStrictEqual(yield* reported(inside("TRACE /canary")), [
        "TRACE",
        HOST,
        405,
        "unsupported method: the response to TRACE would contain the credential"
      ])
      assert.deepStrictEqual(yield* reported(inside("canary\x01")), ["", HOST, 400, "this is not valid HTTP/1.1"])
    }).pipe(Effect.scoped))

  for (const bytes of ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x00\x01\x02 canary\r\n\r\n", "SSH-2.0-canary\r\n\r\n"]) {
    it.live(`closes a TLS connection with other content than HTTP/1.1: ${JSON.stringify(bytes)}`, () =>
      Effect.gen(function*() {
        const { daemon, upstream, wire } = yield* setUp()
        wire.send(bytes)
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 400)
        assert.notInclude(answer.body, "canary")
        yield* promise(() => wire.closed())
        assert.lengthOf(daemon.resolved, 0)
        assert.lengthOf(upstream.seen, 0)
      }).pipe(Effect.scoped))
  }

  it.live("discloses nothing to a web page that sends requests to the proxy's port", () =>
    Effect.gen(function*() {
      const { proxy } = yield* setUp()
      for (const line of ["GET /canary", "POST /canary", "OPTIONS /canary"]) {
        const socket = yield* promise(() => dial(proxy.port))
        const wire = new Wire(socket)
        wire.send(
          `${line} HTTP/1.1\r\nHost: 127.0.0.1:${proxy.port}\r\nOrigin: http://evil.test\r\nContent-Length: 0\r\n\r\n`
        )
        const answer = yield* promise(() => wire.answer())
        socket.destroy()
        assert.include([400, 407], answer.status)
        assert.notMatch(answer.head, /access-control/i)
        assert.notInclude(answer.head + answer.body, "canary")
      }
    }).pipe(Effect.scoped))
})
