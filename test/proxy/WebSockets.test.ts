/** Common WebSocket clients and servers with the proxy between them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import type * as Http from "node:http"
import type * as Net from "node:net"
import type { Duplex } from "node:stream"
import { vi } from "vitest"
import { WebSocket, WebSocketServer } from "ws"
import { builtins } from "../../src/platform/builtins.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { certificate, HOST, proxyTo } from "../support/ProxiedHost.ts"
import { type HarnessOptions, MARKER, SECRET } from "../support/ProxyHarness.ts"

const once = <A>(emitter: { once: (name: string, listener: (value: A) => void) => unknown }, name: string) =>
  new Promise<A>((resolve) => emitter.once(name, resolve))

/** A WebSocket server behind the proxy, and a way to connect to it. */
const setUp = (
  options: { readonly deflate?: boolean; readonly serve: (socket: WebSocket, request: Http.IncomingMessage) => void }
) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make({ certificate })
    const server = new WebSocketServer({
      noServer: true,
      maxPayload: 256 * 1024 * 1024,
      perMessageDeflate: options.deflate === true ? { threshold: 0 } : false
    })
    upstream.server.on("upgrade", (incoming, socket, head) => {
      server.handleUpgrade(incoming, socket, head, (client) => options.serve(client, incoming))
    })
    const { open, proxy } = yield* proxyTo(upstream.port)
    const connect = (path = "/"): Effect.Effect<WebSocket> =>
      Effect.flatMap(open(), ({ socket }) => {
        socket.removeAllListeners("data")
        const client = new WebSocket(`wss://${HOST}${path}`, {
          createConnection: () => socket,
          headers: { Authorization: `Bearer ${MARKER}` },
          maxPayload: 256 * 1024 * 1024,
          perMessageDeflate: options.deflate === true ? { threshold: 0 } : false
        })
        return Effect.promise(() => once(client, "open")).pipe(Effect.as(client))
      })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const client of server.clients) client.terminate()
        server.close()
      })
    )
    return { connect, proxy, upstream }
  })

const digest = (data: Uint8Array) => builtins.crypto.createHash("sha256").update(data).digest("hex")

const echo = (socket: WebSocket): void => {
  socket.on("message", (data: Buffer, isBinary: boolean) => socket.send(data, { binary: isBinary }))
}

