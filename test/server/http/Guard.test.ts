import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Api } from "../../../src/api/Api.ts"
import { authoritiesOf, mayReveal, refusalOf } from "../../../src/server/http/Guard.ts"
import { testsWith } from "../../support/Fixture.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"
import { connected } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

const authorities = authoritiesOf("127.0.0.1", 7998, undefined)
const host = "127.0.0.1:7998"
const own = `http://${host}`
const sessionId = "A".repeat(43)

interface Request {
  readonly method?: string
  readonly target?: string
  readonly headers?: ReadonlyArray<readonly [string, string]>
  readonly host?: string | undefined
  readonly httpVersion?: string
}

const status = ({ headers = [], httpVersion = "1.1", method = "GET", target = "/connections", ...rest }: Request) => {
  const named = "host" in rest ? rest.host : host
  const rawHeaders = [...(named === undefined ? [] : ["Host", named]), ...headers.flat()]
  return refusalOf({ method, target, rawHeaders, httpVersion }, authorities)?.status ?? 200
}

describe("authoritiesOf", () => {
  it.each([
    ["127.0.0.1", ["127.0.0.1", "localhost"]],
    ["127.0.0.2", ["127.0.0.2"]],
    ["localhost", ["localhost", "127.0.0.1", "[::1]"]],
    ["::1", ["[::1]", "localhost"]],
    ["0.0.0.0", ["127.0.0.1", "localhost"]],
    ["0", ["127.0.0.1", "localhost"]],
    ["::", ["[::1]", "127.0.0.1", "localhost"]],
    ["::0", ["[::1]", "127.0.0.1", "localhost"]],
    ["192.168.1.5", ["192.168.1.5"]],
    ["FD00::0:2", ["[fd00::2]"]],
    ["Box.example", ["box.example"]]
  ])("lists the names of a listener on %s, and never a wildcard address", (address, names) => {
    assert.deepStrictEqual(
      [...authoritiesOf(address, 7998, undefined)],
      names.map((name) => [`${name}:7998`, `http://${name}:7998`])
    )
  })

  it("adds the host of the base URL, whose pages have the origin of that URL", () => {
    const names = authoritiesOf("192.168.1.5", 7998, new URL("https://creds.example"))
    assert.deepStrictEqual([...names].slice(1), [
      ["creds.example", "https://creds.example"],
      ["creds.example:443", "https://creds.example"]
    ])
  })

  it("accepts a name without the port on port 80, because browsers omit it", () => {
    assert.isTrue(authoritiesOf("127.0.0.1", 80, undefined).has("localhost"))
    assert.isFalse(authoritiesOf("127.0.0.1", 7998, undefined).has("localhost"))
  })
})

