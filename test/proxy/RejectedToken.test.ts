import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CredentialRefusedError } from "../../src/proxy/routing/CredentialSource.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { bearer, fakeDaemon, route, secureTunnel, startProxy, temporaryFile } from "../support/ProxyHarness.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const authority = makeAuthority()
const HOST = "api.example.com"
const certificate = authority.issue([HOST])
const promise = <A>(run: () => Promise<A>) => Effect.promise(run)

const first = "2026-01-01T00:00:00.000Z"
const second = "2026-01-01T01:00:00.000Z"

/**
 * An upstream that accepts only the tokens of `good`, and a daemon that has `old` and refreshes it to `new` when it is reported
 * as rejected.
 */
const setUp = (good: ReadonlyArray<string>, body = "who are you?", handler?: FakeUpstream.Handler) =>
  Effect.gen(function*() {
    let current = "old"
    const daemon = fakeDaemon([route(HOST, "example")], {
      resolve: (asked) =>
        Effect.sync(() => {
          if (asked.rejected === first) current = "new"
          return { ...bearer(asked, current), issuedAt: current === "old" ? first : second, refreshable: true }
        })
    })
    const upstream = yield* FakeUpstream.make({
      certificate,
      handler: handler ?? ((request, response) => {
        request.resume()
        request.on("end", () => {
          const token = request.headers.authorization?.replace("Bearer ", "") ?? ""
          const ok = good.includes(token)
          response.writeHead(ok ? 200 : 401, { "www-authenticate": "Bearer error=\"invalid_token\"", "x-token": "t" })
          response.end(ok ? `hello ${token}` : body)
        })
      })
    })
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const proxy = yield* startProxy({
      daemon,
      upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${upstream.port}` } }
    })
    const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    const exchange = (head: string, sent = "") =>
      promise(() => {
        wire.send(`${head} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`)
        return wire.answer()
      })
    const get = promise(() => {
      wire.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
      return wire.answer()
    })
    return { daemon, upstream, get, exchange, rejections: () => daemon.resolved.filter(({ rejected }) => rejected) }
  })

describe("a token that the upstream rejects", () => {
  it.live("is refreshed, and the request is retried transparently", () =>
    Effect.gen(function*() {
      const { daemon, get, upstream } = yield* setUp(["new"])
      const answer = yield* get
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.body, "hello new")
      assert.lengthOf(upstream.seen, 2)
      assert.deepStrictEqual(daemon.resolved.map(({ rejected }) => rejected), [undefined, first])
      assert.strictEqual((yield* get).body, "hello new")
      assert.lengthOf(upstream.seen, 3)
    }).pipe(Effect.scoped))

  it.live("is refreshed only once per request: the client gets the second 401", () =>
    Effect.gen(function*() {
      const { get, rejections, upstream } = yield* setUp([])
      const answer = yield* get
      assert.strictEqual(answer.status, 401)
      assert.strictEqual(answer.body, "who are you?")
      assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer error=\"invalid_token\"")
      assert.lengthOf(upstream.seen, 2)
      assert.lengthOf(rejections(), 1)
    }).pipe(Effect.scoped))

  it.live("causes no retry if the daemon has no newer token", () =>
    Effect.gen(function*() {
      const { daemon, get, upstream } = yield* setUp([])
      daemon.resolve = (asked) => Effect.succeed({ ...bearer(asked, "old"), issuedAt: first, refreshable: true })
      assert.strictEqual((yield* get).body, "who are you?")
      daemon.resolve = (asked) =>
        asked.rejected === undefined
          ? Effect.succeed({ ...bearer(asked, "old"), issuedAt: first, refreshable: true })
          : Effect.fail(new CredentialRefusedError({ error: "TokenExpiredError", detail: "", status: 401 }))
      const answer = yield* get
      assert.strictEqual(answer.status, 401)
      assert.strictEqual(answer.body, "who are you?")
      assert.lengthOf(upstream.seen, 2)
    }).pipe(Effect.scoped))

  it.live("is refreshed for the next request if this one has a body or is not idempotent", () =>
    Effect.gen(function*() {
      const { exchange, rejections, upstream } = yield* setUp(["new"])
      assert.strictEqual((yield* exchange("PUT /", "data")).status, 401)
      assert.strictEqual((yield* exchange("PUT /", "data")).status, 200)
      assert.lengthOf(upstream.seen, 2)
      assert.lengthOf(rejections(), 1)
      const other = yield* setUp(["new"])
      assert.strictEqual((yield* other.exchange("POST /")).status, 401)
      assert.lengthOf(other.upstream.seen, 1)
    }).pipe(Effect.scoped))

  it.live("passes on a 401 response of any length completely", () =>
    Effect.gen(function*() {
      const long = "x".repeat(300_000)
      const { get, rejections, upstream } = yield* setUp(["new"], long)
      const answer = yield* get
      assert.strictEqual(answer.status, 401)
      assert.strictEqual(answer.body, long)
      assert.lengthOf(upstream.seen, 1)
      while (rejections().length === 0) yield* Effect.sleep("5 millis")
    }).pipe(Effect.scoped))

  it.live("is handled correctly if its 401 response is aborted: the next response is not mixed with it", () =>
    Effect.gen(function*() {
      let requests = 0
      const { get, upstream } = yield* setUp([], "", (_request, response) => {
        requests++
        if (requests !== 2) return response.end(`answer ${requests}`)
        response.writeHead(401, { "content-length": "100" })
        response.write("half of it", () => response.destroy())
      })
      assert.strictEqual((yield* get).body, "answer 1")
      const broken = yield* get
      assert.strictEqual(broken.status, 502)
      assert.strictEqual(broken.headers.get("x-credsvc-error"), "EndpointUnreachableError")
      assert.lengthOf(upstream.seen, 2)
      assert.strictEqual((yield* get).body, "answer 3")
    }).pipe(Effect.scoped))
})

describe("a key that the upstream rejects", () => {
  const reported = (rejections: () => ReadonlyArray<unknown>, count: number) =>
    Effect.gen(function*() {
      while (rejections().length < count) yield* Effect.sleep("5 millis")
    })

  it.live("is reported to the daemon once for many requests, and the client gets each 401", () =>
    Effect.gen(function*() {
      const { daemon, exchange, get, rejections, upstream } = yield* setUp([])
      daemon.resolve = (asked) => Effect.succeed({ ...bearer(asked, "key"), issuedAt: first, refreshable: false })
      assert.strictEqual((yield* get).body, "who are you?")
      assert.strictEqual((yield* exchange("POST /", "data")).status, 401)
      assert.strictEqual((yield* get).status, 401)
      yield* reported(rejections, 1)
      assert.lengthOf(upstream.seen, 3)
      assert.deepStrictEqual(rejections().map(({ rejected }) => rejected), [first])
    }).pipe(Effect.scoped))

  it.live("is reported again after it was replaced", () =>
    Effect.gen(function*() {
      const { daemon, get, rejections } = yield* setUp([])
      let issuedAt = first
      daemon.resolve = (asked) => Effect.succeed({ ...bearer(asked, "key"), issuedAt, refreshable: false })
      assert.strictEqual((yield* get).status, 401)
      yield* reported(rejections, 1)
      issuedAt = second
      assert.strictEqual((yield* get).status, 401)
      yield* reported(rejections, 2)
      assert.deepStrictEqual(rejections().map(({ rejected }) => rejected), [first, second])
    }).pipe(Effect.scoped))
})
