import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Net from "node:net"
import { vi } from "vitest"
import { type ChannelAnswer, openDaemonChannel } from "../../src/client/DaemonChannel.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { until } from "../support/ProxyHarness.ts"

const agreed = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: credsvc-resolve\r\n\r\n"

const slowly = (socket: Net.Socket, text: string): void => {
  const bytes = Buffer.from(text)
  let at = 0
  const timer = setInterval(() => {
    socket.write(bytes.subarray(at, ++at))
    if (at === bytes.length) clearInterval(timer)
  }, 1)
}

/**
 * A server that responds to the head of each connection with `opening`, and to each query with the result of `reply`.
 */
const setUp = (reply: (question: string, socket: Net.Socket) => void, opening = agreed, timeout = 20_000) =>
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
        const question = received.slice(0, -1)
        received = ""
        reply(question, socket)
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
    const ours: Array<Net.Socket> = []
    const channel = openDaemonChannel({
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
    const ask = (question: string, head = "Host: a\r\n") =>
      Effect.promise(() => new Promise<ChannelAnswer | undefined>((resolve) => channel.ask(head, question, resolve)))
    return { ask, channel, close, heads, ours, sockets, server }
  })

describe("DaemonChannel", () => {
  it.live("sends consecutive requests on one connection, including text outside ASCII", () =>
    Effect.gen(function*() {
      const { ask, heads, sockets } = yield* setUp((question, socket) => socket.write(`200 ${question}\n`))
      for (const body of ["one", "zwei €", ""]) assert.deepStrictEqual(yield* ask(body), { status: 200, body })
      assert.lengthOf(sockets, 1)
      assert.deepStrictEqual(heads, [
        "GET /credentials/resolve HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: credsvc-resolve\r\n\r\n"
      ])
    }).pipe(Effect.scoped))

  it.live("assembles replies that arrive byte by byte, and uses one connection per concurrent request", () =>
    Effect.gen(function*() {
      const { ask, sockets } = yield* setUp((question, socket) => slowly(socket, `404 ${question}\n`))
      for (const questions of [["a", "b", "c"], ["d", "e", "f"]]) {
        const answers = yield* Effect.all(questions.map((question) => ask(question)), { concurrency: "unbounded" })
        assert.deepStrictEqual(answers, questions.map((body) => ({ status: 404, body })))
      }
      assert.lengthOf(sockets, 3)
    }).pipe(Effect.scoped))

  it.live("sends the query once the daemon has accepted, however long that takes", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* setUp((question, socket) => socket.write(`200 ${question}\n`), "")
      server.on("connection", (socket) => slowly(socket, agreed))
      assert.strictEqual((yield* ask("a"))?.body, "a")
    }).pipe(Effect.scoped))

  it.live("accepts a reply of a mebibyte", () =>
    Effect.gen(function*() {
      const body = "x".repeat(2 ** 20 - "200 \n".length)
      const { ask } = yield* setUp((_question, socket) => socket.write(`200 ${body}\n`))
      assert.strictEqual((yield* ask("a"))?.body, body)
    }).pipe(Effect.scoped))

  const strange: ReadonlyArray<readonly [string, string]> = [
    ["is two", "200 {}\n200 {}\n"],
    ["has no status", "{}\n"],
    ["has a status that is none", "999 {}\n"],
    ["has no space behind its status", "200{}\n"],
    ["is HTTP", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
    ["never ends", "x".repeat(2 ** 20 + 1)]
  ]
  for (const [what, answer] of strange) {
    it.live(`gives up on a reply that ${what}, and closes the connection`, () =>
      Effect.gen(function*() {
        const { ask, sockets } = yield* setUp((_question, socket) => socket.write(answer))
        assert.isUndefined(yield* ask("a"))
        assert.isUndefined(yield* ask("b"))
        assert.lengthOf(sockets, 2)
      }).pipe(Effect.scoped))
  }

  const openings: ReadonlyArray<readonly [string, string]> = [
    ["refuses", "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"],
    ["answers before it is asked", `${agreed}200 {}\n`],
    ["does not speak HTTP", "hello\r\n\r\n"],
    ["never comes to an end", "HTTP/1.1 101 Switching Protocols\r\n".repeat(1000)]
  ]
  for (const [what, opening] of openings) {
    it.live(`sends no query to a daemon that ${what}`, () =>
      Effect.gen(function*() {
        const asked: Array<string> = []
        const { ask } = yield* setUp((question) => void asked.push(question), opening)
        assert.isUndefined(yield* ask("a"))
        assert.deepStrictEqual(asked, [])
      }).pipe(Effect.scoped))
  }

  it.live("uses a connection only for the run that opened it, and closes that of another run", () =>
    Effect.gen(function*() {
      const { ask, heads, sockets } = yield* setUp((question, socket) => socket.write(`200 ${question}\n`))
      for (const run of ["a", "b", "b"]) yield* ask("{}", `credsvc-run: ${run}\r\n`)
      assert.deepStrictEqual(heads.map((head) => /credsvc-run: (.)/.exec(head)?.[1]), ["a", "b"])
      yield* Effect.promise(() => until(() => sockets[0]?.destroyed === true))
    }).pipe(Effect.scoped))

  it.live("keeps four idle connections and closes the others", () =>
    Effect.gen(function*() {
      const { ask, sockets } = yield* setUp((question, socket) => socket.write(`200 ${question}\n`))
      const askAll = (count: number) =>
        Effect.all(Array.from({ length: count }, () => ask("a")), { concurrency: "unbounded" })
      yield* askAll(6)
      yield* Effect.promise(() => until(() => sockets.filter(({ destroyed }) => destroyed).length === 2))
      yield* askAll(4)
      assert.lengthOf(sockets, 6)
    }).pipe(Effect.scoped))

  it.live("ignores a reply that precedes its query", () =>
    Effect.gen(function*() {
      const { ask, sockets } = yield* setUp((question, socket) => socket.write(`200 ${question}\n`))
      yield* ask("a")
      sockets[0]?.write("200 stale\n")
      yield* Effect.promise(() => until(() => sockets[0]?.destroyed === true))
      assert.strictEqual((yield* ask("b"))?.body, "b")
      assert.lengthOf(sockets, 2)
    }).pipe(Effect.scoped))

  it.live("calls back once, with undefined, when it is closed or its connection is reset meanwhile", () =>
    Effect.gen(function*() {
      const { channel, close, sockets } = yield* setUp((question, socket) => {
        if (question === "reset") socket.resetAndDestroy()
        else channelClosed()
      })
      let channelClosed = () => {}
      for (const question of ["reset", "close"]) {
        const answers: Array<ChannelAnswer | undefined> = []
        channelClosed = () => Effect.runSync(close)
        channel.ask("Host: a\r\n", question, (answer) => answers.push(answer))
        yield* Effect.promise(() => until(() => answers.length > 0 && sockets.every(({ destroyed }) => destroyed)))
        assert.deepStrictEqual(answers, [undefined], question)
      }
    }).pipe(Effect.scoped))

  it.live("gives up when the connection closes, when no reply arrives, and when no server listens", () =>
    Effect.gen(function*() {
      const { ask, server, sockets } = yield* setUp(
        (question, socket) => {
          if (question === "close") socket.destroy()
        },
        agreed,
        500
      )
      assert.isUndefined(yield* ask("close"))
      assert.isUndefined(yield* ask("silence"))
      server.close()
      for (const socket of sockets) socket.destroy()
      assert.isUndefined(yield* ask("nobody"))
    }).pipe(Effect.scoped))

  it.live("opens a new connection as soon as the daemon has closed an idle one", () =>
    Effect.gen(function*() {
      const { ask, channel, ours, sockets } = yield* setUp((question, socket) => socket.write(`200 ${question}\n`))
      yield* ask("a")
      const closed = new Promise((resolve) => ours[0]!.once("close", resolve))
      const next = new Promise<ChannelAnswer | undefined>((resolve) =>
        ours[0]!.once("end", () => channel.ask("Host: a\r\n", "b", resolve))
      )
      sockets[0]!.end()
      assert.strictEqual((yield* Effect.promise(() => next))?.body, "b")
      assert.lengthOf(sockets, 2)
      yield* Effect.promise(() => closed)
      const destroy = vi.spyOn(ours[0]!, "destroy")
      channel.close()
      assert.strictEqual(destroy.mock.calls.length, 0)
    }).pipe(Effect.scoped))
})
