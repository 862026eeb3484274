import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import type * as Net from "node:net"
import * as path from "node:path"
import { inspect } from "node:util"
import { ConfigFile } from "../../src/config/file/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import { OAuthHttp, type OAuthRequest, type Reach } from "../../src/oauth/OAuthHttp.ts"
import { ApiHttp, type ApiRequest } from "../../src/outbound/ApiHttp.ts"
import * as ProviderHttp from "../../src/outbound/ProviderHttp.ts"
import { builtins } from "../../src/platform/builtins.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { live, testsWith } from "../support/Fixture.ts"
import { openScriptedSite, type ScriptedSite, type Step } from "../support/ScriptedSite.ts"
import { withHome } from "../support/Services.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"
import { authority, makeAuthority } from "../support/TestCertificates.ts"
import { listen } from "../support/TestServer.ts"
import { scoped, writeConfig } from "../support/TestSites.ts"

const HOST = "as.example.com"
const open: Reach = { allowLoopback: false, publicOnly: false }
const loopback: Reach = { allowLoopback: true, publicOnly: false }

const get = (url: string): OAuthRequest => ({ method: "GET", url, headers: { accept: "application/json" } })

const token = (url = `https://${HOST}/token`): OAuthRequest => ({
  method: "POST",
  url,
  headers: { "content-type": "application/x-www-form-urlencoded" },
  authorization: Redacted.make("Basic CANARY-client"),
  body: Redacted.make("refresh_token=CANARY-refresh")
})

const send = (request: OAuthRequest, reach = open) => Effect.flatMap(OAuthHttp, (http) => http.request(reach, request))

const outcome = (request: OAuthRequest, reach = open) =>
  send(request, reach).pipe(
    Effect.map(({ status }) => `status ${status}`),
    Effect.catch((error) => Effect.succeed(error._tag === "OAuthUnsafe" ? "unsafe" : `${error.reason} ${error.sent}`))
  )

/** A site at `as.example.com`, and the layer with settings that resolve it. */
const withSite = <A>(
  script: Readonly<Record<string, Step>>,
  body: (site: ScriptedSite, home: string) => Returned<A, ApiHttp | OAuthHttp>,
  options: Partial<ProviderHttp.Options> = {}
) =>
  withHome((home) =>
    Effect.gen(function*() {
      const site = yield* scoped(() => openScriptedSite([HOST], script))
      writeConfig(home, [site])
      return yield* toEffect(body(site, home)).pipe(Effect.provide(httpOf(home, options)))
    }).pipe(Effect.scoped)
  )

/** The HTTP client for providers, with the `config.json` of a home. */
const httpOf = (home: string, options: Partial<ProviderHttp.Options> = {}): Layer.Layer<ApiHttp | OAuthHttp> =>
  ProviderHttp.layerNoDeps({ ownPorts: new Set(), ...options }).pipe(
    Layer.provide(ConfigFile.layerNoDeps),
    Layer.provide(Paths.layerNoDeps),
    Layer.provide(Settings.layerOf({ home }))
  )

const inHome = testsWith(temporaryDirectory)

