import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fs from "node:fs"
import type * as Http from "node:http"
import type * as Net from "node:net"
import * as path from "node:path"
import { builtins } from "../../../src/platform/builtins.ts"
import { listen } from "../../../src/server/http/HttpListener.ts"
import { live } from "../../support/Fixture.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { connected, LARGE, readSlowly, sendLarge } from "../../support/TestServer.ts"

const closed = (socket: Net.Socket) =>
  Effect.callback<void>((resume) => void socket.once("close", () => resume(Effect.void)))

const getOf = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`
const get = getOf("/")
const megabyte = Buffer.alloc(1024 * 1024)

describe("Listener", () => {
  live("closes the connection of a client that does not read its response, even while more is written", function*() {
    const listener = yield* listen("127.0.0.1", 0, { unreadMilliseconds: 300 })
    const responses: Array<Http.ServerResponse> = []
    listener.serve({
      request: (_, response) => {
        responses.push(response)
        response.write(Buffer.alloc(16 * megabyte.length))
        const more = setInterval(() => response.write(megabyte), 50)
        response.once("close", () => clearInterval(more))
      }
    })
    const socket = yield* connected(listener.port)
    socket.pause().write(get)
    yield* Effect.callback<void>((resume) => {
      const look = setInterval(() => {
        if (responses[0]?.destroyed !== true) return
        clearInterval(look)
        resume(Effect.void)
      }, 10)
    })
  }, 15_000)

  live("keeps the connection of a client that waits for its response or reads it slowly", function*() {
    const listener = yield* listen("127.0.0.1", 0, { unreadMilliseconds: 1500 })
    listener.serve({
      request: (request, response) => {
        if (request.url === "/late") return void setTimeout(() => response.end("late"), 3000)
        sendLarge(response)
      }
    })
    const waiting = yield* connected(listener.port)
    waiting.write(getOf("/late"))
    const slow = yield* connected(listener.port)
    slow.write(get)
    const responded = Effect.callback<string>((resume) =>
      void waiting.once("data", (chunk) => resume(Effect.succeed(String(chunk))))
    )
    const [late, size] = yield* Effect.all([responded, readSlowly(slow)], { concurrency: 2 })
    assert.match(late, /late$/)
    assert.isAbove(size, LARGE)
  }, 15_000)

  live("reports a malformed request only to admitted peers, and only once admission is decided", function*() {
    const listener = yield* listen("127.0.0.1", 0)
    const responseTo = (text: string) =>
      Effect.gen(function*() {
        const socket = yield* connected(listener.port)
        let response = ""
        socket.on("data", (chunk) => {
          response += String(chunk)
        })
        socket.write(text)
        yield* closed(socket)
        return response
      })
    const wrong = ["no request\r\n\r\n", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"]
    for (const text of wrong) assert.strictEqual(yield* responseTo(text), "")
    for (const admitted of [false, true]) {
      listener.serve({
        request: (_, response) => response.end(),
        admission: { isAdmitted: () => false, admit: (_, decided) => void setTimeout(() => decided(admitted), 20) }
      })
      for (const text of [...wrong, get.replace("\r\n\r\n", "\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")]) {
        const response = yield* responseTo(text)
        if (admitted) assert.match(response, /^HTTP\/1\.1 40[05] .*RequestRefusedError/s)
        else assert.strictEqual(response, "")
      }
    }
  }, 15_000)

  it.live("removes its socket before it closes, and finishes requests in progress within its grace period", () =>
    Effect.scoped(Effect.gen(function*() {
      const socketPath = path.join(yield* temporaryDirectory, "front.sock")
      const listener = yield* listen("", 0, { socketPath, graceMilliseconds: 60_000 })
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const { promise: received, resolve: receive } = Promise.withResolvers<void>()
      listener.serve({
        request: (_, response) => {
          receive()
          void released.then(() => response.end("done"))
        }
      })
      const answer = yield* Effect.forkChild(Effect.promise(() =>
        new Promise<number | undefined>((resolve, reject) => {
          builtins.http.get(
            { socketPath, path: "/", agent: false },
            (response) => resolve(response.resume().statusCode)
          )
            .on("error", reject)
        })
      ))
      yield* Effect.promise(() => received)
      const closing = yield* Effect.forkChild(listener.close)
      // Longer than requests have without another grace period.
      yield* Effect.sleep(2000)
      assert.isFalse(fs.existsSync(socketPath))
      release()
      assert.strictEqual(yield* Fiber.join(answer), 200)
      yield* Fiber.join(closing)
    })))
})

/** A listener whose handler leaves its responses to the test. */
const held = Effect.gen(function*() {
  const responses: Array<Http.ServerResponse> = []
  let arrived = (): void => {}
  const listener = yield* listen("127.0.0.1", 0)
  listener.serve({
    request: (_, response) => {
      responses.push(response)
      arrived()
    }
  })
  const until = (count: number) =>
    Effect.callback<void>((resume) => {
      arrived = () => responses.length >= count && resume(Effect.void)
      arrived()
    })
  return { port: listener.port, responses, until }
})

describe("Listener › pipelined requests", () => {
  live("are handled one after the other, while other clients are served", function*() {
    const { port, responses, until } = yield* held
    const socket = yield* connected(port)
    socket.write(getOf("/one") + getOf("/two") + getOf("/three"))
    yield* until(1)
    const other = yield* connected(port)
    other.write(getOf("/other"))
    yield* until(2)
    assert.deepStrictEqual(responses.map(({ req }) => req.url), ["/one", "/other"])
    responses[0]!.end("one")
    yield* until(3)
    responses[2]!.end("two")
    yield* until(4)
    assert.deepStrictEqual(responses.map(({ req }) => req.url), ["/one", "/other", "/two", "/three"])
    responses[3]!.end("three")
    socket.write(getOf("/four"))
    yield* until(5)
    assert.strictEqual(responses[4]!.req.url, "/four", "the connection is read again")
  })

  live("end the connection of a client that sends too many of them", function*() {
    const { port, responses, until } = yield* held
    const socket = yield* connected(port)
    socket.resume().write(get.repeat(1000))
    yield* until(1)
    yield* closed(socket)
    assert.lengthOf(responses, 1)
  })
})
