import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import type * as Net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { vi } from "vitest"
import { type ChannelResponse, openDaemonChannel } from "../../src/client/DaemonChannel.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { live } from "../support/Fixture.ts"
import { listen } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const agreed = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: credsvc-resolve-2\r\n\r\n"

const slowly = (socket: Net.Socket, text: string): void => {
  const bytes = Buffer.from(text)
  let at = 0
  const timer = setInterval(() => {
    socket.write(bytes.subarray(at, ++at))
    if (at === bytes.length) clearInterval(timer)
  }, 1)
}

type Responder = (query: string, socket: Net.Socket) => void

const echo: Responder = (query, socket) => void socket.write(`200 ${query}\n`)

/** A server that responds to the head of each connection with `opening`, and calls `respond` for each query. */
const openChannel = (respond: Responder = echo, opening = agreed, timeout = 20_000) =>
  Effect.gen(function*() {
    const sockets: Array<Net.Socket> = []
    const heads: Array<string> = []
    const server = builtins.net.createServer((socket) => {
      sockets.push(socket)
      socket.on("error", () => {})
      let received = ""
      let open = false
      socket.on("data", (chunk: Buffer) => {
        received += chunk.toString("utf8")
        if (!open) {
          const end = received.indexOf("\r\n\r\n")
          if (end === -1) return
          open = true
          heads.push(received.slice(0, end + 4))
          received = received.slice(end + 4)
          socket.write(opening)
        }
        if (!received.endsWith("\n")) return
        const query = received.slice(0, -1)
        received = ""
        respond(query, socket)
      })
    })
    const { port } = yield* listen(server)
    const ours: Array<Net.Socket> = []
    const channel = openDaemonChannel({
      path: "/credentials/resolve",
      timeout,
      connect: () =>
        new Promise((resolve, reject) => {
          const socket = builtins.net.connect(port, "127.0.0.1", () => resolve(socket.off("error", reject)))
          ours.push(socket)
          socket.once("error", reject)
        })
    })
    const close = Effect.sync(() => channel.close())
    yield* Effect.addFinalizer(() => close)
    const request = (query: string, head = "Host: a\r\n") =>
      Effect.promise(() => new Promise<ChannelResponse | undefined>((resolve) => channel.ask(head, query, resolve)))
    return { channel, close, heads, ours, request, server, sockets }
  })

