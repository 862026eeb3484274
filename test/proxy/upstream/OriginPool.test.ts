/** Upstream connections that turn out to be closed before or after a request is sent on them. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http2 from "node:http2"
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import type { Protocol } from "../../../src/http/OutgoingRequest.ts"
import { DialError } from "../../../src/outbound/DialError.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import type { Origin } from "../../../src/proxy/routing/Origin.ts"
import { live, promise } from "../../support/Fixture.ts"
import { engineTo } from "../../support/InProcessRelay.ts"
import { dial, Wire } from "../../support/ProxyHarness.ts"
import { listen } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"
import { turn } from "../../support/UpstreamPeer.ts"

const HOST = "api.example.com"
const origin: Origin = {
  scheme: "https",
  authority: { host: HOST, port: 443, kind: "name" },
  hostHeader: HOST,
  routes: undefined
}

/** The number of responses on a connection before the next request closes it; below zero it is closed before the first. */
type Bears = number

/** An upstream, an engine that reaches it without TLS, and a client. `requested`: the methods received on each connection. */
const setUp = (protocol: Protocol, bears: ReadonlyArray<Bears>) =>
  Effect.gen(function*() {
    const requested: Array<Array<string>> = []
    const server = builtins.http.createServer((incoming, response) => {
      incoming.resume().on("end", () => respond(incoming.socket, incoming.method, () => response.end()))
    })
    const serving = new Map<Net.Socket, number>()
    const respond = (socket: Net.Socket, method = "", write: () => void): void => {
      const at = serving.get(socket) ?? 0
      requested[at]?.push(method)
      if ((requested[at]?.length ?? 0) > (bears[at] ?? Infinity)) socket.destroy()
      else write()
    }
    const { port } = yield* listen(builtins.net.createServer((socket) => {
      const at = requested.push([]) - 1
      serving.set(socket, at)
      if ((bears[at] ?? Infinity) < 0) return void socket.end()
      if (protocol === "http/1.1") return void server.emit("connection", socket)
      const session = builtins.http2.performServerHandshake(socket)
      session.on("error", () => {})
      session.on("stream", (stream: Http2.ServerHttp2Stream, headers: Http2.IncomingHttpHeaders) => {
        stream.on("error", () => {})
        stream.resume().on(
          "end",
          () => respond(socket, headers[":method"], () => stream.respond({}, { endStream: true }))
        )
      })
    }))

    let connected = 0
    const tls = async (_target: unknown, _purpose: unknown, protocols: ReadonlyArray<string> = []) => {
      if (!protocols.includes(protocol)) throw new DialError("protocol", "another protocol")
      const socket = Object.assign(await dial(port), { alpnProtocol: protocol })
      if ((bears[connected++] ?? Infinity) < 0) await new Promise((resolve) => socket.resume().once("end", resolve))
      return socket as unknown as Tls.TLSSocket
    }
    const engine = engineTo({ tls })
    yield* Effect.addFinalizer(() => Effect.sync(() => engine.close()))

    const proxy = yield* listen(
      builtins.net.createServer((socket) => engine.serve(socket as Tls.TLSSocket, socket, origin))
    )
    const wire = new Wire(yield* promise(() => dial(proxy.port)))
    const send = (method: string, body?: string) => {
      const length = body === undefined ? "" : `Content-Length: ${body.length}\r\n`
      wire.send(`${method} / HTTP/1.1\r\nHost: ${HOST}\r\n${length}\r\n${body ?? ""}`)
      return Effect.map(promise(() => wire.response(method)), ({ status }) => status)
    }
    const prepare = promise(async () => {
      engine.expect(origin, protocol)
      await until(() => connected === 1)
      await turn()
    })
    return { send, requested, prepare }
  })

for (const protocol of ["http/1.1", "h2"] as const) {
  describe(`an upstream connection over ${protocol}`, () => {
    live("is replaced if it is closed before any request is sent on it", function*() {
      for (const [method, body] of [["GET"], ["POST"], ["POST", "body"], ["PUT", "body"]] as const) {
        const { send, requested } = yield* setUp(protocol, [-1])
        assert.strictEqual(yield* send(method, body), 200)
        assert.deepStrictEqual(requested, [[], [method]])
      }
    })

    live("is replaced only once per request, and then the request fails", function*() {
      const { send, requested } = yield* setUp(protocol, [-1, -1])
      assert.strictEqual(yield* send("POST", "body"), 502)
      assert.deepStrictEqual(requested, [[], []])
    })

    for (const [how, bears] of [["made in advance", 0], ["used before", 1]] as const) {
      live(`that was ${how} and closes is replaced for idempotent requests (RFC 9110 section 9.2.2)`, function*() {
        const requests = [["GET", undefined, true], ["DELETE", undefined, true], ["POST", undefined, false], [
          "PUT",
          "body",
          false
        ]] as const
        for (const [method, body, repeated] of requests) {
          const { send, requested, prepare } = yield* setUp(protocol, [bears])
          if (bears === 0) yield* prepare
          else assert.strictEqual(yield* send("GET"), 200)
          const before = bears === 0 ? [] : ["GET"]
          assert.strictEqual(yield* send(method, body), repeated ? 200 : 502)
          assert.deepStrictEqual(requested, repeated ? [[...before, method], [method]] : [[...before, method]])
        }
      })
    }
  })
}
