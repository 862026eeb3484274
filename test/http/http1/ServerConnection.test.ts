/** HTTP/1.1 connections with the proxy's settings, without its handlers. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import type * as Net from "node:net"
import { vi } from "vitest"
import { Http1Server } from "../../../src/http/http1/Http1Server.ts"
import { ServerConnection } from "../../../src/http/http1/ServerConnection.ts"
import type { ServerRequest } from "../../../src/http/http1/ServerRequest.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { rejectBytes } from "../../../src/proxy/ProxyEvent.ts"
import { live, promise } from "../../support/Fixture.ts"
import { dial, Wire } from "../../support/ProxyHarness.ts"
import { listen } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"
import { turn } from "../../support/UpstreamPeer.ts"

/** Both ends of a connection, and the handler of its requests. */
const served = (requested: (message: ServerRequest, socket: Net.Socket) => void) =>
  Effect.gen(function*() {
    const accepted = Promise.withResolvers<Net.Socket>()
    const { port } = yield* listen(builtins.net.createServer({ allowHalfOpen: true }, accepted.resolve))
    const client = yield* Effect.acquireRelease(
      promise(() => dial(port)),
      (socket) => Effect.sync(() => socket.destroy())
    )
    const socket = yield* promise(() => accepted.promise)
    const connection = new ServerConnection(socket, {
      transport: socket,
      requested: (request) => requested(request, socket),
      closed: () => {},
      rejection: rejectBytes("", undefined)
    })
    return { client, connection, socket }
  })

const ok = (message: ServerRequest): void => message.response.send(200, "OK", [], "ok")
const LATER = 76_000
const HEAD = 10_000

const later = (connection: ServerConnection): void => {
  const now = performance.now()
  const clock = vi.spyOn(performance, "now").mockReturnValue(now + LATER)
  connection.enforceLimits(HEAD)
  clock.mockRestore()
}

describe("ServerConnection", () => {
  live("measures its limits with a monotonic clock", function*() {
    const { client, connection, socket } = yield* served(ok)
    client.write("GET / HTTP/1.1\r\nHost: ")
    yield* promise(() => once(socket, "data"))
    const wall = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 86_400_000)
    connection.enforceLimits(HEAD)
    wall.mockRestore()
    const wire = new Wire(client)
    wire.send("a\r\n\r\n")
    assert.strictEqual((yield* promise(() => wire.response())).status, 200)
    wire.send("GET / HTTP/1.1\r\nHost: ")
    yield* promise(() => once(socket, "data"))
    later(connection)
    assert.strictEqual((yield* promise(() => wire.response())).status, 408)
  })

  live("resets the connection if a trailer field cannot be sent", function*() {
    const { client } = yield* served((message) => {
      message.response.writeHead(200, "OK", [])
      message.response.write(Buffer.from("ok"))
      message.response.end(["x-sum", "1\r\nx-more: 2"])
    })
    const ended = new Promise<string>((resolve) =>
      client.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""))
    )
    client.resume()
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    assert.strictEqual(yield* promise(() => ended), "ECONNRESET")
  })

  live("stops reading requests while the client does not read the responses", function*() {
    let responses = 0
    const { client, socket } = yield* served((message) => {
      responses++
      message.response.send(405, "No", [], "x".repeat(1000))
    })
    const requests = 40_000
    client.pause()
    client.write("TRACE / HTTP/1.1\r\n\r\n".repeat(requests))
    // Until the client's receive buffer is full too.
    let before = -1
    let most = 0
    while (before !== responses) {
      before = responses
      for (let i = 0; i < 50; i++) {
        yield* promise(turn)
        most = Math.max(most, socket.writableLength)
      }
    }
    assert.isBelow(responses, requests)
    assert.isBelow(most, 256 * 1024)
    let received = 0
    client.on("data", (chunk: Buffer) => {
      received += chunk.length
    })
    client.resume()
    yield* promise(() => until(() => responses === requests))
    assert.isAbove(received, 1000 * responses / 2)
  })

  live("keeps unread bytes if more arrive in the event-loop turn of a response", function*() {
    const waiting: Array<ServerRequest> = []
    const { client, socket } = yield* served((message) => waiting.push(message))
    const wire = new Wire(client)
    wire.send("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\nGET /3")
    yield* promise(() => until(() => waiting.length === 1))
    ok(waiting[0]!)
    socket.emit("data", Buffer.from(" HTTP/1.1\r\n\r\n"))
    yield* promise(() => until(() => waiting.length === 2))
    ok(waiting[1]!)
    yield* promise(() => until(() => waiting.length === 3))
    assert.deepStrictEqual(waiting.map(({ target }) => target), ["/1", "/2", "/3"])
  })

  live("is closed if the rest of a body does not arrive after an early response", function*() {
    const { client, connection } = yield* served(ok)
    const wire = new Wire(client)
    assert.strictEqual((yield* wire.exchange("POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\nsome")).status, 200)
    connection.enforceLimits(HEAD)
    wire.send("more")
    yield* promise(turn)
    later(connection)
    yield* promise(() => wire.closed())
  })

  live("is not idle while a slow client reads a response", function*() {
    const body = Buffer.alloc(8 * 1024 * 1024, "x")
    const { client, connection, socket } = yield* served((message) => {
      message.response.writeHead(200, "OK", ["Content-Length", String(body.length)])
      message.response.write(body)
      message.response.end()
    })
    client.pause()
    client.write("GET / HTTP/1.1\r\n\r\n")
    yield* promise(() => until(() => socket.writableLength > 0))
    later(connection)
    const wire = new Wire(client)
    client.resume()
    const response = yield* promise(() => wire.response())
    assert.strictEqual(response.body.length, body.length)
    later(connection)
    yield* promise(() => wire.closed())
  })

  live("reads a limited amount ahead of a response, however small the chunks", function*() {
    const { socket } = yield* served(() => {})
    socket.emit("data", Buffer.from("GET / HTTP/1.1\r\n\r\n"))
    let pieces = 0
    while (!socket.isPaused() && pieces < 60_000) {
      socket.emit("data", Buffer.from("x"))
      pieces++
    }
    assert.isBelow(pieces, 2000)
  })

  const abandonments: ReadonlyArray<readonly [when: string, act: (client: Net.Socket, http: Http1Server) => void]> = [
    ["the server closes", (_, http) => http.close()],
    ["the client half-closes", (client) => client.end()]
  ]
  for (const [when, act] of abandonments) {
    live(`resets a response that the connection's end delimits if ${when}`, function*() {
      const http = new Http1Server({ headMilliseconds: HEAD, rejection: rejectBytes("", undefined) })
      const { client, socket } = yield* served(() => {})
      socket.removeAllListeners()
      http.serve(socket, (message) => {
        message.response.writeHead(200, "OK", [])
        message.response.write(Buffer.from("part"))
      })
      const wire = new Wire(client)
      wire.send("GET / HTTP/1.0\r\n\r\n")
      yield* promise(() => wire.text("part"))
      act(client, http)
      yield* promise(() => wire.closed())
      assert.isTrue(wire.failed)
    })
  }
})
