/** HTTP/2 clients through the proxy of a run. */
import { assert, describe } from "@effect/vitest"
import { builtins } from "../../../src/platform/builtins.ts"
import { live } from "../../support/Fixture.ts"
import { setUp } from "../../support/Http2Peers.ts"
import { runProgram } from "../../support/Programs.ts"
import { HOST } from "../../support/ProxiedHost.ts"
import { connectTo, SECRET } from "../../support/ProxyHarness.ts"
import { listen } from "../../support/TestServer.ts"

/** A local port that forwards each connection through a tunnel to the upstream, for clients without proxy support. */
const listenAsTunnel = (proxy: Parameters<typeof connectTo>[0]) =>
  listen(builtins.net.createServer({ pauseOnConnect: true }, (socket) => {
    void connectTo(proxy, `${HOST}:443`).then((tunnel) => {
      tunnel.socket.removeAllListeners("data")
      socket.pipe(tunnel.socket).pipe(socket)
      socket.once("close", () => tunnel.socket.destroy())
    })
  }))

const served = setUp((stream, headers) => {
  stream.resume()
  stream.on("end", () => {
    stream.respond({ ":status": headers.authorization === `Bearer ${SECRET}` ? 200 : 401 })
    stream.end("served")
  })
})

describe("HTTP/2 client", () => {
  live("nghttp exchanges several requests, a body and trailers", function*() {
    const { proxy, upstream } = yield* served
    const { port } = yield* listenAsTunnel(proxy)
    const { output } = yield* runProgram("nghttp", [
      "--no-verify-peer",
      "--verbose",
      "--header=:authority: " + HOST,
      "--trailer=x-sum: 1",
      "--multiply=5",
      "--data=/etc/hostname",
      `https://127.0.0.1:${port}/`
    ])
    assert.strictEqual(output.match(/:status: 200/g)?.length, 5)
    assert.lengthOf(upstream.seen, 5)
  })

  live("h2load sends 2000 requests without errors, 100 at a time on each of four connections", function*() {
    const { proxy } = yield* served
    const { port } = yield* listenAsTunnel(proxy)
    const { output } = yield* runProgram("h2load", [
      "--requests=2000",
      "--clients=4",
      "--max-concurrent-streams=100",
      `--header=:authority: ${HOST}`,
      `https://127.0.0.1:${port}/`
    ])
    assert.include(output, "2000 total, 2000 started, 2000 done, 2000 succeeded, 0 failed, 0 errored, 0 timeout")
    assert.include(output, "status codes: 2000 2xx")
  })
})
