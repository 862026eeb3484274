import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { HOST, serverBehind, WEBSOCKET } from "../../support/ProxiedHost.ts"
import { authorization, caughtUp, MARKER } from "../../support/ProxyHarness.ts"

describe("Router", () => {
  live("refuses an absolute http:// target on a routed host, on any port", function*() {
    const { daemon, forward, upstream } = yield* serverBehind()
    for (const target of [`http://${HOST}/v1`, `http://${HOST}:443/v1`, `HTTP://API.EXAMPLE.COM./`]) {
      const response = yield* forward(`GET ${target}`)
      assert.strictEqual(response.status, 403, target)
      assert.include(response.body, "requires https")
    }
    assert.lengthOf(daemon.resolved, 0)
    assert.strictEqual(upstream.connections(), 0)
  })

  live("forwards absolute http:// targets without their offer of h2c, and opens no WebSocket for them", function*() {
    const upstream = yield* FakeUpstream.make()
    const { forward } = yield* serverBehind()
    const host = `127.0.0.1:${upstream.port}`
    const offer = `Host: ${host}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n`
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

  live("forwards absolute http:// targets on other hosts unchanged, without the run's credential", function*() {
    const plain = yield* FakeUpstream.make()
    const { daemon, forward } = yield* serverBehind()
    const host = `127.0.0.1:${plain.port}`
    const headers = `Host: ${host}\r\nAuthorization: Bearer ${MARKER}x\r\nX-Own: 1\r\nContent-Length: 4\r\n`
    const response = yield* forward(`POST http://${host}/x`, headers, "body")
    assert.strictEqual(response.status, 200)
    assert.strictEqual(JSON.parse(response.body).body, "body")
    assert.notProperty(plain.seen[0]?.headers ?? {}, "proxy-authorization")
    assert.strictEqual(plain.seen[0]?.headers["x-own"], "1")
    assert.lengthOf(daemon.resolved, 0)
  })

  live("drops a request whose client disconnects before the routes are known", function*() {
    const { connect, daemon, forward, proxy, upstream } = yield* serverBehind()
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
