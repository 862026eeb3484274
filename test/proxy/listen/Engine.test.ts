import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { WriteQueue } from "../../../src/http/http1/WriteQueue.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { EVIL, HOST, proxied, proxyTo, request } from "../../support/ProxiedHost.ts"
import { caughtUp, fakeDaemon, MARKER, noCredential, route } from "../../support/ProxyHarness.ts"
import { makeAuthority } from "../../support/TestCertificates.ts"
import { until } from "../../support/Until.ts"

describe("the engine of a proxy", () => {
  live("checks the host of every request of a connection, including pipelined ones", function*() {
    const { daemon, upstream, wire } = yield* proxied()
    wire.send(request("GET /1") + `GET /2 HTTP/1.1\r\nHost: ${EVIL}\r\n\r\n` + request("GET /3"))
    for (const status of [200, 421, 200]) assert.strictEqual((yield* promise(() => wire.response())).status, status)
    assert.deepStrictEqual(upstream.seen.map(({ url }) => url), ["/1", "/3"])
    assert.lengthOf(daemon.resolved, 2)
  })

  live("adds no credential to OPTIONS, and removes its placeholder", function*() {
    const { daemon, exchange, upstream } = yield* proxied()
    assert.strictEqual((yield* exchange("OPTIONS /", `Authorization: Bearer ${MARKER}\r\n`)).status, 200)
    assert.lengthOf(daemon.resolved, 0)
    assert.isUndefined(upstream.seen[0]?.headers.authorization)
  })

  live("serves the requests of a connection in order", function*() {
    let respond: () => void = () => {}
    const { proxy, upstream, wire } = yield* proxied((_request, response) => {
      respond = () => response.end("ok")
    })
    wire.send(request("GET /1") + request("GET /2") + request("GET /3"))
    for (const urls of [["/1"], ["/1", "/2"], ["/1", "/2", "/3"]]) {
      yield* promise(() => until(() => upstream.seen.length >= urls.length))
      yield* promise(() => caughtUp(proxy))
      assert.deepStrictEqual(upstream.seen.map(({ url }) => url), urls)
      respond()
      assert.strictEqual((yield* promise(() => wire.response())).status, 200)
    }
  })

  describe("error responses inside TLS", () => {
    live("contain, in the status line and in every member of the body that SDKs read, the command to run", function*() {
      const { daemon, exchange, upstream } = yield* proxied()
      daemon.resolve = noCredential()
      const { body, headers, reason, status } = yield* exchange("GET /")
      const message = "credsvc: No connection for example. Create it with: credsvc login example"
      assert.deepStrictEqual([status, reason], [403, message])
      assert.deepNestedInclude(JSON.parse(body), {
        "error.message": message,
        message,
        "errors[0]": { code: "DENIED", message },
        code: 403
      })
      assert.strictEqual(headers.get("x-credsvc-error"), "CredentialMissingError")
      assert.lengthOf(upstream.seen, 0)
    })

    live("are plain text for git, which shows them as `remote:`", function*() {
      const { daemon, exchange } = yield* proxied()
      daemon.resolve = noCredential("TokenExpiredError", "Log in again with: credsvc login example --force")
      const { body, headers } = yield* exchange("GET /x.git/info/refs", "User-Agent: git/2.39.5\r\n")
      assert.match(headers.get("content-type") ?? "", /^text\/plain/)
      assert.strictEqual(body, "credsvc: Log in again with: credsvc login example --force\n")
    })

    live("have no body for HEAD, and the connection stays open", function*() {
      const { daemon, exchange } = yield* proxied()
      daemon.resolve = noCredential()
      for (const method of ["HEAD", "GET"]) assert.strictEqual((yield* exchange(`${method} /`)).status, 403)
    })

    live("explain how to choose if several providers claim a host", function*() {
      const daemon = fakeDaemon([route(HOST, "example"), route(HOST, "second")])
      const { exchange, upstream } = yield* proxied(undefined, { daemon })
      const response = yield* exchange("GET /")
      assert.strictEqual(response.status, 403)
      assert.include(response.body, "--provider")
      assert.lengthOf(daemon.resolved, 0)
      assert.lengthOf(upstream.seen, 0)
    })

    live(
      "have the status 502 if the proxy does not trust the upstream's certificate, and the upstream gets no request",
      function*() {
        const upstream = yield* FakeUpstream.make({ certificate: makeAuthority("stranger").issue([HOST]) })
        const { exchange } = yield* (yield* proxyTo(upstream.port)).open()
        const response = yield* exchange("GET /")
        assert.strictEqual(response.status, 502)
        assert.include(response.body, "TLS verification")
        assert.strictEqual(JSON.parse(response.body).errors[0].code, "UNAVAILABLE")
        assert.isAbove(upstream.connections(), 0)
        assert.lengthOf(upstream.seen, 0)
      }
    )
  })

  live(
    "writes a response immediately if no other request is active, and otherwise together with other responses",
    function*() {
      const soon = vi.spyOn(WriteQueue.prototype, "writeSoon")
      yield* Effect.addFinalizer(() => Effect.sync(() => soon.mockRestore()))
      const { exchange, open, upstream } = yield* proxied(({ url }, response) => {
        if (url !== "/held") response.end("ok")
      })
      yield* exchange("GET /")
      assert.strictEqual(soon.mock.calls.length, 0)
      const other = yield* open()
      other.wire.send(request("GET /held"))
      yield* promise(() => until(() => upstream.seen.length === 2))
      assert.strictEqual((yield* exchange("GET /")).body, "ok")
      assert.strictEqual(soon.mock.calls.length, 1)
    }
  )

  live("reuses upstream connections, even for other tunnels, and caches no responses", function*() {
    const { exchange, open, upstream } = yield* proxied((_request, response) => {
      response.writeHead(200, { "Cache-Control": "public, max-age=3600", ETag: "\"x\"" }).end()
    })
    for (let i = 0; i < 3; i++) yield* exchange("GET /")
    yield* (yield* open()).exchange("GET /")
    assert.strictEqual(upstream.connections(), 1)
    assert.lengthOf(upstream.seen, 4)
  })

  live("never repeats a request that is the first one of its upstream connection", function*() {
    const { exchange, upstream } = yield* proxied((incoming, response) => {
      if (incoming.url === "/lost") incoming.socket.destroy()
      else response.setHeader("Connection", "close").end("ok")
    })
    assert.strictEqual((yield* exchange("GET /")).status, 200)
    assert.strictEqual((yield* exchange("GET /lost")).status, 502)
    assert.deepStrictEqual(upstream.seen.map(({ url }) => url), ["/", "/lost"])
  })
})
