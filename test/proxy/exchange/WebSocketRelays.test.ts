/** Common WebSocket clients and servers with the proxy between them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import type * as Http from "node:http"
import type { Duplex } from "node:stream"
import { vi } from "vitest"
import { WebSocket, WebSocketServer } from "ws"
import { builtins } from "../../../src/platform/builtins.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { certificate, HOST, proxied, proxyTo, WEBSOCKET } from "../../support/ProxiedHost.ts"
import { fakeDaemon, type HarnessOptions, MARKER, noCredential, route, SECRET } from "../../support/ProxyHarness.ts"
import { listen } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"
import { turn } from "../../support/UpstreamPeer.ts"

const SWITCHING = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"

const once = <A>(emitter: { once: (name: string, listener: (value: A) => void) => unknown }, name: string) =>
  new Promise<A>((resolve) => emitter.once(name, resolve))

/** A WebSocket server behind the proxy, and a way to connect to it. */
const setUp = (
  options: Pick<HarnessOptions, "rules"> & {
    readonly serve: (socket: WebSocket, request: Http.IncomingMessage) => void
  }
) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make({ certificate })
    const server = new WebSocketServer({
      noServer: true,
      maxPayload: 256 * 1024 * 1024,
      perMessageDeflate: { threshold: 0 }
    })
    upstream.server.on("upgrade", (incoming, socket, head) => {
      server.handleUpgrade(incoming, socket, head, (client) => options.serve(client, incoming))
    })
    const { open, proxy } = yield* proxyTo(upstream.port, { rules: options.rules })
    const connect = (path = "/", subprotocols: ReadonlyArray<string> = []) =>
      Effect.flatMap(open(), ({ socket }) => {
        socket.removeAllListeners("data")
        const client = new WebSocket(`wss://${HOST}${path}`, [...subprotocols], {
          createConnection: () => socket,
          headers: subprotocols.length > 0 ? {} : { Authorization: `Bearer ${MARKER}` },
          maxPayload: 256 * 1024 * 1024,
          perMessageDeflate: { threshold: 0 }
        })
        return Effect.as(promise(() => once(client, "open")), client)
      })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const client of server.clients) client.terminate()
        server.close()
      })
    )
    return { connect, open, proxy, upstream }
  })

const digest = (data: Uint8Array) => builtins.crypto.createHash("sha256").update(data).digest("hex")

const echo = (socket: WebSocket): void => {
  socket.on("message", (data: Buffer, isBinary: boolean) => socket.send(data, { binary: isBinary }))
}

