import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Net from "node:net"
import { type ChannelAnswer, openDaemonChannel } from "../../src/client/DaemonChannel.ts"
import { builtins } from "../../src/platform/builtins.ts"

/** A server that answers each request head by what `reply` says of it. */
const setUp = (reply: (head: string, socket: Net.Socket) => void) =>
  Effect.gen(function*() {
    const sockets: Array<Net.Socket> = []
    const server = builtins.net.createServer((socket) => {
      sockets.push(socket)
      socket.on("error", () => {})
      let received = ""
      socket.on("data", (chunk: Buffer) => {
        received += chunk.toString("utf8")
        const match = /^([\s\S]*?)\r\n\r\n/.exec(received)
        const length = Number(/content-length: (\d+)/i.exec(match?.[1] ?? "")?.[1])
        if (match !== null && Buffer.byteLength(received) >= match[0].length + length) {
          const request = received
          received = ""
          reply(request, socket)
        }
      })
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))),
      () =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
    )
    const { port } = server.address() as Net.AddressInfo
    const channel = openDaemonChannel({
      timeout: 500,
      connect: () =>
        new Promise((resolve, reject) => {
          const socket = builtins.net.connect(port, "127.0.0.1", () => resolve(socket))
          socket.once("error", reject)
        })
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => channel.close()))
    const ask = (body: string) =>
      Effect.promise(() =>
        new Promise<ChannelAnswer | undefined>((resolve) =>
          channel.exchange("POST /x HTTP/1.1\r\nHost: a\r\n", body, resolve)
        )
      )
    return { ask, sockets, server }
  })

const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

describe("DaemonChannel", () => {
  it.live("sends one request after the other on one connection, text outside ASCII included", () =>
    Effect.gen(function*() {
      const { ask, sockets } = yield* setUp((request, socket) => socket.write(ok(request.split("\r\n\r\n")[1] ?? "")))
      for (const body of ["one", "zwei €", ""]) assert.deepStrictEqual(yield* ask(body), { status: 200, body })
      assert.lengthOf(sockets, 1)
    }).pipe(Effect.scoped))

  it.live("puts together an answer that arrives byte by byte, and uses one connection per request under way", () =>
    Effect.gen(function*() {
      const { ask, sockets } = yield* setUp((request, socket) => {
        const bytes = Buffer.from(ok(request.split("\r\n\r\n")[1] ?? ""))
        let at = 0
        const timer = setInterval(() => {
          socket.write(bytes.subarray(at, ++at))
          if (at === bytes.length) clearInterval(timer)
        }, 1)
      })
      const answers = yield* Effect.all(["a", "b", "c"].map(ask), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map((answer) => answer?.body), ["a", "b", "c"])
      assert.lengthOf(sockets, 3)
    }).pipe(Effect.scoped))

  const strange: ReadonlyArray<readonly [string, string]> = [
    ["is chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["is chunked and has a length", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n"],
    ["has two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 2\r\n\r\nok"],
    ["has no length", "HTTP/1.1 200 OK\r\n\r\n"],
    ["is longer than it says", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nok"],
    ["is preceded by an interim one", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["is not HTTP", "hello\r\n\r\n"],
    ["never ends", "x".repeat(20_000)]
  ]
  for (const [what, answer] of strange) {
    it.live(`gives up on an answer that ${what}, and closes the connection`, () =>
      Effect.gen(function*() {
        const { ask, sockets } = yield* setUp((_request, socket) => socket.write(answer))
        assert.isUndefined(yield* ask(""))
        assert.isUndefined(yield* ask(""))
        assert.lengthOf(sockets, 2)
      }).pipe(Effect.scoped))
  }

  it.live("gives up when the connection closes, when no answer comes, and when there is nobody", () =>
    Effect.gen(function*() {
      const { ask, server, sockets } = yield* setUp((request, socket) => {
        if (request.endsWith("close")) socket.destroy()
      })
      assert.isUndefined(yield* ask("close"))
      assert.isUndefined(yield* ask("silence"))
      server.close()
      for (const socket of sockets) socket.destroy()
      assert.isUndefined(yield* ask("nobody"))
    }).pipe(Effect.scoped))

  it.live("opens a new connection after the daemon closed an idle one", () =>
    Effect.gen(function*() {
      const { ask, sockets } = yield* setUp((_request, socket) => socket.write(ok("x")))
      yield* ask("")
      sockets[0]?.end()
      yield* Effect.sleep("30 millis")
      assert.strictEqual((yield* ask(""))?.body, "x")
      assert.lengthOf(sockets, 2)
    }).pipe(Effect.scoped))
})
