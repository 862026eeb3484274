/** The same exchanges between a client and an upstream, each over either protocol. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http from "node:http"
import type * as Http2 from "node:http2"
import { builtins } from "../../../src/platform/builtins.ts"
import { live, promise } from "../../support/Fixture.ts"
import { connectSession, responseOf } from "../../support/Http2Peers.ts"
import { certificate, HOST, proxyTo } from "../../support/ProxiedHost.ts"
import { secureTunnel } from "../../support/ProxyHarness.ts"
import { listen } from "../../support/TestServer.ts"

const digest = (data: Buffer | string) => builtins.crypto.createHash("sha256").update(data).digest("hex")
const LARGE = Buffer.alloc(3_000_000, "z")

type Request = Http.IncomingMessage | Http2.Http2ServerRequest
type Response = Http.ServerResponse & Http2.Http2ServerResponse

/** One server for both protocols, with Node's compatibility interface. */
const api = (request: Request, response: Response): void => {
  const hash = builtins.crypto.createHash("sha256")
  switch (request.url) {
    case "/no-content":
      return void response.writeHead(204).end()
    case "/not-modified":
      return void response.writeHead(304, { etag: "\"x\"" }).end()
    case "/length":
      return void response.writeHead(200, { "content-length": "5" }).end("hello")
    case "/redirect":
      return void response.writeHead(302, { location: "/elsewhere" }).end("moved")
    case "/early":
      return void response.writeHead(413).end("too much")
    case "/large":
      return void response.writeHead(200).end(LARGE)
    case "/hints":
      response.writeEarlyHints({ link: "</a.css>; rel=preload" })
      return void response.writeHead(200).end("after hints")
    default:
      request.on("data", (chunk: Buffer) => hash.update(chunk))
      request.on("end", () => {
        response.writeHead(200, { "x-method": request.method ?? "", "x-expect": String(request.headers.expect) })
        response.end(hash.digest("hex"))
      })
  }
}

const serveApi = (protocol: "http/1.1" | "h2") =>
  listen(
    protocol === "h2"
      ? builtins.http2.createSecureServer({ ...certificate, maxSessionMemory: 1000 }, api as never)
      : builtins.https.createServer(certificate, api as never)
  )

interface Received {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly body: string
  readonly informed: ReadonlyArray<number>
}

/** Sends a request and reads its response. `open`: the body stays incomplete. */
type Exchange = (
  method: string,
  path: string,
  options?: { readonly body?: Buffer; readonly headers?: Readonly<Record<string, string>>; readonly open?: boolean }
) => Effect.Effect<Received>

const overHttp1 = (proxy: Parameters<typeof secureTunnel>[0]): Effect.Effect<Exchange> =>
  Effect.succeed((method, path, { body, headers = {}, open = false } = {}) =>
    promise(async () => {
      const { socket, wire } = await secureTunnel(proxy, `${HOST}:443`)
      const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")
      const length = body === undefined ? "" : `Content-Length: ${open ? 1_000_000 : body.length}\r\n`
      wire.send(`${method} ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${length}${fields}\r\n`)
      const informed: Array<number> = []
      if (headers["expect"] === undefined && body !== undefined) wire.send(body)
      let response = await wire.response(method)
      while (response.status < 200) {
        informed.push(response.status)
        if (response.status === 100 && body !== undefined) wire.send(body)
        response = await wire.response(method)
      }
      assert.isTrue(response.complete)
      socket.destroy()
      return { status: response.status, header: (name) => response.headers.get(name), body: response.body, informed }
    })
  )

const overHttp2 = (proxy: Parameters<typeof connectSession>[0]) =>
  Effect.map(
    connectSession(proxy, undefined, { maxSessionMemory: 1000 }),
    (session): Exchange => (method, path, { body, headers = {}, open = false } = {}) =>
      promise(async () => {
        const stream = session.request({ ":method": method, ":path": path, ...headers }, {
          endStream: body === undefined
        })
        const received = responseOf(stream)
        if (headers["expect"] !== undefined) stream.once("continue", () => stream.end(body))
        else if (open) stream.write(body)
        else if (body !== undefined) stream.end(body)
        const response = await received
        assert.strictEqual(response.code, 0)
        return {
          status: response.status,
          header: (name) => response.headers[name]?.toString(),
          body: response.body,
          informed: response.informed.map((fields) => Number(fields[":status"]))
        }
      })
  )

for (const client of ["http/1.1", "h2"] as const) {
  for (const upstream of ["http/1.1", "h2"] as const) {
    describe(`a client over ${client} and an upstream over ${upstream}`, () => {
      const setUp = Effect.gen(function*() {
        const { port } = yield* serveApi(upstream)
        const { proxy } = yield* proxyTo(port)
        return client === "h2" ? yield* overHttp2(proxy) : yield* overHttp1(proxy)
      })

      live("exchange bodies, and responses without one", function*() {
        const exchange = yield* setUp
        const expected = [
          ["GET", "/", { status: 200, body: digest("") }, {}],
          ["GET", "/no-content", { status: 204, body: "" }, {}],
          ["GET", "/not-modified", { status: 304, body: "" }, { etag: "\"x\"" }],
          ["HEAD", "/length", { status: 200, body: "" }, { "content-length": "5" }],
          ["GET", "/length", { status: 200, body: "hello" }, { "content-length": "5" }],
          ["GET", "/redirect", { status: 302, body: "moved" }, { location: "/elsewhere" }]
        ] as const
        for (const [method, path, response, fields] of expected) {
          const received = yield* exchange(method, path)
          assert.deepInclude(received, response)
          for (const [name, value] of Object.entries(fields)) assert.strictEqual(received.header(name), value)
        }
        for (const size of [0, 1, 100_000, 3_000_000]) {
          const body = builtins.crypto.randomBytes(size)
          for (const method of ["POST", "PUT", "DELETE"]) {
            const response = yield* exchange(method, "/", { body })
            assert.strictEqual(response.body, digest(body))
            assert.strictEqual(response.header("x-method"), method)
          }
        }
        assert.strictEqual(digest((yield* exchange("GET", "/large")).body), digest(LARGE))
      })

      live("exchange informational and early responses", function*() {
        const exchange = yield* setUp
        const body = Buffer.alloc(50_000, 1)
        const expected = yield* exchange("POST", "/", { body, headers: { expect: "100-continue" } })
        assert.deepInclude(expected, { status: 200, body: digest(body), informed: [100] })
        assert.strictEqual(expected.header("x-expect"), "100-continue")
        assert.deepInclude(yield* exchange("GET", "/hints"), { status: 200, body: "after hints", informed: [103] })
        assert.deepInclude(yield* exchange("POST", "/early", { body, open: true }), { status: 413, body: "too much" })
      })

      live("exchange all methods, which are case-sensitive", function*() {
        const exchange = yield* setUp
        for (const method of builtins.http.METHODS.filter((name) => name !== "CONNECT" && name !== "TRACE")) {
          assert.strictEqual((yield* exchange(method, "/")).header("x-method"), method)
        }
        for (const method of ["options", "Options", "trace", "get", "FROBNICATE"]) {
          const refused = yield* exchange(method, "/")
          assert.strictEqual(refused.status, 400)
          assert.strictEqual(refused.header("x-credsvc-error"), "RequestRefusedError")
        }
      })
    })
  }
}