describe("a WebSocket through the proxy", () => {
  live(
    "opens for a client whose only subprotocol is the key, and selects this subprotocol in the response",
    function*() {
      const received: Array<readonly [credential: string | undefined, offered: string | undefined]> = []
      const { connect } = yield* setUp({
        serve: (_, { headers }) => received.push([headers.authorization, headers["sec-websocket-protocol"]])
      })
      for (const offered of [[MARKER], [MARKER, "json"]]) {
        const client = yield* connect("/", offered)
        assert.strictEqual(client.protocol, offered.at(-1))
        client.terminate()
      }
      assert.deepStrictEqual(received, [[`Bearer ${SECRET}`, undefined], [`Bearer ${SECRET}`, "json"]])
    }
  )

  live("ends after the message that reaches the token limit", function*() {
    const asked: Array<string> = []
    const { connect, open } = yield* setUp({
      rules: [{ allow: [], deny: [], readonly: false, maxTokens: 100 }],
      serve: (socket) =>
        socket.on("message", (data: Buffer) => {
          asked.push(data.toString())
          socket.send(JSON.stringify({ response: { usage: { total_tokens: 60 } } }))
        })
    })
    const client = yield* connect()
    const answers: Array<string> = []
    client.on("message", (data: Buffer) => answers.push(data.toString()))
    for (const text of ["one", "two"]) {
      const answered = once<Buffer>(client, "message")
      client.send(text)
      yield* promise(() => answered)
    }
    const closed = once<number>(client, "close")
    client.send("three")
    assert.strictEqual(yield* promise(() => closed), 1002)
    assert.deepStrictEqual([asked, answers.length], [["one", "two"], 2])
    const { exchange } = yield* open()
    assert.strictEqual((yield* exchange("GET /", WEBSOCKET)).status, 429)
  })

  live("carries 16 MiB of fragments in both directions", function*() {
    const { connect } = yield* setUp({ serve: echo })
    const client = yield* connect()
    const whole = builtins.crypto.randomBytes(16 * 1024 * 1024)
    const echoed = once<Buffer>(client, "message")
    const piece = 1024 * 1024 - 7
    for (let at = 0; at < whole.length; at += piece) {
      client.send(whole.subarray(at, at + piece), { binary: true, fin: at + piece >= whole.length })
    }
    assert.strictEqual(digest(yield* promise(() => echoed)), digest(whole))
    client.terminate()
  })

  live("carries pings, and the close code and reason of both sides", function*() {
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
    assert.strictEqual((yield* promise(() => pong)).toString(), "are you there")
    const closing = new Promise<readonly [number, string]>((resolve) =>
      served?.once("close", (code, reason) => resolve([code, reason.toString()]))
    )
    first.close(4001, "the client is done")
    assert.deepStrictEqual(yield* promise(() => closing), [4001, "the client is done"])

    const second = yield* connect()
    const closed = new Promise<readonly [number, string]>((resolve) =>
      second.once("close", (code, reason) => resolve([code, reason.toString()]))
    )
    served?.close(1013, "try again later")
    assert.deepStrictEqual(yield* promise(() => closed), [1013, "try again later"])
  })

  live("carries an end without a close frame in both directions", function*() {
    let served: WebSocket | undefined
    const { connect } = yield* setUp({
      serve: (socket) => {
        served = socket
      }
    })
    const first = yield* connect()
    const atServer = once<number>(served!, "close")
    first.terminate()
    assert.strictEqual(yield* promise(() => atServer), 1006)
    const second = yield* connect()
    const atClient = once<number>(second, "close")
    served?.terminate()
    assert.strictEqual(yield* promise(() => atClient), 1006)
  })

  /** A client whose handshake an upstream accepts, and the upstream's end of the connection. */
  const upgraded = (options: (port: number) => Partial<HarnessOptions> = () => ({})) =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate })
      const accepted = Promise.withResolvers<Duplex>()
      upstream.server.on("upgrade", (_incoming: Http.IncomingMessage, socket: Duplex) => {
        socket.on("error", () => {}).write(SWITCHING)
        accepted.resolve(socket)
      })
      const { open, proxy } = yield* proxyTo(upstream.port, options(upstream.port))
      const { exchange, socket, wire } = yield* open()
      assert.strictEqual((yield* exchange("GET /", WEBSOCKET)).status, 101)
      return { proxy, server: yield* promise(() => accepted.promise), socket, upstream, wire }
    })

  live("delivers to a slow client everything that the server sent before it closed", function*() {
    const total = 8 * 1024 * 1024
    const { server, socket } = yield* upgraded()
    socket.removeAllListeners("data")
    server.end(Buffer.alloc(total, 7))
    const received = yield* promise(async () => {
      let count = 0
      for await (const chunk of socket) {
        count += (chunk as Buffer).length
        await turn()
      }
      return count
    })
    assert.strictEqual(received, total)
  })

  for (const [how, isRunEnd] of [["it ends", false], ["the run ends", true]] as const) {
    live(`is reported when ${how}, with the bytes of both directions`, function*() {
      const daemon = fakeDaemon([route(HOST, "example")])
      yield* Effect.scoped(Effect.gen(function*() {
        const { server, socket, wire } = yield* upgraded(() => ({ daemon }))
        server.on("data", (chunk: Buffer) => server.write(Buffer.concat([chunk, chunk])))
        socket.write("12345")
        assert.strictEqual(yield* promise(() => wire.text("1234512345")), "1234512345")
        assert.lengthOf(daemon.reports, 0)
        if (isRunEnd) return
        socket.destroy()
        yield* promise(() => until(() => daemon.reports.length > 0))
      }))
      const entries = daemon.reports.flatMap(({ entries }) => entries)
      assert.deepStrictEqual(entries.map((entry) => entry.slice(1, 7)), [["GET", HOST, "/", 101, 5, 10]])
    })
  }

  live("supports half-closed connections", function*() {
    const { server, socket, wire } = yield* upgraded()
    let got = ""
    server.on("data", (chunk: Buffer) => {
      got += chunk.toString("latin1")
    })
    server.on("end", () => server.end(`after the end: ${got}`))
    socket.end("all of it")
    assert.strictEqual(yield* promise(() => wire.text("all of it")), "after the end: all of it")
  })

  it.live("is closed if the client has half-closed and the server is silent for five minutes", () =>
    Effect.gen(function*() {
      const { server, socket } = yield* upgraded()
      server.allowHalfOpen = true
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      const ended = once(server.resume(), "end")
      socket.end()
      yield* promise(() => ended)
      vi.advanceTimersByTime(299_999)
      const heard = once(socket, "data")
      server.write("still here")
      assert.strictEqual(String(yield* promise(() => heard)), "still here")
      vi.advanceTimersByTime(299_999)
      const closed = once(socket, "close")
      assert.isFalse(socket.destroyed)
      vi.advanceTimersByTime(1)
      yield* promise(() => closed)
    }).pipe(Effect.ensuring(Effect.sync(() => vi.useRealTimers())), Effect.scoped))

  /** The active timers of established connections with one of these ports at the given end (proc(5), tcp_timer_active). */
  const timers = (end: "local" | "remote", port: number): ReadonlyArray<string> =>
    fs.readFileSync("/proc/self/net/tcp", "latin1").trim().split("\n").flatMap((row) => {
      const [, local = "", remote = "", state, , timer = ""] = row.trim().split(/\s+/)
      const there = parseInt((end === "local" ? local : remote).slice(-4), 16)
      return there === port && state === "01" ? [timer.slice(0, 2)] : []
    })

  const parentProxy = Effect.gen(function*() {
    let behind = 0
    const server = builtins.http.createServer()
    server.on("connect", (_incoming, socket: Duplex) => {
      const other = builtins.net.connect(behind, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        socket.pipe(other).pipe(socket)
      })
      other.on("error", () => {})
      socket.on("close", () => other.destroy())
    })
    const lead = (to: number) => {
      behind = to
    }
    return { ...yield* listen(server), lead }
  })

  live.skipIf(process.platform !== "linux")(
    "uses TCP keep-alive on both connections, even through a parent proxy",
    function*() {
      const straight = yield* upgraded()
      assert.deepStrictEqual(new Set(timers("remote", straight.upstream.port)), new Set(["02"]))
      assert.deepStrictEqual(new Set(timers("local", straight.proxy.port)), new Set(["02"]))
      const hop = yield* parentProxy
      yield* upgraded((port) => {
        hop.lead(port)
        return { parentProxy: { url: `http://127.0.0.1:${hop.port}`, noProxy: [] }, upstream: { resolve: {} } }
      })
      assert.deepStrictEqual(new Set(timers("remote", hop.port)), new Set(["02"]))
    }
  )

  live("is refused if the provider has no connection, with the command that creates a connection", function*() {
    const { daemon, exchange } = yield* proxied()
    daemon.resolve = noCredential()
    const { body, status } = yield* exchange("GET /ws", WEBSOCKET)
    assert.strictEqual(status, 403)
    assert.include(body, "credsvc login example")
  })

  live("gets the upstream's refusal of the handshake as a normal response", function*() {
    const { exchange, upstream } = yield* proxied()
    upstream.server.on("upgrade", (_incoming, socket) => {
      socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno")
    })
    assert.deepInclude(yield* exchange("GET /ws", WEBSOCKET), { status: 401, body: "no" })
  })

  live("is isolated from 199 simultaneous WebSockets", function*() {
    const { connect, upstream } = yield* setUp({
      serve: (socket, incoming) => socket.on("message", (data: Buffer) => socket.send(`${incoming.url} ${data}`))
    })
    const clients = yield* Effect.forEach(Array.from({ length: 200 }, (_, i) => `/${i}`), (path) => connect(path), {
      concurrency: 20
    })
    assert.isAtLeast(upstream.connections(), 200)
    const responses = clients.map((client) => once<Buffer>(client, "message"))
    for (const [i, client] of clients.entries()) client.send(`hello ${i}`)
    const texts = (yield* promise(() => Promise.all(responses))).map(String)
    assert.deepStrictEqual(texts, clients.map((_, i) => `/${i} hello ${i}`))
    for (const client of clients) client.terminate()
  })
})

