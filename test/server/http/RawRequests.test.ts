import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Api } from "../../../src/api/Api.ts"
import { testsWith } from "../../support/Fixture.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"
import { connected } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

const sessionId = "A".repeat(43)

/** All API operations and pages, with values for their parameters. */
const routes: ReadonlyArray<readonly [method: string, target: string]> = [
  ...Object.values(Api.groups).flatMap((group) =>
    Object.values(group.endpoints as Record<string, { method: string; path: string }>).map(({ method, path }) =>
      [
        method,
        path.replace(":session_id", sessionId).replace(":handle", "quiet-heron-1").replaceAll(/:\w+/g, "openai")
      ] as const
    )
  ),
  ["GET", "/auth/callback/oauth?state=x&code=y"],
  ["GET", `/auth/sessions/${sessionId}/input`],
  ["POST", `/auth/sessions/${sessionId}/input`],
  ["GET", `/auth/sessions/${sessionId}/device`],
  ["GET", "/ui/"],
  ["GET", "/ui/connections"],
  ["GET", "/ui/apps/openai"],
  ["POST", "/ui/apps/openai/connect"],
  ["POST", "/ui/apps/openai/default/disconnect"],
  ["GET", "/docs"],
  ["GET", "/openapi.json"],
  ["GET", "/nothing/like/that"]
]

const statusOf = (response: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 0)

