import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http from "node:http"
import { listen } from "../../../src/server/http/HttpListener.ts"
import { live } from "../../support/Fixture.ts"
import { connected } from "../../support/TestServer.ts"

const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`

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

describe("pipelined requests", () => {
  live("are handled one after the other, while other clients are served", function*() {
    const { port, responses, until } = yield* held
    const socket = yield* connected(port)
    socket.write(get("/one") + get("/two") + get("/three"))
    yield* until(1)
    const other = yield* connected(port)
    other.write(get("/other"))
    yield* until(2)
    assert.deepStrictEqual(responses.map(({ req }) => req.url), ["/one", "/other"])
    responses[0]!.end("one")
    yield* until(3)
    responses[2]!.end("two")
    yield* until(4)
    assert.deepStrictEqual(responses.map(({ req }) => req.url), ["/one", "/other", "/two", "/three"])
    responses[3]!.end("three")
    socket.write(get("/four"))
    yield* until(5)
    assert.strictEqual(responses[4]!.req.url, "/four", "the connection is read again")
  })

  live("end the connection of a client that sends too many of them", function*() {
    const { port, responses, until } = yield* held
    const socket = yield* connected(port)
    const closed = Effect.callback<void>((resume) => void socket.once("close", () => resume(Effect.void)))
    socket.resume().write(get("/").repeat(1000))
    yield* until(1)
    yield* closed
    assert.lengthOf(responses, 1)
  })
})
