import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type BodyObserver, RequestBody } from "../../../src/http/RequestBody.ts"
import { HeldBudget } from "../../../src/outbound/sigv4/HeldBytes.ts"
import type { Client } from "../../../src/proxy/exchange/Client.ts"
import { RequestContent } from "../../../src/proxy/exchange/RequestContent.ts"
import type * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live } from "../../support/Fixture.ts"
import { HOST, proxied } from "../../support/ProxiedHost.ts"
import { bearer, MARKER, noCredential } from "../../support/ProxyHarness.ts"
import { until } from "../../support/Until.ts"

const first = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")
const second = DateTime.makeUnsafe("2026-01-01T01:00:00.000Z")

/**
 * An upstream that accepts only the tokens of `good`, and a daemon that has `old` and refreshes it to `new` when it is reported
 * as rejected.
 */
const setUp = (good: ReadonlyArray<string>, body = "who are you?", handler?: FakeUpstream.Handler) =>
  Effect.gen(function*() {
    const bodies: Array<string> = []
    const respond: FakeUpstream.Handler = (request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
        bodies.push(Buffer.concat(chunks).toString())
        const token = request.headers.authorization?.replace("Bearer ", "") ?? ""
        const ok = good.includes(token)
        response.writeHead(ok ? 200 : 401, { "www-authenticate": "Bearer error=\"invalid_token\"", "x-token": "t" })
        response.end(ok ? `hello ${token}` : body)
      })
    }
    const { daemon, exchange, open, upstream } = yield* proxied(handler ?? respond)
    let current = "old"
    daemon.resolve = (request) => {
      if (request.rejected !== undefined && DateTime.Equivalence(request.rejected, first)) current = "new"
      return Effect.succeed({
        ...bearer(request, current),
        issuedAt: current === "old" ? first : second,
        refreshable: true
      })
    }
    const send = (line: string, sent = "") => exchange(line, `Content-Length: ${sent.length}\r\n`, sent)
    const rejections = () => daemon.resolved.filter(({ rejected }) => rejected)
    /** Waits for reports of rejected credentials. */
    const reported = (count: number) => Effect.promise(() => until(() => rejections().length >= count))
    return { bodies, daemon, exchange, upstream, open, get: exchange("GET /"), send, rejections, reported }
  })

