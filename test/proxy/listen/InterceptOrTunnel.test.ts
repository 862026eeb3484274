import { assert, describe } from "@effect/vitest"
import type * as Net from "node:net"
import { builtins } from "../../../src/platform/builtins.ts"
import { live, promise } from "../../support/Fixture.ts"
import { certificate, EVIL, HOST, proxyTo, request, serverBehind } from "../../support/ProxiedHost.ts"
import { connectTo, route } from "../../support/ProxyHarness.ts"
import { authority } from "../../support/TestCertificates.ts"
import { listen } from "../../support/TestServer.ts"

describe("InterceptOrTunnel", () => {
  live("passes on the origin's own certificate for a host that is not routed", function*() {
    const { daemon, open, proxy } = yield* serverBehind()
    const { socket } = yield* open({ ca: [authority.caPem, proxy.caPem] }, `${EVIL}:443`)
    const { fingerprint256 } = new builtins.crypto.X509Certificate(certificate.cert)
    assert.strictEqual(socket.getPeerCertificate().fingerprint256, fingerprint256)
    assert.lengthOf(daemon.resolved, 0)
  })

  live("supports half-closed tunnels in both directions", function*() {
    const { port } = yield* listen(builtins.net.createServer({ allowHalfOpen: true }, (socket: Net.Socket) => {
      let got = ""
      socket.on("data", (chunk: Buffer) => {
        got += chunk.toString()
      })
      socket.on("end", () => socket.end(`got ${got}`))
    }))
    const { proxy } = yield* serverBehind()
    const { response, socket, wire } = yield* promise(() => connectTo(proxy, `127.0.0.1:${port}`))
    assert.strictEqual(response.status, 200)
    socket.end("all of it")
    assert.strictEqual(yield* promise(() => wire.text("never")), "got all of it")
  })

  live("ends a tunnel to an unreachable host with a 502 that has the reason in the status line", function*() {
    const { proxy } = yield* proxyTo({ [EVIL]: 1 })
    const { response } = yield* promise(() => connectTo(proxy, `${EVIL}:443`))
    assert.strictEqual(response.status, 502)
    assert.match(response.reason, /^credsvc: .*ECONNREFUSED/)
  })

  live("ends a tunnel to a routed host", function*() {
    const { daemon, proxy, upstream } = yield* serverBehind()
    const { wire } = yield* promise(() => connectTo(proxy, `${HOST}:443`))
    assert.strictEqual((yield* wire.exchange(request("GET /"))).status, 400)
    yield* promise(() => wire.closed())
    assert.lengthOf(daemon.resolved, 0)
    assert.strictEqual(upstream.connections(), 0)
  })

  live(
    "refuses hosts whose routes were added after the run began, as the root certificate does not permit them",
    function*() {
      const { daemon, proxy, upstream } = yield* serverBehind()
      daemon.routes = [...daemon.routes, route(EVIL, "late")]
      daemon.version++
      const { response } = yield* promise(() => connectTo(proxy, `${EVIL}:443`))
      assert.strictEqual(response.status, 403)
      assert.match(response.reason, /after this run began/)
      assert.strictEqual(upstream.connections(), 0)
    }
  )
})
