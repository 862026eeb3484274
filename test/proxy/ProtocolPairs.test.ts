/** The same exchanges between a client and an upstream, each over either protocol. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http from "node:http"
import type * as Http2 from "node:http2"
import { builtins } from "../../src/platform/builtins.ts"
import { answerOf, certificate, connectSession, HOST, proxyTo } from "../support/Http2Peers.ts"
import { secureTunnel } from "../support/ProxyHarness.ts"

const promise = <A>(run: () => Promise<A>) => Effect.promise(run)
const digest = (data: Buffer | string) => builtins.crypto.createHash("sha256").update(data).digest("hex")

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
      response.writeHead(200)
      return void response.end(Buffer.alloc(3_000_000, "z"))
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
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = protocol === "h2"
        ? builtins.http2.createSecureServer({ ...certificate, maxSessionMemory: 1000 }, api as never)
        : builtins.https.createServer(certificate, api as never)
      const sockets = new Set<{ destroy(): void }>()
      server.on("secureConnection", (socket: { destroy(): void }) => sockets.add(socket))
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed({
          port: typeof address === "object" && address !== null ? address.port : 0,
          close: () => {
            server.close()
            for (const socket of sockets) socket.destroy()
          }
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

interface Answer {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly body: string
  readonly informed: ReadonlyArray<number>
}

type Ask = (
  method: string,
  path: string,
  options?: { readonly body?: Buffer; readonly headers?: Readonly<Record<string, string>>; readonly open?: boolean }
) => Promise<Answer>

const overHttp1 = (proxy: Parameters<typeof secureTunnel>[0]): Effect.Effect<Ask> =>
  Effect.sync(() => async (method, path, { body, headers = {}, open = false } = {}) => {
    const { socket, wire } = await secureTunnel(proxy, `${HOST}:443`)
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")
    const length = body === undefined ? "" : open ? "Content-Length: 1000000\r\n" : `Content-Length: ${body.length}\r\n`
    wire.send(`${method} ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${length}${fields}\r\n`)
    const informed: Array<number> = []
    if (headers["expect"] === undefined && body !== undefined) wire.send(body)
    let answer = await wire.answer(method)
    while (answer.status < 200) {
      informed.push(answer.status)
      if (answer.status === 100 && body !== undefined) wire.send(body)
      answer = await wire.answer(method)
    }
    assert.isTrue(answer.complete)
    socket.destroy()
    return { status: answer.status, header: (name) => answer.headers.get(name), body: answer.body, informed }
  })

const overHttp2 = (proxy: Parameters<typeof connectSession>[0]) =>
  Effect.map(
    connectSession(proxy, `${HOST}:443`, { maxSessionMemory: 1000 }),
    (session): Ask => async (method, path, options = {}) => {
      const { body, headers = {}, open = false } = options
      const stream = session.request({ ":method": method, ":path": path, ...headers }, {
        endStream: body === undefined
      })
      const answered = answerOf(stream)
      if (headers["expect"] !== undefined) stream.once("continue", () => stream.end(body))
      else if (open) stream.write(body)
      else if (body !== undefined) stream.end(body)
      const answer = await answered
      assert.strictEqual(answer.code, 0)
      return {
        status: answer.status,
        header: (name) => answer.headers[name]?.toString(),
        body: answer.body,
        informed: answer.informed.map((fields) => Number(fields[":status"]))
      }
    }
  )

const pairs = [["http/1.1", "http/1.1"], ["http/1.1", "h2"], ["h2", "http/1.1"], ["h2", "h2"]] as const
for (const [child, upstream] of pairs) {
  describe(`a client over ${child} and an upstream over ${upstream}`, () => {
    const setUp = Effect.gen(function*() {
      const { port } = yield* serveApi(upstream)
      const { proxy } = yield* proxyTo(port)
      return child === "h2" ? yield* overHttp2(proxy) : yield* overHttp1(proxy)
    })

    it.live(
      "exchange bodies, and responses without one",
      () =>
        Effect.gen(function*() {
          const ask = yield* setUp
          const answer = (...parameters: Parameters<Ask>) => promise(() => ask(...parameters))
          assert.strictEqual((yield* answer("GET", "/")).body, digest(""))
          assert.deepInclude(yield* answer("GET", "/no-content"), { status: 204, body: "" })
          const unmodified = yield* answer("GET", "/not-modified")
          assert.deepInclude(unmodified, { status: 304, body: "" })
          assert.strictEqual(unmodified.header("etag"), "\"x\"")
          const head = yield* answer("HEAD", "/length")
          assert.deepInclude(head, { status: 200, body: "" })
          assert.strictEqual(head.header("content-length"), "5")
          const length = yield* answer("GET", "/length")
          assert.strictEqual(length.body, "hello")
          assert.strictEqual(length.header("content-length"), "5")
          const redirect = yield* answer("GET", "/redirect")
          assert.deepInclude(redirect, { status: 302, body: "moved" })
          assert.strictEqual(redirect.header("location"), "/elsewhere")
          for (const size of [0, 1, 100_000, 3_000_000]) {
            const body = builtins.crypto.randomBytes(size)
            for (const method of ["POST", "PUT", "DELETE"]) {
              const answered = yield* answer(method, "/", { body })
              assert.strictEqual(answered.body, digest(body))
              assert.strictEqual(answered.header("x-method"), method)
            }
          }
          assert.strictEqual(digest((yield* answer("GET", "/large")).body), digest(Buffer.alloc(3_000_000, "z")))
        }).pipe(Effect.scoped)
    )

    it.live(
      "exchange informational and early responses",
      () =>
        Effect.gen(function*() {
          const ask = yield* setUp
          const answer = (...parameters: Parameters<Ask>) => promise(() => ask(...parameters))
          const body = Buffer.alloc(50_000, 1)
          const expected = yield* answer("POST", "/", { body, headers: { expect: "100-continue" } })
          assert.deepInclude(expected, { status: 200, body: digest(body), informed: [100] })
          assert.strictEqual(expected.header("x-expect"), "100-continue")
          assert.deepInclude(yield* answer("GET", "/hints"), { status: 200, body: "after hints", informed: [103] })
          assert.deepInclude(yield* answer("POST", "/early", { body, open: true }), { status: 413, body: "too much" })
        }).pipe(Effect.scoped)
    )

    it.live(
      "exchange all methods, which are case-sensitive",
      () =>
        Effect.gen(function*() {
          const ask = yield* setUp
          const answer = (...parameters: Parameters<Ask>) => promise(() => ask(...parameters))
          for (const method of builtins.http.METHODS.filter((name) => name !== "CONNECT" && name !== "TRACE")) {
            assert.strictEqual((yield* answer(method, "/")).header("x-method"), method)
          }
          for (const method of ["options", "Options", "trace", "get", "FROBNICATE"]) {
            const refused = yield* answer(method, "/")
            assert.strictEqual(refused.status, 400)
            assert.strictEqual(refused.header("x-credsvc-error"), "RequestRefusedError")
          }
        }).pipe(Effect.scoped)
    )
  })
}

describe("many large bodies over one HTTP/2 session", () => {
  it.live("arrive complete, in both directions at once", () =>
    Effect.gen(function*() {
      const { port } = yield* serveApi("h2")
      const { proxy } = yield* proxyTo(port)
      const ask = yield* overHttp2(proxy)
      const body = builtins.crypto.randomBytes(256 * 1024)
      const answers = yield* promise(() =>
        Promise.all(
          Array.from({ length: 100 }, (_, i) => i % 2 === 0 ? ask("POST", "/", { body }) : ask("GET", "/large"))
        )
      )
      const large = digest(Buffer.alloc(3_000_000, "z"))
      answers.forEach((answer, i) => {
        assert.strictEqual(i % 2 === 0 ? answer.body : digest(answer.body), i % 2 === 0 ? digest(body) : large)
      })
    }).pipe(Effect.scoped))
})