describe("an offer of another protocol", () => {
  const offers = [
    ["Apache HttpClient 5.4", "TLS/1.2"],
    ["Java", "h2c"]
  ]
  for (const [client, offer] of offers) {
    live(`is ignored and removed: ${offer} of ${client}`, function*() {
      const { exchange, upstream } = yield* proxied()
      const headers = `Connection: keep-alive, Upgrade, HTTP2-Settings\r\nUpgrade: ${offer}\r\nHTTP2-Settings: AA\r\n`
      for (const [line, body] of [["GET /", ""], ["POST /", "data"], ["GET /again", ""]] as const) {
        const length = body === "" ? "" : `Content-Length: ${body.length}\r\n`
        const response = yield* exchange(line, headers + length, body)
        assert.strictEqual(response.status, 200)
        assert.strictEqual(JSON.parse(response.body).body, body)
      }
      for (const { headers } of upstream.seen) {
        assert.doesNotHaveAnyKeys(headers, ["upgrade", "http2-settings"])
        assert.strictEqual(headers.authorization, `Bearer ${SECRET}`)
      }
    })
  }
})

describe("a stream in place of the connection", () => {
  const rows = [
    ["SPDY/3.1", "POST /api/v1/namespaces/x/pods/y/exec?command=sh", "", "SPDY/3.1 of Kubernetes"],
    ["tcp", "POST /v1.51/exec/1/start", "{\"Detach\":false}", "tcp of Docker, after a body"],
    ["tcp", "POST /v1.51/containers/1/attach?stream=1", "", "tcp of Docker"]
  ] as const
  for (const [protocol, line, body, what] of rows) {
    live(`carries bytes in both directions, without the secret: ${what}`, function*() {
      const { events, exchange, upstream, wire } = yield* proxied()
      let received = ""
      upstream.server.on("upgrade", (incoming: Http.IncomingMessage, socket: Duplex, early: Buffer) => {
        received = early.toString()
        socket.on("error", () => {}).on("data", (chunk: Buffer) => {
          received += chunk.toString("latin1")
          if (received.endsWith("exit\n")) socket.end()
        })
        socket.write(`HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: ${incoming.headers.upgrade}\r\n\r\n`)
        // Like the frames of Docker, of which the first bytes could be those of a WebSocket.
        socket.write(`\x01\0\0\0\0\0\0\x05hello\x02 ${incoming.headers.authorization} `)
      })
      const offer = `Connection: Upgrade\r\nUpgrade: ${protocol}\r\nContent-Length: ${body.length}\r\n`
      const response = yield* exchange(line, offer, body)
      assert.strictEqual(response.status, 101)
      assert.strictEqual(response.headers.get("upgrade"), protocol)
      wire.send("\x81\x02\0 exit\n")
      const heard = yield* promise(async () => (await wire.closed(), wire.text("never")))
      assert.strictEqual(heard, "\x01\0\0\0\0\0\0\x05hello\x02 Bearer credsvc-proxy-manage ")
      assert.notInclude(heard, SECRET)
      assert.strictEqual(received, `${body}\x81\x02\0 exit\n`)
      yield* promise(() => until(() => events.some(({ status }) => status === 101)))
    })
  }

  live("is a normal response if the server declines", function*() {
    const { exchange } = yield* proxied()
    const response = yield* exchange(
      "POST /exec",
      "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\nContent-Length: 0\r\n"
    )
    assert.strictEqual(response.status, 200)
  })
})
