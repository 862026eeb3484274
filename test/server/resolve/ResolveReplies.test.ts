/** Resolve channels on real sockets, with replies that the test sends or withholds. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Net from "node:net"
import { maxQueryBytes, type Query } from "../../../src/domain/wire/ResolveMessages.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { CallerAdmission } from "../../../src/server/http/CallerAdmission.ts"
import type { Channel } from "../../../src/server/http/HttpListener.ts"
import { Instance } from "../../../src/server/http/Instance.ts"
import { PeerAdmission } from "../../../src/server/http/PeerAdmission.ts"
import { ChangeMark } from "../../../src/server/resolve/ChangeMark.ts"
import * as ResolveChannel from "../../../src/server/resolve/ResolveChannel.ts"
import type { Caller, Reply } from "../../../src/server/resolve/ResolveReplies.ts"
import { live } from "../../support/Fixture.ts"
import { testInstance } from "../../support/TestInstance.ts"
import { connected, listen } from "../../support/TestServer.ts"

interface Asked {
  readonly caller: Caller
  readonly query: Query
  readonly reply: Reply
  abandoned: number
}

interface Conversation {
  /** Undefined if the upgrade was rejected. */
  readonly channel: Channel | undefined
  /** The daemon's end of the connection. */
  readonly socket: Net.Socket
  readonly client: Net.Socket
  readonly received: () => string
  readonly queries: ReadonlyArray<Asked>
  /** Resolves after this many queries. */
  readonly asked: (count: number) => Promise<Asked>
  /** Resolves once the received bytes end with this text. */
  readonly until: (end: string) => Promise<void>
  /** Resolves when the client sees the end of the connection. */
  readonly closed: Promise<void>
}

const opened = (
  options: { readonly readsMark?: boolean } = {}
): Effect.Effect<Conversation, never, Scope.Scope> =>
  Effect.gen(function*() {
    const server = builtins.http.createServer()
    const { port } = yield* listen(server)
    const queries: Array<Asked> = []
    let look = (): void => {}
    const ask = (caller: Caller, query: Query, reply: Asked["reply"]) => {
      const asked: Asked = { caller, query, reply, abandoned: 0 }
      queries.push(asked)
      look()
      return () => {
        asked.abandoned++
      }
    }
    const unused = Effect.die("not asked for")
    const handler = yield* ResolveChannel.make(ask).pipe(Effect.provide(Layer.mergeAll(
      Layer.succeed(CallerAdmission, {
        isLocal: () => true,
        isScrape: () => false,
        admit: () => Effect.die("not used"),
        isSignedBy: () => Effect.die("not used")
      }),
      Layer.succeed(ChangeMark, { path: "/home/a b/€", current: () => undefined, replace: () => {} }),
      Layer.succeed(Instance, testInstance({ port })),
      Layer.succeed(
        PeerAdmission,
        PeerAdmission.of({
          isAdmitted: () => true,
          hasProved: () => assert.fail("hasProved must not be called"),
          admit: () => unused
        })
      )
    )))

    const upgraded = new Promise<{ readonly channel: Channel | undefined; readonly socket: Net.Socket }>((resolve) =>
      server.once("upgrade", (request, _, head) => {
        const { socket } = request
        resolve({ channel: handler(request, socket, head), socket })
      })
    )
    const client = yield* connected(port)
    let received = ""
    client.on("data", (chunk: Buffer) => {
      received += chunk.toString()
    })
    const closed = new Promise<void>((resolve) => client.once("close", () => resolve()))
    client.write(
      `GET /credentials/resolve HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\n` +
        `Upgrade: credsvc-resolve-2\r\n${options.readsMark === true ? "Credsvc-Mark: read\r\n" : ""}\r\n`
    )
    const { channel, socket } = yield* Effect.acquireRelease(
      Effect.promise(() => upgraded),
      ({ socket }) => Effect.sync(() => socket.destroy())
    )
    const until = (end: string) =>
      new Promise<void>((resolve) => {
        const check = () => received.endsWith(end) && resolve()
        client.on("data", check)
        check()
      })
    const asked = (count: number) =>
      new Promise<Asked>((resolve) => {
        look = () => queries.length >= count && resolve(queries[count - 1]!)
        look()
      })
    if (channel !== undefined) yield* Effect.promise(() => until("\r\n\r\n"))
    return { channel, socket, client, received: () => received, queries, asked, until, closed }
  })

