/** Open exchanges and WebSockets, when the daemon reports that their credentials may no longer be valid. */
import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Duplex } from "node:stream"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import { live, promise } from "../../support/Fixture.ts"
import { setUp } from "../../support/Http2Peers.ts"
import { HOST, proxied, proxiedRaw, request, WEBSOCKET } from "../../support/ProxiedHost.ts"
import { bearer, type FakeDaemon, fakeDaemon, noCredential, route } from "../../support/ProxyHarness.ts"
import { until } from "../../support/Until.ts"

const EVENTS = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n"
const SWITCHING = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"

const notify = (daemon: FakeDaemon): void => {
  for (const listener of daemon.listeners) listener()
}

const withdraw = (daemon: FakeDaemon): void => {
  daemon.resolve = noCredential()
  notify(daemon)
}

/** Waits until the proxy has asked for a credential once more than before, and has had time to act on the response. */
const asked = (daemon: FakeDaemon, before: number) =>
  promise(async () => {
    await until(() => daemon.resolved.length > before)
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  })

/** A stream of events through the proxy, of which the first has arrived. */
const openStream = (options: Parameters<typeof proxiedRaw>[1] = {}) =>
  Effect.gen(function*() {
    let closed = false
    const parts = yield* proxiedRaw((socket) => {
      socket.on("error", () => {}).on("close", () => closed = true)
      socket.write(EVENTS)
    }, options)
    parts.wire.send(request("GET /events"))
    yield* promise(() => parts.wire.text("data: 1\n\n"))
    return { ...parts, isClosed: () => closed }
  })

describe("a stream whose credential is withdrawn", () => {
  live("ends at both sides with a reset, like an incomplete response", function*() {
    const { daemon, events, isClosed, wire } = yield* openStream()
    withdraw(daemon)
    yield* promise(() => wire.closed())
    yield* promise(() => until(isClosed))
    assert.isTrue(wire.failed, "the client cannot mistake it for the end of the response")
    yield* promise(() => until(() => events.length === 1))
    assert.strictEqual(events[0]?.refusal?.error, "CredentialMissingError")
  })

  live("ends if it is a stream of HTTP/2, and leaves the session open", function*() {
    const { daemon, session } = yield* setUp((stream) => {
      stream.respond({ "content-type": "text/event-stream" })
      stream.write("data: 1\n\n")
    })
    const stream = session.request({ ":path": "/events" })
    stream.on("error", () => {})
    yield* promise(() => new Promise((resolve) => stream.once("data", resolve)))
    withdraw(daemon)
    yield* promise(() => new Promise((resolve) => stream.once("close", resolve)))
    assert.notStrictEqual(stream.rstCode, 0)
    assert.isFalse(session.closed || session.destroyed)
  })

  live("ends if it is a WebSocket", function*() {
    const upstreams: Array<Duplex> = []
    const { daemon, wire } = yield* proxiedRaw((socket) => {
      upstreams.push(socket.on("error", () => {}))
      socket.write(SWITCHING)
    })
    wire.send(request("GET /socket", WEBSOCKET))
    yield* promise(() => wire.text("\r\n\r\n"))
    withdraw(daemon)
    yield* promise(() => wire.closed())
    yield* promise(() => until(() => upstreams[0]?.destroyed === true))
  })

  live("ends with a refusal if the upstream has not responded yet", function*() {
    const { daemon, upstream, wire } = yield* proxied(() => {})
    wire.send(request("GET /slow"))
    yield* promise(() => until(() => upstream.seen.length === 1))
    withdraw(daemon)
    const response = yield* promise(() => wire.response())
    assert.strictEqual(response.status, 403)
    assert.include(response.body, "credsvc login example")
  })

  live("ends if its connection was replaced by another login", function*() {
    const { daemon, wire } = yield* openStream()
    daemon.resolve = (request) => Effect.succeed({ ...bearer(request), issuedAt: DateTime.makeUnsafe(1) })
    notify(daemon)
    yield* promise(() => wire.closed())
  })

  live("ends if the daemon resolved its credential before the change", function*() {
    const first = yield* Deferred.make<void>()
    const { daemon, upstream, wire } = yield* proxied()
    daemon.resolve = (request) => Effect.as(Deferred.await(first), bearer(request))
    wire.send(request("GET /"))
    yield* promise(() => until(() => daemon.resolved.length === 1))
    withdraw(daemon)
    yield* Deferred.succeed(first, undefined)
    assert.strictEqual((yield* promise(() => wire.response())).status, 403)
    assert.lengthOf(upstream.seen, 0)
  })
})

describe("a stream whose credential is not withdrawn", () => {
  const unchanged: ReadonlyArray<readonly [what: string, error?: string]> = [
    ["the daemon returns the same credential"],
    ["the daemon does not respond", "DaemonUnavailableError"],
    ["the token cannot be refreshed at the moment", "RefreshFailedError"],
    ["the store is unavailable", "VaultUnavailableError"]
  ]
  for (const [what, error] of unchanged) {
    live(`continues if ${what}`, function*() {
      const { daemon, wire } = yield* openStream()
      const before = daemon.resolved.length
      if (error !== undefined) daemon.resolve = noCredential(error)
      notify(daemon)
      yield* asked(daemon, before)
      assert.isFalse(wire.ended)
    })
  }

  live("continues if the provider's default connection changes, and new requests use the new default", function*() {
    const { daemon, open, wire } = yield* openStream()
    const { exchange } = yield* open()
    daemon.routes = [route(HOST, "example", { connection: "work" as ConnectionName })]
    daemon.version++
    const before = daemon.resolved.length
    notify(daemon)
    yield* asked(daemon, before)
    yield* Effect.forkScoped(exchange("GET /"))
    yield* promise(() => until(() => daemon.resolved.at(-1)?.connection === "work"))
    assert.isFalse(wire.ended)
  })

  live("continues if a refresh has given its connection another token", function*() {
    const refreshed = (at: number): FakeDaemon["resolve"] => (request) =>
      Effect.succeed({ ...bearer(request), refreshable: true, issuedAt: DateTime.makeUnsafe(at) })
    const { daemon, wire } = yield* openStream({
      daemon: fakeDaemon([route(HOST, "example")], { resolve: refreshed(0) })
    })
    const before = daemon.resolved.length
    daemon.resolve = refreshed(1)
    notify(daemon)
    yield* asked(daemon, before)
    assert.isFalse(wire.ended)
  })
})