describe("refusalOf", () => {
  it("accepts only `Host` values of the daemon, for every method", () => {
    assert.strictEqual(status({}), 200)
    assert.strictEqual(status({ host: "localhost:7998" }), 200)
    const foreign = [
      "evil.test:7998",
      "127.0.0.1",
      "localhost",
      "127.0.0.1:80",
      "localhost.:7998",
      "127.0.0.1.:7998",
      "0.0.0.0:7998",
      "127.1:7998",
      "2130706433:7998",
      "0x7f.1:7998",
      "[::1]:7998",
      "[::ffff:127.0.0.1]:7998",
      "user@127.0.0.1:7998",
      "127.0.0.1:07998",
      "127.0.0.1:7998 ",
      "127.0.0.1:7998,evil.test",
      ""
    ]
    for (const name of foreign) {
      for (const method of ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT"]) {
        assert.strictEqual(status({ host: name, method }), 403, `${method} ${name}`)
      }
    }
  })

  it("rejects a target in which the router and other parsers disagree about the start of the query", () => {
    for (const target of ["/connections/x/y;reveal=true", "/a;", "/a#b", "/a?b#c", "/a;b?c"]) {
      assert.strictEqual(status({ target }), 400, target)
    }
    assert.strictEqual(status({ target: "/connections?provider=a;b" }), 200)
  })

  it("rejects browser requests from other sites", () => {
    const origins = {
      none: [],
      own: [["Origin", own]],
      evil: [["Origin", "http://evil.test"]],
      opaque: [["Origin", "null"]],
      neighbour: [["Origin", "http://localhost:3000"]],
      otherName: [["Origin", "http://localhost:7998"]],
      secure: [["Origin", "https://127.0.0.1:7998"]]
    } as const
    const sites = ["absent", "none", "same-origin", "same-site", "cross-site", "something-new"] as const
    for (const [name, origin] of Object.entries(origins)) {
      for (const site of sites) {
        for (const method of ["GET", "HEAD", "POST", "DELETE"]) {
          const headers = [...origin, ...(site === "absent" ? [] : [["Sec-Fetch-Site", site] as const])]
          const siteIsOurs = site === "absent" || site === "none" || site === "same-origin"
          const originIsOurs = name === "none" || name === "own" || (name === "opaque" && site === "same-origin")
          // Only forms of pages change something.
          const isServed = method === "GET" || method === "HEAD" || (name === "none" && site === "absent")
          assert.strictEqual(
            status({ method, headers }),
            siteIsOurs && originIsOurs && isServed ? 200 : 403,
            `${method} Origin ${name}, Sec-Fetch-Site ${site}`
          )
        }
      }
    }
  })

  it("accepts links from other sites to pages, only as a top-level navigation", () => {
    const navigation = (destination = "document", mode = "navigate") =>
      [
        ["Sec-Fetch-Site", "cross-site"],
        ["Sec-Fetch-Mode", mode],
        ["Sec-Fetch-Dest", destination]
      ] as const
    const pages = [
      "/auth/callback/oauth?code=x&state=y",
      `/auth/sessions/${sessionId}/input`,
      `/auth/sessions/${sessionId}/device`,
      "/ui/",
      "/ui/connections",
      "/ui/apps",
      "/ui/apps?q=a&state=connected",
      "/ui/apps/openai",
      "/ui/audit?provider=openai",
      "/docs"
    ]
    for (const target of pages) {
      assert.strictEqual(status({ target, headers: navigation() }), 200, target)
      assert.strictEqual(status({ target, headers: navigation("iframe") }), 403, `${target} in a frame`)
      assert.strictEqual(status({ target, headers: navigation("document", "no-cors") }), 403, `${target} by a script`)
      const posted = target.startsWith("/auth/callback/oauth") ? 200 : 403
      assert.strictEqual(status({ target, headers: navigation(), method: "POST" }), posted, `POST ${target}`)
      assert.strictEqual(status({ target, headers: [...navigation(), ["Origin", "null"]] }), 403, `${target}, opaque`)
    }
    const others = [
      "/connections/openai/default?reveal=true",
      "/health",
      "/ui/../connections",
      "/ui/%2e%2e/connections",
      "/ui/apps/openai/default/disconnect",
      "/ui/apps/openai/default/default",
      "/ui/apps/openai/revoke",
      "/ui/audit/verify",
      "/ui/approvals",
      "/ui/events",
      `/auth/sessions/${sessionId}`,
      "/openapi.json"
    ]
    for (const target of others) assert.strictEqual(status({ target, headers: navigation() }), 403, target)
  })

  it("accepts the form of another site at the callback only, and only as a top-level navigation", () => {
    const form = (
      target: string,
      destination = "document",
      mode = "navigate",
      type = "application/x-www-form-urlencoded"
    ) =>
      status({
        method: "POST",
        target,
        headers: [
          ["Origin", "https://as.example"],
          ["Sec-Fetch-Site", "cross-site"],
          ["Sec-Fetch-Mode", mode],
          ["Sec-Fetch-Dest", destination],
          ["Content-Type", type],
          ["Content-Length", "3"]
        ]
      })
    const callback = "/auth/callback/oauth?code=x&state=y"
    assert.strictEqual(form(callback), 200)
    assert.strictEqual(form(callback, "document", "navigate", "multipart/form-data; boundary=x"), 200)
    assert.strictEqual(form(callback, "iframe"), 403)
    assert.strictEqual(form(callback, "empty", "cors"), 403)
    for (const target of [`/auth/sessions/${sessionId}/input`, "/ui/apps/openai/connect", "/auth/sessions", "/ui/"]) {
      assert.strictEqual(form(target), 403, target)
    }
  })

  it("rejects a repeated header that the decision depends on", () => {
    for (const name of ["Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Content-Type"]) {
      assert.strictEqual(status({ headers: [[name, own], [name, own]] }), 400, name)
    }
  })

  it("rejects protocol upgrades", () => {
    assert.strictEqual(status({ headers: [["Upgrade", "websocket"], ["Connection", "Upgrade"]] }), 405)
    assert.strictEqual(status({ headers: [["Upgrade", "h2c"]] }), 405)
  })

  it("accepts only JSON on API routes and only forms on form routes", () => {
    const post = (target: string, type: string | undefined, length = "2") =>
      status({
        method: "POST",
        target,
        headers: [["Content-Length", length], ...(type === undefined ? [] : [["Content-Type", type] as const])]
      })
    const json = "/auth/sessions"
    for (const type of ["application/json", "Application/JSON", "application/json; charset=utf-8"]) {
      assert.strictEqual(post(json, type), 200, type)
    }
    const others = [
      undefined,
      "",
      "text/plain",
      "text/plain; application/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "application/json; charset=utf-16",
      "application/json, text/plain",
      "application/merge-patch+json"
    ]
    for (const type of others) assert.strictEqual(post(json, type), 415, String(type))
    const forms = [
      `/auth/sessions/${sessionId}/input`,
      "/ui/apps/openai/connect",
      "/ui/apps/openai/default/disconnect",
      "/ui/apps/openai/work@example.com/disconnect",
      "/ui/apps/openai/default/check",
      "/ui/apps/openai/work@example.com/default",
      "/ui/apps/openai/revoke"
    ]
    for (const target of forms) {
      assert.strictEqual(post(target, "application/x-www-form-urlencoded"), 200, target)
      assert.strictEqual(post(target, "application/json"), 415, target)
      assert.strictEqual(post(target, undefined), 415, target)
      // The router ignores the case as well, so this is the same form.
      assert.strictEqual(post(target.toUpperCase(), "application/json"), 415, target)
    }
    assert.strictEqual(post(json, undefined, "0"), 200, "no body, no type")
    assert.strictEqual(
      status({ method: "POST", target: json, headers: [["Transfer-Encoding", "chunked"]] }),
      415,
      "a chunked body needs a type"
    )
    assert.strictEqual(
      status({
        method: "POST",
        target: json,
        headers: [["Content-Length", "9"], ["Content-Type", "application/json"], ["Content-Encoding", "gzip"]]
      }),
      415
    )
  })

  it("rejects a body by its declared length", () => {
    const declare = (target: string, type: string, bytes: number) =>
      status({ method: "POST", target, headers: [["Content-Type", type], ["Content-Length", String(bytes)]] })
    assert.strictEqual(declare("/providers", "application/json", 1024 * 1024), 200)
    assert.strictEqual(declare("/providers", "application/json", 1024 * 1024 + 1), 413)
    const form = `/auth/sessions/${sessionId}/input`
    assert.strictEqual(declare(form, "application/x-www-form-urlencoded", 64 * 1024), 200)
    assert.strictEqual(declare(form, "application/x-www-form-urlencoded", 64 * 1024 + 1), 413)
    assert.strictEqual(status({ headers: [["Content-Length", "5"]] }), 400, "a GET with a body")
    assert.strictEqual(
      status({
        method: "POST",
        httpVersion: "1.0",
        headers: [["Transfer-Encoding", "chunked"], ["Content-Type", "application/json"]]
      }),
      400
    )
  })

  it("limits the number of headers, including those before a header that it checks", () => {
    const many = Array.from({ length: 150 }, (_, index) => [`X-${index}`, "x"] as const)
    assert.strictEqual(status({ headers: many }), 431)
    assert.strictEqual(status({ headers: many.slice(0, 90) }), 200)
    assert.strictEqual(status({ headers: [...many.slice(0, 90), ["Origin", "http://evil.test"]] }), 403)
  })
})