describe("a WebSocket through the proxy", () => {
  it.live("negotiates permessage-deflate end to end and carries compressed messages unchanged", () =>
    Effect.gen(function*() {
      let authorization: string | undefined
      const { connect } = yield* setUp({
        deflate: true,
        serve: (socket, incoming) => {
          authorization = incoming.headers.authorization
          echo(socket)
        }
      })
      const client = yield* connect()
      assert.include(client.extensions, "permessage-deflate")
      for (const text of ["", "a", "ключ ".repeat(40_000)]) {
        const answer = once<Buffer>(client, "message")
        client.send(text)
        assert.strictEqual((yield* Effect.promise(() => answer)).toString(), text)
      }
      assert.strictEqual(authorization, `Bearer ${SECRET}`)
      client.terminate()
    }).pipe(Effect.scoped))

  for (const deflate of [false, true]) {
    it.live(`carries 16 MiB of fragments in both directions${deflate ? ", compressed" : ""}`, () =>
      Effect.gen(function*() {
        const { connect } = yield* setUp({ deflate, serve: echo })
        const client = yield* connect()
        const whole = builtins.crypto.randomBytes(16 * 1024 * 1024)
        const answer = once<Buffer>(client, "message")
        const piece = 1024 * 1024 - 7
        for (let at = 0; at < whole.length; at += piece) {
          client.send(whole.subarray(at, at + piece), { binary: true, fin: at + piece >= whole.length })
        }
        assert.strictEqual(digest(yield* Effect.promise(() => answer)), digest(whole))
        client.terminate()
      }).pipe(Effect.scoped))
  }

  it.live("passes on pings, and the close code and reason of both sides", () =>
    Effect.gen(function*() {
      let served: WebSocket | undefined
      const { connect } = yield* setUp({
        serve: (socket) => {
          served = socket
          echo(socket)
        }
      })
      const first = yield* connect()
      const pong = once<Buffer>(first, "pong")
      first.ping("are you there")
      assert.strictEqual((yield* Effect.promise(() => pong)).toString(), "are you there")
      const closing = new Promise<readonly [number, string]>((resolve) =>
        served?.once("close", (code, reason) => resolve([code, reason.toString()]))
      )
      first.close(4001, "the child is done")
      assert.deepStrictEqual(yield* Effect.promise(() => closing), [4001, "the child is done"])

      const second = yield* connect()
      const closed = new Promise<readonly [number, string]>((resolve) =>
        second.once("close", (code, reason) => resolve([code, reason.toString()]))
      )
      served?.close(1013, "try again later")
      assert.deepStrictEqual(yield* Effect.promise(() => closed), [1013, "try again later"])
    }).pipe(Effect.scoped))

  it.live("passes on an end without a close frame in both directions", () =>
    Effect.gen(function*() {
      let served: WebSocket | undefined
      const { connect } = yield* setUp({
        serve: (socket) => {
          served = socket
        }
      })
      const first = yield* connect()
      const atServer = once<number>(served!, "close")
      first.terminate()
      assert.strictEqual(yield* Effect.promise(() => atServer), 1006)
      const second = yield* connect()
      const atClient = once<number>(second, "close")
      served?.terminate()
      assert.strictEqual(yield* Effect.promise(() => atClient), 1006)
    }).pipe(Effect.scoped))

  it.live(
    "delivers everything that the server sent before it closed, to a slow client",
    () =>
      Effect.gen(function*() {
        const total = 8 * 1024 * 1024
        const upstream = yield* FakeUpstream.make({ certificate })
        upstream.server.on("upgrade", (_incoming: Http.IncomingMessage, socket: Duplex) => {
          socket.on("error", () => {}) // nobody else listens
          socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
          socket.end(Buffer.alloc(total, 7))
        })
        const { open } = yield* proxyTo(upstream.port)
        const { socket } = yield* open()
        socket.removeAllListeners("data")
        socket.write(
          `GET / HTTP/1.1\r\nHost: ${HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        const received = yield* Effect.promise(() =>
          new Promise<number>((resolve) => {
            let count = 0
            socket.on("data", (chunk: Buffer) => {
              count += chunk.length
              socket.pause()
              setTimeout(() => socket.resume(), 1)
            })
            socket.on("close", () => resolve(count))
          })
        )
        assert.isAbove(received, total)
      }).pipe(Effect.scoped)
  )

  it.live("supports half-closed connections", () =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate })
      upstream.server.on("upgrade", (_incoming: Http.IncomingMessage, socket: Duplex) => {
        socket.on("error", () => {}) // nobody else listens
        socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
        let got = ""
        socket.on("data", (chunk: Buffer) => {
          got += chunk.toString("latin1")
        })
        socket.on("end", () => socket.end(`after the end: ${got}`))
      })
      const { tunnel } = yield* proxyTo(upstream.port)
      const { socket, wire } = yield* tunnel
      wire.send(
        `GET / HTTP/1.1\r\nHost: ${HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
      )
      assert.strictEqual((yield* Effect.promise(() => wire.answer())).status, 101)
      socket.end("all of it")
      assert.strictEqual(yield* Effect.promise(() => wire.text("all of it")), "after the end: all of it")
    }).pipe(Effect.scoped))

  /** A client of a silent server, and that server's end of the connection. */
  const quiet = (options: (port: number) => Partial<HarnessOptions> = () => ({})) =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate })
      const accepted = new Promise<Duplex>((resolve) =>
        upstream.server.on("upgrade", (_incoming: Http.IncomingMessage, socket: Duplex) => {
          socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
          resolve(socket)
        })
      )
      const { proxy, tunnel } = yield* proxyTo(upstream.port, options(upstream.port))
      const { socket, wire } = yield* tunnel
      wire.send(
        `GET / HTTP/1.1\r\nHost: ${HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
      )
      assert.strictEqual((yield* Effect.promise(() => wire.answer())).status, 101)
      return { proxy, server: yield* Effect.promise(() => accepted), socket, upstream }
    })

  it.live("is closed if the client has half-closed and the server is silent for five minutes", () =>
    Effect.gen(function*() {
      const { server, socket } = yield* quiet()
      server.allowHalfOpen = true
      server.on("error", () => {})
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      const ended = once(server.resume(), "end")
      socket.end()
      yield* Effect.promise(() => ended)
      vi.advanceTimersByTime(299_999)
      const heard = once(socket, "data")
      server.write("still here")
      assert.strictEqual(String(yield* Effect.promise(() => heard)), "still here")
      vi.advanceTimersByTime(299_999)
      const closed = once(socket, "close")
      assert.isFalse(socket.destroyed)
      vi.advanceTimersByTime(1)
      yield* Effect.promise(() => closed)
    }).pipe(Effect.ensuring(Effect.sync(() => vi.useRealTimers())), Effect.scoped))

  /** The active timers of established connections with one of these ports at the given end (proc(5), tcp_timer_active). */
  const timers = (end: "local" | "remote", port: number): ReadonlyArray<string> =>
    fs.readFileSync("/proc/self/net/tcp", "latin1").trim().split("\n").flatMap((row) => {
      const [, local = "", remote = "", state, , timer = ""] = row.trim().split(/\s+/)
      const there = parseInt((end === "local" ? local : remote).slice(-4), 16)
      return there === port && state === "01" ? [timer.slice(0, 2)] : []
    })

  const parentProxy = Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly lead: (to: number) => void; readonly close: () => void }>(
      (resume) => {
        let behind = 0
        const sockets = new Set<Duplex>()
        const server = builtins.http.createServer()
        server.on("connect", (_incoming, socket) => {
          const other = builtins.net.connect(behind, "127.0.0.1", () => {
            socket.write("HTTP/1.1 200 OK\r\n\r\n")
            socket.pipe(other).pipe(socket)
          })
          for (const each of [socket, other]) sockets.add(each.on("error", () => {}))
        })
        server.listen(0, "127.0.0.1", () => {
          resume(Effect.succeed({
            port: (server.address() as Net.AddressInfo).port,
            lead: (to) => {
              behind = to
            },
            close: () => {
              server.close()
              for (const socket of sockets) socket.destroy()
            }
          }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

  it.live.skipIf(process.platform !== "linux")(
    "uses TCP keep-alive on both connections, also through a parent proxy",
    () =>
      Effect.gen(function*() {
        const straight = yield* quiet()
        assert.deepStrictEqual(new Set(timers("remote", straight.upstream.port)), new Set(["02"]))
        assert.deepStrictEqual(new Set(timers("local", straight.proxy.port)), new Set(["02"]))
        const hop = yield* parentProxy
        yield* quiet((port) => {
          hop.lead(port)
          return { parentProxy: { url: `http://127.0.0.1:${hop.port}`, noProxy: [] }, upstream: { resolve: {} } }
        })
        assert.deepStrictEqual(new Set(timers("remote", hop.port)), new Set(["02"]))
      }).pipe(Effect.scoped)
  )

  it.live("is isolated from 199 simultaneous ones", () =>
    Effect.gen(function*() {
      const { connect, upstream } = yield* setUp({
        serve: (socket, incoming) => socket.on("message", (data: Buffer) => socket.send(`${incoming.url} ${data}`))
      })
      const clients = yield* Effect.forEach(Array.from({ length: 200 }, (_, i) => `/${i}`), connect, {
        concurrency: 20
      })
      assert.isAtLeast(upstream.connections(), 200)
      const answers = clients.map((client) => once<Buffer>(client, "message"))
      for (const [i, client] of clients.entries()) client.send(`hello ${i}`)
      const texts = (yield* Effect.promise(() => Promise.all(answers))).map(String)
      assert.deepStrictEqual(texts, clients.map((_, i) => `/${i} hello ${i}`))
      for (const client of clients) client.terminate()
    }).pipe(Effect.scoped))
})