const channelTest = (title: string, body: (conversation: Conversation) => Promise<void>) =>
  live(title, function*() {
    const open = yield* opened()
    yield* Effect.promise(() => body(open))
  })

describe("ResolveChannel connection", () => {
  live(
    "names the file of the change mark to a client that asks for it, and sends the mark of each reply before its body",
    function*() {
      for (const readsMark of [true, false]) {
        const { asked, client, received, until } = yield* opened({ readsMark })
        assert.strictEqual(
          /credsvc-mark: (.*)\r\n/.exec(received())?.[1],
          readsMark ? "%2Fhome%2Fa%20b%2F%E2%82%AC" : undefined
        )
        client.write("{}\n")
        const { caller, reply } = yield* Effect.promise(() => asked(1))
        assert.strictEqual(caller.readsMark, readsMark)
        reply(200, "{}", "0123456789abcdef")
        yield* Effect.promise(() => until("\n200 @0123456789abcdef {}\n"))
      }
    }
  )

  channelTest("closes after a minute without a query, but never during one", async (open) => {
    const { asked, client, closed, socket, until } = open
    assert.strictEqual(socket.timeout, 60_000)
    client.write("{}\n")
    const { reply } = await asked(1)
    socket.emit("timeout")
    assert.isFalse(socket.destroyed)
    reply(200, "{}")
    await until("\n200 {}\n")
    socket.emit("timeout")
    assert.isTrue(socket.destroyed)
    await closed
  })

  const disconnects: ReadonlyArray<readonly [title: string, abandoned: Array<number>]> = [
    ["cancels the query in progress when the client disconnects, and no earlier one", [0, 1]],
    ["cancels nothing when the client disconnects between two queries", [0]]
  ]
  for (const [title, expected] of disconnects) {
    channelTest(title, async (open) => {
      const { asked, client, queries, socket, until } = open
      const gone = new Promise((resolve) => socket.once("close", resolve))
      client.write("{}\n")
      const first = await asked(1)
      first.reply(200, "{}")
      await until("\n200 {}\n")
      if (expected.length === 2) {
        client.write("routes\n")
        await asked(2)
      }
      client.destroy()
      await gone
      assert.deepStrictEqual(queries.map(({ abandoned }) => abandoned), expected)
      queries[1]?.reply(200, "{}")
    })
  }

  channelTest("closes immediately if the daemon stops between two queries", async ({ channel, closed }) => {
    channel?.finish()
    await closed
  })

  channelTest("replies to the query in progress if the daemon stops, and closes after it", async (open) => {
    const { asked, channel, client, closed, queries, received, socket } = open
    client.write("{}\n")
    const { reply } = await asked(1)
    channel?.finish()
    assert.isFalse(socket.writableEnded)
    reply(200, "{\"last\":1}")
    await closed
    assert.match(received(), /\n200 \{"last":1\}\n$/)
    assert.lengthOf(queries, 1)
  })

  channelTest(
    "accepts a query in several segments, up to the maximum length",
    async ({ asked, client, closed, until }) => {
      const longest = "x".repeat(maxQueryBytes)
      client.write(longest.slice(0, 7))
      await new Promise((resolve) => setImmediate(resolve))
      client.write(`${longest.slice(7)}\n`)
      const { query, reply } = await asked(1)
      assert.deepStrictEqual(query, { _tag: "resolve", body: longest })
      reply(200, "")
      await until("\n200 \n")
      client.write(`${longest}x\n`)
      await closed
    }
  )
})