describe("a token that the upstream rejects", () => {
  live("is refreshed, and the request is retried transparently", function*() {
    const { daemon, get, upstream } = yield* setUp(["new"])
    const response = yield* get
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.body, "hello new")
    assert.lengthOf(upstream.seen, 2)
    assert.deepStrictEqual(daemon.resolved.map(({ rejected }) => rejected), [undefined, first])
    assert.strictEqual((yield* get).body, "hello new")
    assert.lengthOf(upstream.seen, 3)
  })

  live("is refreshed only once per request: the client gets the second 401", function*() {
    const { get, rejections, upstream } = yield* setUp([])
    const response = yield* get
    assert.strictEqual(response.status, 401)
    assert.strictEqual(response.body, "who are you?")
    assert.strictEqual(response.headers.get("www-authenticate"), "Bearer error=\"invalid_token\"")
    assert.lengthOf(upstream.seen, 2)
    assert.lengthOf(rejections(), 1)
  })

  live("is replaced, and a token that the API issues to the retried request becomes a placeholder", function*() {
    const { daemon, get } = yield* setUp(["new"], "", (request, response) => {
      const isNew = request.headers.authorization === "Bearer new"
      response.writeHead(isNew ? 200 : 401, { "content-type": "application/json" })
      response.end(JSON.stringify({ token: "issued-canary-0123456789" }))
    })
    const resolve = daemon.resolve
    const captures = [{ requests: [`GET ${HOST}/**`] }]
    daemon.login = ({ response }) =>
      Effect.succeed({ content: response!.content.replace("issued-canary-0123456789", MARKER) })
    daemon.resolve = (request) =>
      Effect.map(
        resolve(request),
        (resolved) => DateTime.Equivalence(resolved.issuedAt, second) ? { ...resolved, captures } : resolved
      )
    const response = yield* get
    assert.strictEqual(response.status, 200)
    assert.notInclude(response.body, "canary")
    assert.include(response.body, MARKER)
  })

  live("causes no retry if the daemon has no newer token", function*() {
    const { daemon, get, upstream } = yield* setUp([])
    daemon.resolve = (request) => Effect.succeed({ ...bearer(request, "old"), issuedAt: first, refreshable: true })
    assert.strictEqual((yield* get).body, "who are you?")
    daemon.resolve = (request) =>
      request.rejected === undefined
        ? Effect.succeed({ ...bearer(request, "old"), issuedAt: first, refreshable: true })
        : noCredential("TokenExpiredError")()
    const response = yield* get
    assert.strictEqual(response.status, 401)
    assert.strictEqual(response.body, "who are you?")
    assert.lengthOf(upstream.seen, 2)
  })

  it.live("is reported while another request waits for the same credential", () =>
    Effect.gen(function*() {
      const waiting = Promise.withResolvers<void>()
      const report = Promise.withResolvers<void>()
      const { daemon, get, open, upstream } = yield* setUp([], "", (request, response) => {
        if (request.headers.authorization === "Bearer new") return response.end("hello new")
        void waiting.promise.then(() => response.writeHead(401).end())
      })
      const { resolve } = daemon
      const rejected = yield* Effect.forkChild(get)
      yield* Effect.promise(() => until(() => upstream.seen.length === 1))
      daemon.resolve = (request) => {
        if (request.rejected === undefined) waiting.resolve()
        else report.resolve()
        return Effect.flatMap(Effect.promise(() => report.promise), () => resolve(request))
      }
      const other = yield* Effect.forkChild(Effect.flatMap(open(), ({ exchange }) => exchange("GET /")))
      for (const fiber of [rejected, other]) assert.strictEqual((yield* Fiber.join(fiber)).body, "hello new")
    }).pipe(Effect.timeout("20 seconds")))

  live("is refreshed, and a request with a body of up to 64 KiB is repeated once with the same bytes", function*() {
    const { bodies, exchange, rejections, send, upstream } = yield* setUp(["new"])
    const body = `{"jsonrpc":"2.0","x":"${"x".repeat(60_000)}"}`
    for (const line of ["POST /mcp", "PUT /", "PATCH /", "DELETE /"]) {
      const before = bodies.length
      assert.strictEqual((yield* send(line, body)).body, "hello new")
      assert.deepStrictEqual(new Set(bodies.slice(before)), new Set([body]), line)
    }
    assert.lengthOf(rejections(), 1)
    assert.lengthOf(upstream.seen, 5)
    const other = yield* setUp(["new"])
    const chunks = "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    assert.strictEqual((yield* other.exchange("POST /", "Transfer-Encoding: chunked\r\n", chunks)).status, 200)
    assert.deepStrictEqual(other.bodies, ["abcde", "abcde"])
    const bare = yield* setUp(["new"], "", (request, response) => {
      response.writeHead(request.headers.authorization === "Bearer new" ? 200 : 401).end()
    })
    assert.strictEqual((yield* bare.send("POST /", "")).status, 200)
    assert.strictEqual((yield* exchange("POST /", "Content-Length: 4\r\n", "data")).status, 200)
  })

  live("causes no retry of a request with a body if the refusal may have come after an effect", function*() {
    const { reported, send, upstream } = yield* setUp(["new"], "", (_request, response) => {
      response.writeHead(401, { "www-authenticate": "Bearer realm=\"x\", error=\"invalid_request\"" }).end()
    })
    const response = yield* send("POST /", "data")
    assert.strictEqual(response.status, 401)
    assert.isUndefined(response.headers.get("x-credsvc-hint"))
    assert.lengthOf(upstream.seen, 1)
    yield* reported(1)
  })

  live(
    "is refreshed only for the next request if the body is longer than 64 KiB, and the response says so",
    function*() {
      const { bodies, send } = yield* setUp(["new"])
      const body = "x".repeat(70_000)
      const response = yield* send("POST /", body)
      assert.strictEqual(response.status, 401)
      assert.include(response.headers.get("x-credsvc-hint"), "repeat the request")
      assert.strictEqual((yield* send("POST /", body)).body, "hello new")
      assert.lengthOf(bodies, 2)
    }
  )

  it("keeps the body in linear time, however short its parts are", () => {
    let body: RequestBody | undefined
    const client = {
      context: { budget: new HeldBudget() },
      isOver: false,
      openBody: (observer: BodyObserver) => body = new RequestBody(() => {}, observer)
    } as unknown as Client
    const content = new RequestContent(client)
    content.keep()
    content.stream()
    const before = process.cpuUsage().user
    for (let count = 0; count < 65_000; count++) body!.receive(Buffer.from("x"))
    assert.isBelow(process.cpuUsage().user - before, 1_000_000)
    body!.receivedAll()
    assert.lengthOf(content.whole!, 65_000)
    content.end()
  })

  live("is refreshed before the client has sent the whole body, or any of it", function*() {
    const received: Array<string> = []
    const { daemon, open } = yield* setUp([], "", (request, response) => {
      if (request.headers.authorization !== "Bearer new") return response.writeHead(401).end()
      request.on("data", (chunk: Buffer) => received.push(chunk.toString()))
      request.on("end", () => response.end(received.join("")))
    })
    const { socket, wire } = yield* open()
    socket.write(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 6\r\n\r\nabc`)
    yield* Effect.promise(() => until(() => daemon.resolved.some(({ rejected }) => rejected)))
    socket.write("def")
    assert.strictEqual((yield* Effect.promise(() => wire.response("POST"))).body, "abcdef")
    const second = yield* setUp([], "", (request, response) => {
      if (request.headers.authorization !== "Bearer new") return response.writeHead(401).end()
      request.on("data", (chunk: Buffer) => response.write(chunk)).on("end", () => response.end())
    })
    second.upstream.server.on(
      "checkContinue",
      (request, response) => second.upstream.server.emit("request", request, response)
    )
    const waiting = yield* second.open()
    waiting.socket.write(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 6\r\nExpect: 100-continue\r\n\r\n`)
    assert.strictEqual(
      (yield* Effect.promise(() => waiting.wire.response("POST"))).status,
      100
    )
    waiting.socket.write("abcdef")
    assert.strictEqual((yield* Effect.promise(() => waiting.wire.response("POST"))).body, "abcdef")
  })

  live("does not shorten its 401 response, whatever the length", function*() {
    const long = "x".repeat(300_000)
    const { get, reported, upstream } = yield* setUp(["new"], long)
    const response = yield* get
    assert.strictEqual(response.status, 401)
    assert.strictEqual(response.body, long)
    assert.lengthOf(upstream.seen, 1)
    yield* reported(1)
  })

  live("does not affect the next response if its 401 response is aborted", function*() {
    let requests = 0
    const { get, upstream } = yield* setUp([], "", (_request, response) => {
      requests++
      if (requests !== 2) return response.end(`response ${requests}`)
      response.writeHead(401, { "content-length": "100" })
      response.write("half of it", () => response.destroy())
    })
    assert.strictEqual((yield* get).body, "response 1")
    const broken = yield* get
    assert.strictEqual(broken.status, 502)
    assert.strictEqual(broken.headers.get("x-credsvc-error"), "EndpointUnreachableError")
    assert.lengthOf(upstream.seen, 2)
    assert.strictEqual((yield* get).body, "response 3")
  })
})

describe("a key that the upstream rejects", () => {
  live("is reported to the daemon once for many requests, and the client gets each 401", function*() {
    const { daemon, get, rejections, reported, send, upstream } = yield* setUp([])
    daemon.resolve = (request) => Effect.succeed({ ...bearer(request, "key"), issuedAt: first, refreshable: false })
    assert.strictEqual((yield* get).body, "who are you?")
    assert.strictEqual((yield* send("POST /", "data")).status, 401)
    assert.strictEqual((yield* get).status, 401)
    yield* reported(1)
    assert.lengthOf(upstream.seen, 3)
    assert.deepStrictEqual(rejections().map(({ rejected }) => rejected), [first])
  })

  live("is reported again after it was replaced", function*() {
    const { daemon, get, rejections, reported } = yield* setUp([])
    let issuedAt = first
    daemon.resolve = (request) => Effect.succeed({ ...bearer(request, "key"), issuedAt, refreshable: false })
    assert.strictEqual((yield* get).status, 401)
    yield* reported(1)
    issuedAt = second
    assert.strictEqual((yield* get).status, 401)
    yield* reported(2)
    assert.deepStrictEqual(rejections().map(({ rejected }) => rejected), [first, second])
  })
})
