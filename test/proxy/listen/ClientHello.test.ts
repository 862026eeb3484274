import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Tls from "node:tls"
import { builtins } from "../../../src/platform/builtins.ts"
import { readClientHello } from "../../../src/proxy/listen/ClientHello.ts"
import * as fc from "../../support/FastCheck.ts"
import { live } from "../../support/Fixture.ts"
import { HOST } from "../../support/ProxiedHost.ts"
import { listen } from "../../support/TestServer.ts"

/** The first bytes of a real client. */
const helloOf = (options: Tls.ConnectionOptions) =>
  Effect.gen(function*() {
    const hello = Promise.withResolvers<Buffer>()
    const { port } = yield* listen(builtins.net.createServer((socket) => void socket.once("data", hello.resolve)))
    builtins.tls.connect({ port, host: "127.0.0.1", ...options }).on("error", () => {})
    return yield* Effect.promise(() => hello.promise)
  })

describe("readClientHello", () => {
  live("reads the server name and the offered protocols", function*() {
    const offered = yield* helloOf({ servername: HOST, ALPNProtocols: ["h2", "http/1.1"] })
    assert.deepStrictEqual(readClientHello(offered), { serverName: HOST, protocols: ["h2", "http/1.1"] })
    const bare = yield* helloOf({})
    assert.deepStrictEqual(readClientHello(bare), { serverName: undefined, protocols: [] })
  })

  live("survives truncated and damaged messages", function*() {
    const hello = yield* helloOf({ servername: HOST, ALPNProtocols: ["h2", "http/1.1"] })
    for (let length = 0; length < hello.length; length++) {
      assert.isUndefined(readClientHello(hello.subarray(0, length)), `${length} bytes`)
    }
    const place = fc.integer({ min: 0, max: hello.length - 1 })
    fc.assert(fc.property(place, fc.integer({ min: 0, max: 255 }), (at, byte) => {
      const damaged = Buffer.from(hello)
      damaged[at] = byte
      readClientHello(damaged)
    }))
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      readClientHello(Buffer.from([0x16, 3, 1, 0, bytes.length, 1, ...bytes]))
    }))
  })
})
