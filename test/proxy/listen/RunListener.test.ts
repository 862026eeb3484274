import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { certificate, HOST, proxyTo, request, serverBehind } from "../../support/ProxiedHost.ts"
import { authorization, caughtUp, dial, secureTunnel } from "../../support/ProxyHarness.ts"
import { until } from "../../support/Until.ts"

describe("RunListener", () => {
  live("holds up to 512 connections, then closes the oldest one without an admitted request", function*() {
    const { connect, proxy } = yield* serverBehind({ headMilliseconds: 600_000 })
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

  live("listens only on 127.0.0.1, until the scope closes", function*() {
    const port = yield* Effect.scoped(Effect.gen(function*() {
      const { proxy } = yield* serverBehind()
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
    const { connect, open, upstream } = yield* serverBehind({ headMilliseconds: 2000 })
    const inside = (yield* open()).wire
    inside.send("GET / HTTP/1.1\r\nHost:")
    const outside = yield* connect
    outside.send(`CONNECT ${HOST}:443 HTTP/1.1\r\nX:`)
    yield* promise(() => Promise.all([inside.closed(), outside.closed()]))
    assert.lengthOf(upstream.seen, 0)
  })
})