describe("mayReveal", () => {
  it("accepts only clients that are not browsers", () => {
    assert.isTrue(mayReveal(["Sec-Fetch-Mode", "cors"]))
    for (const site of ["same-origin", "none", "cross-site"]) assert.isFalse(mayReveal(["sec-fetch-site", site]))
    assert.isFalse(mayReveal(["Origin", own]))
  })
})

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

describe("The guard of a daemon", () => {
  withDaemon.live("rejects every route and spelling of a path for a foreign Host or Origin", function*(daemon) {
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

  withDaemon.live("grants no CORS permission in a response to OPTIONS on any route", function*(daemon) {
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

  withDaemon.live(
    "requires that a request names the daemon exactly once, in its request line and in Host",
    function*(daemon) {
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
    }
  )

  withDaemon.live("refuses upgrades of the protocol and tunnels", function*(daemon) {
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

  withDaemon.live("rejects malformed requests, and closes the connection", function*(daemon) {
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

  withDaemon.live("ignores method override headers", function*(daemon) {
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

  withDaemon.live("rejects a body over the limit before or while it is read", function*(daemon) {
    const head = `POST /auth/sessions HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nContent-Type: application/json\r\n`
    const declared = yield* daemon.raw(`${head}Content-Length: 62914560\r\n\r\n`)
    assert.strictEqual(statusOf(declared), 413)
    const waited = yield* daemon.raw(`${head}Content-Length: 62914560\r\nExpect: 100-continue\r\n\r\n`)
    assert.strictEqual(statusOf(waited), 413)
    const allowed = yield* daemon.raw(`${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`)
    assert.strictEqual(statusOf(allowed), 100)
  })

  withDaemon.live("serves other clients while many connections stay open", function*(daemon) {
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

  withDaemon.live("does not reveal secrets to a link or a bookmark, and records no access", function*(daemon) {
    const navigation = {
      "sec-fetch-site": "none",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document"
    }
    const before = (yield* daemon.request("/audit")).body
    const reveal = yield* daemon.request("/connections/openai/default?reveal=true", { headers: navigation })
    assert.strictEqual(reveal.status, 403)
    const semicolon = yield* daemon.request("/connections/openai/default;reveal=true", { headers: navigation })
    assert.strictEqual(semicolon.status, 400)
    const alias = yield* daemon.request("//CONNECTIONS/openai/default/?x=1&reveal=true", { headers: navigation })
    assert.strictEqual(alias.status, 403)
    const exported = yield* daemon.post("/credentials/export", { provider: "openai" }, navigation)
    assert.strictEqual(exported.status, 403)
    assert.strictEqual((yield* daemon.request("/audit")).body, before)
  })
})
