import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as FakeUpstream from "../support/FakeUpstream.ts"
import { HOST, proxied } from "../support/ProxiedHost.ts"
import { bearer, MARKER, noCredential } from "../support/ProxyHarness.ts"
import { until } from "../support/Until.ts"

const first = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")
const second = DateTime.makeUnsafe("2026-01-01T01:00:00.000Z")

/**
 * An upstream that accepts only the tokens of `good`, and a daemon that has `old` and refreshes it to `new` when it is reported
 * as rejected.
 */
const setUp = (good: ReadonlyArray<string>, body = "who are you?", handler?: FakeUpstream.Handler) =>
  Effect.gen(function*() {
    const respond: FakeUpstream.Handler = (request, response) => {
      request.resume().on("end", () => {
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
    return { daemon, upstream, open, get: exchange("GET /"), send, rejections, reported }
  })

describe("a token that the upstream rejects", () => {
  it.live("is refreshed, and the request is retried transparently", () =>
    Effect.gen(function*() {
      const { daemon, get, upstream } = yield* setUp(["new"])
      const response = yield* get
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.body, "hello new")
      assert.lengthOf(upstream.seen, 2)
      assert.deepStrictEqual(daemon.resolved.map(({ rejected }) => rejected), [undefined, first])
      assert.strictEqual((yield* get).body, "hello new")
      assert.lengthOf(upstream.seen, 3)
    }))

  it.live("is refreshed only once per request: the client gets the second 401", () =>
    Effect.gen(function*() {
      const { get, rejections, upstream } = yield* setUp([])
      const response = yield* get
      assert.strictEqual(response.status, 401)
      assert.strictEqual(response.body, "who are you?")
      assert.strictEqual(response.headers.get("www-authenticate"), "Bearer error=\"invalid_token\"")
      assert.lengthOf(upstream.seen, 2)
      assert.lengthOf(rejections(), 1)
    }))

  it.live("is replaced with all that belongs to the new one, such as tokens that the response has", () =>
    Effect.gen(function*() {
      const { daemon, get } = yield* setUp(["new"], "", (request, response) => {
        const isNew = request.headers.authorization === "Bearer new"
        response.writeHead(isNew ? 200 : 401, { "content-type": "application/json" })
        response.end(JSON.stringify({ token: "issued-canary-0123456789" }))
      })
      const resolve = daemon.resolve
      const issuedTokens = {
        requests: [`GET ${HOST}/**`],
        tokens: ["/token"],
        tokenHeaders: [],
        uses: [`${HOST}/**`],
        useHeaders: ["Authorization"],
        placeholder: MARKER
      }
      daemon.resolve = (request) =>
        Effect.map(
          resolve(request),
          (resolved) =>
            DateTime.Equivalence(resolved.issuedAt, second) ? { ...resolved, issuedTokens: [issuedTokens] } : resolved
        )
      const response = yield* get
      assert.strictEqual(response.status, 200)
      assert.notInclude(response.body, "canary")
      assert.include(response.body, MARKER)
    }))

  it.live("causes no retry if the daemon has no newer token", () =>
    Effect.gen(function*() {
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
    }))

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

  it.live("is refreshed for the next request if this one has a body or is not idempotent", () =>
    Effect.gen(function*() {
      const { rejections, send, upstream } = yield* setUp(["new"])
      assert.strictEqual((yield* send("PUT /", "data")).status, 401)
      assert.strictEqual((yield* send("PUT /", "data")).status, 200)
      assert.lengthOf(upstream.seen, 2)
      assert.lengthOf(rejections(), 1)
      const other = yield* setUp(["new"])
      assert.strictEqual((yield* other.send("POST /")).status, 401)
      assert.lengthOf(other.upstream.seen, 1)
    }))

  it.live("passes on a 401 response of any length completely", () =>
    Effect.gen(function*() {
      const long = "x".repeat(300_000)
      const { get, reported, upstream } = yield* setUp(["new"], long)
      const response = yield* get
      assert.strictEqual(response.status, 401)
      assert.strictEqual(response.body, long)
      assert.lengthOf(upstream.seen, 1)
      yield* reported(1)
    }))

  it.live("is handled correctly if its 401 response is aborted: the next response is not mixed with it", () =>
    Effect.gen(function*() {
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
    }))
})

describe("a key that the upstream rejects", () => {
  it.live("is reported to the daemon once for many requests, and the client gets each 401", () =>
    Effect.gen(function*() {
      const { daemon, get, rejections, reported, send, upstream } = yield* setUp([])
      daemon.resolve = (request) => Effect.succeed({ ...bearer(request, "key"), issuedAt: first, refreshable: false })
      assert.strictEqual((yield* get).body, "who are you?")
      assert.strictEqual((yield* send("POST /", "data")).status, 401)
      assert.strictEqual((yield* get).status, 401)
      yield* reported(1)
      assert.lengthOf(upstream.seen, 3)
      assert.deepStrictEqual(rejections().map(({ rejected }) => rejected), [first])
    }))

  it.live("is reported again after it was replaced", () =>
    Effect.gen(function*() {
      const { daemon, get, rejections, reported } = yield* setUp([])
      let issuedAt = first
      daemon.resolve = (request) => Effect.succeed({ ...bearer(request, "key"), issuedAt, refreshable: false })
      assert.strictEqual((yield* get).status, 401)
      yield* reported(1)
      issuedAt = second
      assert.strictEqual((yield* get).status, 401)
      yield* reported(2)
      assert.deepStrictEqual(rejections().map(({ rejected }) => rejected), [first, second])
    }))
})