/** Spellings of a path for which the router still finds the route. */
const aliases = (target: string): ReadonlyArray<string> => [
  target.toUpperCase(),
  target.replaceAll("/", "//"),
  `${target.split("?")[0]}/`,
  target.replace(/^\//, "/x/../"),
  target.replace(/([a-z])(?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  target.replace(/(?<!^)\/(?=[^/]+$)/, "%2f"),
  `${target}%00`
]

const withDaemon = testsWith(startTestDaemon())

describe("Raw requests", () => {
  withDaemon.live("are rejected on every route with any spelling of a foreign Host or Origin", function*(daemon) {
    for (const [method, target] of routes) {
      for (const written of [target, ...aliases(target)]) {
        for (const headers of [{ host: `evil.test:${daemon.port}` }, { origin: "http://evil.test" }]) {
          const refused = yield* daemon.request(written, {
            method,
            headers,
            ...method === "POST" ? { body: "{}" } : {}
          })
          assert.strictEqual(refused.status, 403, `${method} ${written}`)
          assert.notInclude(refused.body, "evil.test")
          assert.isFalse(Object.keys(refused.headers).some((name) => name.startsWith("access-control")))
        }
      }
    }
  })

  withDaemon.live("get an OPTIONS response without CORS permissions on every route", function*(daemon) {
    for (const [method, target] of routes) {
      const response = yield* daemon.request(target, {
        method: "OPTIONS",
        headers: { origin: "http://evil.test", "access-control-request-method": method }
      })
      assert.strictEqual(response.status, 403)
      const own = yield* daemon.request(target, {
        method: "OPTIONS",
        headers: { "access-control-request-private-network": "true" }
      })
      assert.strictEqual(own.status, 405)
      assert.isString(own.headers.allow)
      for (const name of [...Object.keys(response.headers), ...Object.keys(own.headers)]) {
        assert.isFalse(name.startsWith("access-control"), name)
      }
    }
  })

  withDaemon.live("must name the daemon exactly once, in the request line and in Host", function*(daemon) {
    const own = `127.0.0.1:${daemon.port}`
    const table: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
      [`GET /health HTTP/1.1\r\nHost: ${own}\r\n\r\n`, [200]],
      [`GET /health HTTP/1.1\r\nHost: ${own}\r\nHost: evil.test\r\n\r\n`, [400]],
      [`GET /health HTTP/1.1\r\nHost: evil.test\r\nHost: ${own}\r\n\r\n`, [400]],
      [`GET /health HTTP/1.1\r\nHost: ${own}\r\nHost: ${own}\r\n\r\n`, [400]],
      ["GET /health HTTP/1.1\r\n\r\n", [400]],
      ["GET /health HTTP/1.0\r\n\r\n", [400]],
      [`GET http://${own}/health HTTP/1.1\r\nHost: ${own}\r\n\r\n`, [400]],
      [`GET http://evil.test/health HTTP/1.1\r\nHost: ${own}\r\n\r\n`, [400]],
      [`GET //evil.test/health HTTP/1.1\r\nHost: ${own}\r\n\r\n`, [404]],
      [`GET * HTTP/1.1\r\nHost: ${own}\r\n\r\n`, [400]],
      [`GET /health HTTP/1.1\r\nHost:\r\n\r\n`, [403]],
      [`GET /health HTTP/1.1\r\n Host: ${own}\r\n\r\n`, [400]],
      [`GET /health HTTP/1.1\r\nHost : ${own}\r\n\r\n`, [400]]
    ]
    for (const [request, expected] of table) {
      const response = yield* daemon.raw(request)
      assert.include(expected, statusOf(response), `${JSON.stringify(request)} got ${response.slice(0, 200)}`)
    }
  })

  withDaemon.live("cannot upgrade the protocol or open a tunnel", function*(daemon) {
    const host = `Host: 127.0.0.1:${daemon.port}\r\n`
    const webSocket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    const h2c = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
    const requests = [
      `GET /health HTTP/1.1\r\n${host}${webSocket}\r\n`,
      `GET /health HTTP/1.1\r\n${host}${h2c}\r\n`,
      `CONNECT 127.0.0.1:${daemon.port} HTTP/1.1\r\n${host}\r\n`,
      `CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n`,
      `TRACE /health HTTP/1.1\r\n${host}X-Secret: canary\r\n\r\n`,
      `TRACK /health HTTP/1.1\r\n${host}\r\n`,
      `PROPFIND /health HTTP/1.1\r\n${host}\r\n`,
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    ]
    for (const request of requests) {
      const response = yield* daemon.raw(request)
      assert.include([400, 405], statusOf(response), `${request} got ${response}`)
      assert.notInclude(response, "canary")
      assert.match(response, /connection: close/i)
    }
  })

  withDaemon.live("that are malformed are rejected, and the connection closes", function*(daemon) {
    const host = `Host: 127.0.0.1:${daemon.port}\r\n`
    const post = `POST /auth/sessions HTTP/1.1\r\n${host}Content-Type: application/json\r\n`
    const requests: ReadonlyArray<readonly [string, number]> = [
      ["garbage\r\n\r\n", 400],
      [`${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
      [`${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
      [`${post}Content-Length: -1\r\n\r\n`, 400],
      [`${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, 400],
      [`GET /health HTTP/1.1\r\n${host}X: a\u0000b\r\n\r\n`, 400],
      [`GET /health HTTP/1.1\r\n${host}X: ${"a".repeat(20_000)}\r\n\r\n`, 431],
      [`GET /health HTTP/1.1\r\n${host}${"X: a\r\n".repeat(150)}\r\n`, 431]
    ]
    for (const [request, status] of requests) {
      const response = yield* daemon.raw(request)
      assert.strictEqual(statusOf(response), status, `${request.slice(0, 120)} got ${response.slice(0, 300)}`)
      assert.include(response, "application/problem+json")
      assert.match(response, /connection: close/i)
    }
  })

  withDaemon.live("ignore method override headers", function*(daemon) {
    const response = yield* daemon.request("/health", { headers: { "x-http-method-override": "DELETE" } })
    assert.strictEqual(response.status, 200)
    const head = yield* daemon.request("/health", { method: "HEAD" })
    assert.strictEqual(head.status, 200)
    assert.strictEqual(head.body, "")
    const foreign = yield* daemon.request("/health", { method: "HEAD", headers: { host: "evil.test" } })
    assert.strictEqual(foreign.status, 403)
    const compressed = yield* daemon.request("/health", { headers: { "accept-encoding": "gzip, br" } })
    assert.isUndefined(compressed.headers["content-encoding"])
  })

  withDaemon.live("with a body over the limit are rejected before or while it is read", function*(daemon) {
    const head = `POST /auth/sessions HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nContent-Type: application/json\r\n`
    const declared = yield* daemon.raw(`${head}Content-Length: 62914560\r\n\r\n`)
    assert.strictEqual(statusOf(declared), 413)
    const waited = yield* daemon.raw(`${head}Content-Length: 62914560\r\nExpect: 100-continue\r\n\r\n`)
    assert.strictEqual(statusOf(waited), 413)
    const allowed = yield* daemon.raw(`${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`)
    assert.strictEqual(statusOf(allowed), 100)
  })

  withDaemon.live("cannot block other clients by keeping connections open", function*(daemon) {
    const host = `Host: 127.0.0.1:${daemon.port}\r\n`
    const slowHead = `GET /health HTTP/1.1\r\n${host}X-Slow: `
    const slowBody =
      `POST /auth/sessions HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`
    const sockets = yield* Effect.forEach(
      Array.from({ length: 700 }, (_, index) => index % 2 === 0 ? slowHead : slowBody),
      (text) => Effect.tap(connected(daemon.port), (socket) => Effect.sync(() => socket.write(text))),
      { concurrency: 20 }
    )
    const before = Date.now()
    const response = yield* daemon.request("/health")
    assert.strictEqual(response.status, 200)
    // Less than the ten-second timeout for incomplete request heads.
    assert.isBelow(Date.now() - before, 9000)
    const alive = () => sockets.filter((socket) => !socket.closed && socket.readyState === "open").length
    yield* Effect.promise(() => until(() => alive() <= 512))
  })
})