describe("DaemonChannel", () => {
  live("sends consecutive requests on one connection, including text outside ASCII", function*() {
    const { heads, request, sockets } = yield* openChannel()
    for (const body of ["one", "zwei €", ""]) assert.deepStrictEqual(yield* request(body), { status: 200, body })
    assert.lengthOf(sockets, 1)
    assert.deepStrictEqual(heads, [
      "GET /credentials/resolve HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: credsvc-resolve-2\r\n" +
      "credsvc-mark: read\r\n\r\n"
    ])
  })

  live("assembles replies that arrive byte by byte, and uses one connection per concurrent request", function*() {
    const { request, sockets } = yield* openChannel((query, socket) => slowly(socket, `404 ${query}\n`))
    for (const queries of [["a", "b", "c"], ["d", "e", "f"]]) {
      const responses = yield* Effect.all(queries.map((query) => request(query)), { concurrency: "unbounded" })
      assert.deepStrictEqual(responses, queries.map((body) => ({ status: 404, body })))
    }
    assert.lengthOf(sockets, 3)
  })

  live("sends the query only after the daemon has accepted the upgrade, however long that takes", function*() {
    const { request, server } = yield* openChannel(echo, "")
    server.on("connection", (socket) => slowly(socket, agreed))
    assert.strictEqual((yield* request("a"))?.body, "a")
  })

  const marked = "0123456789abcdef"

  live("reuses a reply for 200 ms while the change mark is unchanged and the connection is open", function*() {
    const file = path.join(
      yield* Effect.acquireRelease(
        Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "credsvc mark "))),
        (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
      ),
      "€"
    )
    const write = (content: string) => Effect.sync(() => fs.writeFileSync(file, content))
    yield* write(marked)
    const opening = agreed.replace(/\r\n$/, `Credsvc-Mark: ${encodeURIComponent(file)}\r\n\r\n`)
    const now = vi.spyOn(performance, "now").mockReturnValue(1000)
    yield* Effect.addFinalizer(() => Effect.sync(() => now.mockRestore()))
    const { close, request } = yield* openChannel((query, socket) => {
      // The time counts from the query.
      now.mockReturnValue(1010)
      socket.write(query === "bare" ? "200 {}\n" : `200 @${marked} {}\n`)
    }, opening)
    const ask = Effect.andThen(Effect.sync(() => now.mockReturnValue(1000)), request("a"))
    const response = yield* ask
    assert.strictEqual(response?.body, "{}")
    const validity = () => response?.validity?.()
    for (const [time, expected] of [[1170, "valid"], [1171, "expiring"], [1200, "over"], [1199, "expiring"]] as const) {
      now.mockReturnValue(time)
      assert.strictEqual(validity(), expected)
    }
    for (const other of ["0123456789abcdeg", "0123456789abcde", ""]) {
      yield* write(other)
      assert.strictEqual(validity(), "over", other)
    }
    yield* write(marked)
    assert.strictEqual(validity(), "expiring")
    assert.isUndefined((yield* request("bare"))?.validity)
    yield* close
    yield* Effect.promise(() => until(() => validity() === "over"))
  })

  live("sends each query instead of reusing a reply while it cannot open or read the change mark", function*() {
    for (const file of ["/absent/file", os.tmpdir()]) {
      const opening = agreed.replace(/\r\n$/, `Credsvc-Mark: ${encodeURIComponent(file)}\r\n\r\n`)
      const { request } = yield* openChannel((_, socket) => socket.write(`200 @${marked} {}\n`), opening)
      const response = yield* request("a")
      assert.deepStrictEqual([response?.body, response?.validity?.()], ["{}", "over"], file)
    }
  })

  live("accepts a reply of 1 MiB", function*() {
    const body = "x".repeat(2 ** 20 - "200 \n".length)
    const { request } = yield* openChannel((_, socket) => socket.write(`200 ${body}\n`))
    assert.strictEqual((yield* request("a"))?.body, body)
  })

  const invalid: ReadonlyArray<readonly [string, string]> = [
    ["consists of two replies", "200 {}\n200 {}\n"],
    ["has no status", "{}\n"],
    ["has an invalid status", "999 {}\n"],
    ["has no space after its status", "200{}\n"],
    ["is HTTP", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
    ["never ends", "x".repeat(2 ** 20 + 1)]
  ]
  for (const [what, reply] of invalid) {
    live(`gives up on a reply that ${what}, and closes the connection`, function*() {
      const { request, sockets } = yield* openChannel((_, socket) => socket.write(reply))
      assert.isUndefined(yield* request("a"))
      assert.isUndefined(yield* request("b"))
      assert.lengthOf(sockets, 2)
    })
  }

  const openings: ReadonlyArray<readonly [string, string]> = [
    ["refuses the upgrade", "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"],
    ["responds before the query", `${agreed}200 {}\n`],
    ["does not speak HTTP", "hello\r\n\r\n"],
    ["never completes its response head", "HTTP/1.1 101 Switching Protocols\r\n".repeat(1000)]
  ]
  for (const [what, opening] of openings) {
    live(`sends no query to a daemon that ${what}`, function*() {
      const queries: Array<string> = []
      const { request } = yield* openChannel((query) => void queries.push(query), opening)
      assert.isUndefined(yield* request("a"))
      assert.deepStrictEqual(queries, [])
    })
  }

  live("uses a connection only for the run that opened it, and closes the connection of another run", function*() {
    const { heads, request, sockets } = yield* openChannel()
    for (const run of ["a", "b", "b"]) yield* request("{}", `credsvc-run: ${run}\r\n`)
    assert.deepStrictEqual(heads.map((head) => /credsvc-run: (.)/.exec(head)?.[1]), ["a", "b"])
    yield* Effect.promise(() => until(() => sockets[0]?.destroyed === true))
  })

  live("keeps four idle connections and closes the others", function*() {
    const { request, sockets } = yield* openChannel()
    const requestAll = (count: number) =>
      Effect.all(Array.from({ length: count }, () => request("a")), { concurrency: "unbounded" })
    yield* requestAll(6)
    yield* Effect.promise(() => until(() => sockets.filter(({ destroyed }) => destroyed).length === 2))
    yield* requestAll(4)
    assert.lengthOf(sockets, 6)
  })

  live("ignores a reply that precedes its query", function*() {
    const { request, sockets } = yield* openChannel()
    yield* request("a")
    sockets[0]?.write("200 stale\n")
    yield* Effect.promise(() => until(() => sockets[0]?.destroyed === true))
    assert.strictEqual((yield* request("b"))?.body, "b")
    assert.lengthOf(sockets, 2)
  })

  live(
    "responds once, with undefined, if the channel is closed or the connection is reset during a query",
    function*() {
      const { channel, close, sockets } = yield* openChannel((query, socket) => {
        if (query === "reset") socket.resetAndDestroy()
        else channelClosed()
      })
      let channelClosed = () => {}
      for (const query of ["reset", "close"]) {
        const responses: Array<ChannelResponse | undefined> = []
        channelClosed = () => Effect.runSync(close)
        channel.ask("Host: a\r\n", query, (response) => responses.push(response))
        yield* Effect.promise(() => until(() => responses.length > 0 && sockets.every(({ destroyed }) => destroyed)))
        assert.deepStrictEqual(responses, [undefined], query)
      }
    }
  )

  live("gives up when the connection closes, when no reply arrives, and when no server listens", function*() {
    const { request, server, sockets } = yield* openChannel(
      (query, socket) => {
        if (query === "close") socket.destroy()
      },
      agreed,
      500
    )
    assert.isUndefined(yield* request("close"))
    assert.isUndefined(yield* request("silence"))
    server.close()
    for (const socket of sockets) socket.destroy()
    assert.isUndefined(yield* request("refused"))
  })

  live("opens a new connection as soon as the daemon has closed an idle one", function*() {
    const { channel, ours, request, sockets } = yield* openChannel()
    yield* request("a")
    const closed = new Promise((resolve) => ours[0]!.once("close", resolve))
    const next = new Promise<ChannelResponse | undefined>((resolve) =>
      ours[0]!.once("end", () => channel.ask("Host: a\r\n", "b", resolve))
    )
    sockets[0]!.end()
    assert.strictEqual((yield* Effect.promise(() => next))?.body, "b")
    assert.lengthOf(sockets, 2)
    yield* Effect.promise(() => closed)
    const destroy = vi.spyOn(ours[0]!, "destroy")
    channel.close()
    assert.strictEqual(destroy.mock.calls.length, 0)
  })
})
