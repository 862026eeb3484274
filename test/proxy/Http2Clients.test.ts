/** HTTP/2 clients through the proxy of a run. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Net from "node:net"
import { builtins } from "../../src/platform/builtins.ts"
import { HOST, setUp } from "../support/Http2Peers.ts"
import { programTimeout } from "../support/ProgramTimeout.ts"
import { connectTo, SECRET } from "../support/ProxyHarness.ts"

const run = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.promise(() =>
    new Promise<string>((resolve, reject) => {
      builtins.childProcess.execFile(command, [...args], {
        env: { PATH: process.env["PATH"] ?? "", ...env },
        timeout: programTimeout
      }, (error, stdout, stderr) => error === null ? resolve(stdout + stderr) : reject(new Error(stdout + stderr)))
    })
  )

/** A local port that forwards each connection through a tunnel to the upstream, for clients without proxy support. */
const listenAsTunnel = (proxy: Parameters<typeof connectTo>[0]) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const sockets = new Set<Net.Socket>()
      const server = builtins.net.createServer({ pauseOnConnect: true }, (socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        void connectTo(proxy, `${HOST}:443`).then((tunnel) => {
          sockets.add(tunnel.socket)
          tunnel.socket.removeAllListeners("data")
          tunnel.socket.on("error", () => {})
          socket.pipe(tunnel.socket).pipe(socket)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        resume(Effect.succeed({
          port: (server.address() as Net.AddressInfo).port,
          close: () => {
            server.close()
            for (const socket of sockets) socket.destroy()
          }
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const served = setUp((stream, headers) => {
  stream.resume()
  stream.on("end", () => {
    stream.respond({ ":status": headers.authorization === `Bearer ${SECRET}` ? 200 : 401 })
    stream.end("served")
  })
})

describe("HTTP/2 client", () => {
  it.live("curl works with the environment of a run", () =>
    Effect.gen(function*() {
      const { proxy } = yield* served
      const { variables } = yield* proxy.environment({ PATH: process.env["PATH"], HOME: "/nonexistent" })
      const arguments_ = [
        "--silent",
        "--show-error",
        "--fail",
        "--http2",
        "--write-out",
        " %{http_version}",
        `https://${HOST}/`
      ]
      assert.strictEqual(yield* run("curl", arguments_, variables), "served 2")
      assert.strictEqual(
        yield* run("curl", ["--data-binary", "x".repeat(100_000), ...arguments_], variables),
        "served 2"
      )
    }).pipe(Effect.scoped))

  it.live("nghttp works with several requests, a body and trailers", () =>
    Effect.gen(function*() {
      const { proxy, upstream } = yield* served
      const { port } = yield* listenAsTunnel(proxy)
      const output = yield* run("nghttp", [
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
    }).pipe(Effect.scoped))

  it.live(
    "h2load sends 2000 requests without errors, 100 at a time on each of four connections",
    () =>
      Effect.gen(function*() {
        const { proxy } = yield* served
        const { port } = yield* listenAsTunnel(proxy)
        const output = yield* run("h2load", [
          "--requests=2000",
          "--clients=4",
          "--max-concurrent-streams=100",
          `--header=:authority: ${HOST}`,
          `https://127.0.0.1:${port}/`
        ])
        assert.include(output, "2000 total, 2000 started, 2000 done, 2000 succeeded, 0 failed, 0 errored, 0 timeout")
        assert.include(output, "status codes: 2000 2xx")
      }).pipe(Effect.scoped)
  )
})