const withEnvironment = <A, E, R>(
  variables: Readonly<Record<string, string>>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
      Object.assign(process.env, variables)
      return before
    }),
    () => effect,
    (before) =>
      Effect.sync(() => {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
  )

describe("ProviderHttp", () => {
  it.live("sends exactly the given message over verified TLS", () =>
    withSite(
      { "/token": { status: 400, headers: { "x-one": ["a", "b"] }, body: { error: "invalid_grant" } } },
      function*(site) {
        const response = yield* send(token())
        assert.strictEqual(response.status, 400)
        assert.strictEqual(response.headers["content-type"], "application/json")
        assert.strictEqual(response.headers["x-one"], "a, b")
        assert.strictEqual(Redacted.value(response.body), "{\"error\":\"invalid_grant\"}")
        const [received] = site.received
        assert.strictEqual(received!.method, "POST")
        assert.strictEqual(received!.body, "refresh_token=CANARY-refresh")
        const { "user-agent": agent, ...headers } = received!.headers
        assert.match(agent!, /^credsvc\//)
        assert.deepStrictEqual(headers, {
          host: HOST,
          "accept-encoding": "identity",
          connection: "keep-alive",
          "content-type": "application/x-www-form-urlencoded",
          authorization: "Basic CANARY-client",
          "content-length": "28"
        })
        assert.notInclude(inspect(response, { depth: 9, showHidden: true }), "invalid_grant")
      }
    ))

  it.live("reads at most 1 MiB of a response", () =>
    withSite(
      { "/exact": { body: "x".repeat(1024 * 1024) }, "/more": { body: "x".repeat(1024 * 1024 + 1) } },
      function*() {
        assert.strictEqual(yield* outcome(get(`https://${HOST}/exact`)), "status 200")
        assert.strictEqual(yield* outcome(get(`https://${HOST}/more`)), "malformed true")
      }
    ))

  it.live("limits the total time, and reports whether the request was sent", () =>
    withSite({ "/token": { act: "hang" }, "/drip": () => new Promise(() => {}) }, function*() {
      assert.strictEqual(yield* outcome(token()), "timeout true")
      assert.strictEqual(yield* outcome(get(`https://${HOST}/drip`)), "timeout true")
    }, { totalMilliseconds: 400 }))

  it.live("multiplies the time limit by the `patience` that the request states", () =>
    withSite({ "/token": { act: "hang" } }, function*() {
      for (const [patience, limit] of [[1, "0.5 seconds"], [3, "1.5 seconds"]] as const) {
        const error = yield* Effect.flip(send({ ...token(), patience }))
        assert.include(error.detail, `did not respond within ${limit}`)
      }
    }, { totalMilliseconds: 500 }))

  inHome.live("limits the time for name resolution and handshakes too", function*(home) {
    const { port } = yield* listen(builtins.net.createServer((socket) => socket.resume()))
    const config = { version: 1, upstream: { resolve: { [`${HOST}:443`]: `127.0.0.1:${port}` } } }
    fs.writeFileSync(path.join(home, "config.json"), JSON.stringify(config), { mode: 0o600 })
    const lookup = () => new Promise<never>(() => {})
    yield* Effect.gen(function*() {
      assert.strictEqual(yield* outcome(token()), "timeout false")
      assert.strictEqual(yield* outcome(token("https://slow.example.com/token")), "timeout false")
    }).pipe(Effect.provide(httpOf(home, { totalMilliseconds: 300, lookup })))
  })

  it.live("reports that a request may have been processed if the response is aborted", () =>
    withSite(
      { "/token": { act: "drop" } },
      () => Effect.map(outcome(token()), (what) => assert.strictEqual(what, "unreachable true"))
    ))

  const cases = [
    ["bytes that are not HTTP", "hello\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok"],
    ["a name with a space", "HTTP/1.1 200 OK\r\nX Y: z\r\nContent-Length: 2\r\n\r\nok"],
    ["another protocol", "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
    ["headers without end", `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(40_000)}`]
  ] as const
  for (const [what, answer] of cases) {
    inHome.live(`rejects ${what}`, function*(home) {
      const { port } = yield* FakeUpstream.makeRaw(authority.issue([HOST]), (socket) => void socket.write(answer))
      writeConfig(home, [{ hosts: [HOST], port, caPem: authority.caPem }])
      const found = yield* outcome(token()).pipe(Effect.provide(httpOf(home)))
      assert.strictEqual(found, "malformed true")
    })
  }

  const repaired = [
    ["nothing unusual, as the control", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"],
    ["a control character in a cookie", "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\x01c\r\nContent-Length: 2\r\n\r\nok"],
    ["a folded cookie", "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n    X: y\r\nContent-Length: 2\r\n\r\nok"],
    [
      "a length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    ],
    ["spaces after the size of a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2 \r\nok\r\n0\r\n\r\n"],
    ["bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"]
  ] as const
  for (const [what, answer] of repaired) {
    inHome.live(`reads a response with ${what}, as the proxy does`, function*(home) {
      const { port } = yield* FakeUpstream.makeRaw(
        authority.issue([HOST]),
        (socket) => void socket.write(answer, "latin1")
      )
      writeConfig(home, [{ hosts: [HOST], port, caPem: authority.caPem }])
      const { body } = yield* send(token()).pipe(Effect.provide(httpOf(home)))
      assert.strictEqual(Redacted.value(body), "ok")
    })
  }

  inHome.live("rejects an incomplete response", function*(home) {
    const { port } = yield* FakeUpstream.makeRaw(
      authority.issue([HOST]),
      (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"access_token\":")
    )
    writeConfig(home, [{ hosts: [HOST], port, caPem: authority.caPem }])
    assert.strictEqual(yield* outcome(token()).pipe(Effect.provide(httpOf(home))), "unreachable true")
  })

  it.live("verifies certificates regardless of the environment", () =>
    withEnvironment(
      { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      withHome((home) =>
        Effect.gen(function*() {
          const site = yield* scoped(() => openScriptedSite([HOST, "other.example.com"], {}))
          writeConfig(home, [{ ...site, caPem: makeAuthority("a stranger").caPem }])
          assert.strictEqual(yield* outcome(token()).pipe(Effect.provide(httpOf(home))), "untrusted false")
          assert.strictEqual(site.received.length, 0)
        }).pipe(Effect.scoped)
      )
    ))

  live("ignores proxies in the environment", function*() {
    const proxy = yield* FakeUpstream.make()
    const address = `http://127.0.0.1:${proxy.port}`
    yield* withEnvironment(
      {
        HTTPS_PROXY: address,
        https_proxy: address,
        HTTP_PROXY: address,
        ALL_PROXY: address,
        NODE_USE_ENV_PROXY: "1"
      },
      withSite(
        { "/token": { body: {} } },
        () => Effect.map(outcome(token()), (what) => assert.strictEqual(what, "status 200"))
      )
    )
    assert.strictEqual(proxy.connections(), 0)
  })

  const addresses: ReadonlyArray<readonly [string, Reach]> = [
    ["http://as.example.com/token", open],
    ["http://as.example.com/token", loopback],
    ["http://127.0.0.1:9/token", open],
    ["https://127.0.0.1:9/token", open],
    ["http://127.0.0.1:9/token", { allowLoopback: true, publicOnly: true }],
    ["http://localhost:9/token", loopback],
    ["https://user:pass@as.example.com/", open],
    ["https://as.example.com/#x", open],
    ["https://as.example.com\\@evil.test/", open],
    ["file:///etc/passwd", open],
    ["ftp://as.example.com/", open],
    ["https://0x7f.1/", open],
    ["https://2130706433/", open],
    ["https://[::ffff:127.0.0.1]/", open],
    ["https://0.0.0.0/", open],
    ["https://169.254.169.254/", loopback],
    ["https://10.0.0.1/", loopback],
    ["https://[fd00::1]/", loopback],
    ["https://100.64.0.1/", open],
    ["not a url", open]
  ]
  for (const [url, reach] of addresses) {
    it.live(`opens no connection to ${url}${reach === open ? "" : ", even if loopback is allowed"}`, () =>
      withHome((home) =>
        Effect.map(
          outcome(token(url), reach).pipe(Effect.provide(httpOf(home))),
          (what) => assert.strictEqual(what, "unsafe")
        )
      ))
  }

  const resolved = [
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "192.168.0.1",
    "100.64.0.1",
    "0.0.0.0",
    "::1",
    "fd00::1",
    "fe80::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1"
  ]
  for (const address of resolved) {
    it.live(`opens no connection to a name that resolves to ${address}`, () =>
      withHome((home) => {
        const lookup = async () => [{ address, family: address.includes(":") ? 6 : 4 }]
        return Effect.map(
          outcome(token("https://rebound.example.com/")).pipe(Effect.provide(httpOf(home, { lookup }))),
          (what) => assert.strictEqual(what, "unsafe")
        )
      }))
  }

  live("reaches literal loopback over http if allowed, but never the daemon itself", function*() {
    const local = yield* FakeUpstream.make()
    yield* withHome((home) =>
      Effect.gen(function*() {
        const request = get(`http://127.0.0.1:${local.port}/x?y=z`)
        const response = yield* send(request, loopback).pipe(Effect.provide(httpOf(home)))
        assert.strictEqual(response.status, 200)
        assert.isFalse(response.publicPeer)
        assert.strictEqual(local.seen[0]!.url, "/x?y=z")
        assert.strictEqual(local.seen[0]!.headers.host, `127.0.0.1:${local.port}`)
        const own = httpOf(home, { ownPorts: new Set([local.port]) })
        assert.strictEqual(yield* outcome(request, loopback).pipe(Effect.provide(own)), "unsafe")
        assert.strictEqual(local.connections(), 1)
      })
    )
  })

  it.live("allows private addresses of the settings, but not for URLs named by a public server", () =>
    withSite({ "/token": { body: {} } }, function*(site) {
      assert.isFalse((yield* send(token())).publicPeer)
      assert.strictEqual(yield* outcome(token(), { allowLoopback: false, publicOnly: true }), "unsafe")
      assert.strictEqual(site.received.length, 1)
    }))

  inHome.live("treats hosts behind a configured proxy as public", function*(home) {
    const site = yield* scoped(() => openScriptedSite([HOST], { "/token": { body: {} } }))
    const proxy = yield* FakeUpstream.make()
    proxy.server.on("connect", (_request, socket: Net.Socket) => {
      const onward = builtins.net.connect(site.port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        onward.pipe(socket).pipe(onward)
      })
      for (const end of [socket, onward]) end.on("error", () => {})
    })
    writeConfig(home, [site])
    const file = path.join(home, "config.json")
    const { upstream } = JSON.parse(fs.readFileSync(file, "utf8")) as { upstream: object }
    const changed = { version: 1, upstream: { ...upstream, resolve: {}, proxy: `http://127.0.0.1:${proxy.port}` } }
    fs.writeFileSync(file, JSON.stringify(changed), { mode: 0o600 })
    assert.isTrue((yield* send(token()).pipe(Effect.provide(httpOf(home)))).publicPeer)
  })

  it.live("reads the settings again for each request", () =>
    withSite({ "/token": { body: {} } }, function*(site, home) {
      assert.strictEqual(yield* outcome(token()), "status 200")
      fs.writeFileSync(path.join(home, "config.json"), "{\"version\":1,\"upstream\":{\"resolve\":7}}", {
        mode: 0o600
      })
      assert.strictEqual(yield* outcome(token()), "unreachable false")
      writeConfig(home, [site])
      assert.strictEqual(yield* outcome(token()), "status 200")
    }))

  live("closes the connection after a response or an interruption", function*() {
    const closed: Array<Promise<unknown>> = []
    const arrived = Promise.withResolvers<void>()
    const upstream = yield* FakeUpstream.make({
      handler: (request, response) => {
        closed.push(new Promise((resolve) => request.socket.once("close", resolve)))
        if (request.url === "/hang") arrived.resolve()
        else response.end("ok")
      }
    })
    const url = `http://127.0.0.1:${upstream.port}`
    yield* withHome((home) =>
      Effect.gen(function*() {
        yield* send(get(`${url}/answered`), loopback)
        const fiber = yield* Effect.forkChild(send(get(`${url}/hang`), loopback))
        yield* Effect.promise(() => arrived.promise)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(closed.length, 2)
        yield* Effect.promise(() => Promise.all(closed))
      }).pipe(Effect.provide(httpOf(home)))
    )
  })

  it.live("never prints a failed request", () =>
    withSite({ "/token": { act: "drop" }, "/big": { body: "CANARY".repeat(1_000_000) } }, function*() {
      const requests = [
        token(`https://${HOST}/token?code=CANARY`),
        token(`https://${HOST}/big`),
        token("https://unknown.invalid/CANARY"),
        token("http://127.0.0.1:9/CANARY")
      ]
      for (const request of requests) {
        const cause = yield* Effect.flip(Effect.sandbox(send(request)))
        const printed = [
          Cause.pretty(cause),
          inspect(cause, { depth: 30, showHidden: true }),
          JSON.stringify(cause),
          inspect(Cause.squash(cause), { depth: 30, showHidden: true }),
          String(Cause.squash(cause))
        ]
        for (const text of printed) assert.notInclude(text, "CANARY")
      }
    }))
})

describe("ProviderHttp › status", () => {
  const target = { host: HOST, kind: "name", port: 443 } as const
  const respond = (path: string, more: Partial<ApiRequest>, readsBody: boolean) =>
    Effect.flatMap(ApiHttp, ({ send }) =>
      send({
        authority: target,
        method: "GET",
        path,
        headers: ["Host", HOST, "Authorization", "Bearer CANARY-key"],
        ...more
      }, { readsBody }))
  const ask = (path: string, more: Partial<ApiRequest> = {}) =>
    Effect.map(respond(path, more, false), ({ status }) => status)
  const failing = (path: string, more?: Partial<ApiRequest>) =>
    Effect.map(Effect.flip(ask(path, more)), ({ message }) => message)

  it.live("sends the request as given, and returns the status without reading the body", () =>
    withSite({
      "/me": { status: 201, act: "stream", body: "x".repeat(65_536) },
      "/moved": { status: 302, headers: { location: `https://${HOST}/me` } }
    }, function*(site) {
      assert.strictEqual(
        yield* ask("/me?a=1", {
          method: "POST",
          headers: ["Host", HOST, "X-Key", "CANARY-key", "Content-Length", "2"],
          body: "{}"
        }),
        201
      )
      assert.strictEqual(yield* ask("/moved"), 302)
      assert.strictEqual(yield* ask("/moved", { method: "HEAD" }), 302)
      assert.lengthOf(site.at("/me"), 1)
      const [received] = site.at("/me")
      assert.deepInclude(received, { method: "POST", body: "{}" })
      assert.deepStrictEqual(received!.headers, {
        host: HOST,
        "x-key": "CANARY-key",
        "content-length": "2",
        connection: "keep-alive"
      })
    }))

  it.live("reads a body of up to 1 MiB if the caller asks for it", () =>
    withSite({
      "/me": { status: 200, body: "{\"ok\":true}" },
      "/large": { status: 200, body: "x".repeat(1024 * 1024 + 1) }
    }, function*() {
      assert.deepStrictEqual(yield* respond("/me", {}, true), { status: 200, body: "{\"ok\":true}" })
      assert.include((yield* Effect.flip(respond("/large", {}, true))).message, "exceeds 1 MiB")
    }))

  it.live("fails after the time limit, with an error that contains only the host and the reason", () =>
    withSite({ "/hang": { act: "hang" }, "/drop": { act: "drop" } }, function*() {
      assert.strictEqual(yield* failing("/hang"), `${HOST} did not respond within 0.4 seconds`)
      assert.notInclude(yield* failing("/drop"), "CANARY")
      const privately = { authority: { host: "127.0.0.1", kind: "ipv4", port: 443 } as const }
      assert.include(yield* failing("/me", privately), "private address")
    }, { totalMilliseconds: 400 }))
})
