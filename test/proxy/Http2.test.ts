import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http2 from "node:http2"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import {
  answerOf,
  certificate,
  connectSession,
  get,
  HOST,
  makeUpstream,
  proxyTo,
  setUp
} from "../support/Http2Peers.ts"
import { MARKER, SECRET, secureTunnel } from "../support/ProxyHarness.ts"

const EVIL = "evil.example.net"
const NO_ERROR = 0
const CANCEL = 8
const promise = <A>(run: () => Promise<A>) => Effect.promise(run)

describe("ProxyEngine over HTTP/2", () => {
  it.live("injects into each stream and removes the client's own credential", () =>
    Effect.gen(function*() {
      const { daemon, session, upstream } = yield* setUp()
      const answers = yield* promise(() =>
        Promise.all(["/1", "/2"].map((path) => get(session, path, { authorization: `Bearer ${MARKER}`, "x-a": "b" })))
      )
      assert.deepStrictEqual(answers.map(({ code, status }) => [status, code]), [[200, 0], [200, 0]])
      for (const raw of upstream.seen) {
        assert.deepStrictEqual(raw.flatMap((name, i) => name === "authorization" ? [raw[i + 1]] : []), [
          `Bearer ${SECRET}`
        ])
        assert.notInclude(raw.join(), MARKER)
      }
      assert.lengthOf(upstream.sessions, 1)
      assert.isAtMost(daemon.resolved.length, 2)
    }).pipe(Effect.scoped))

  it.live("translates to HTTP/1.1 for an upstream without HTTP/2", () =>
    Effect.gen(function*() {
      const upstream = yield* FakeUpstream.make({ certificate })
      const { proxy } = yield* proxyTo(upstream.port)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      const [first, second] = yield* promise(() => Promise.all([get(session, "/1"), get(session, "/2")]))
      assert.strictEqual(first?.status, 200)
      assert.strictEqual(second?.status, 200)
      assert.strictEqual(upstream.seen[0]?.headers.authorization, `Bearer ${SECRET}`)
      assert.strictEqual(upstream.seen[0]?.headers.host, HOST)
    }).pipe(Effect.scoped))

  it.live("translates from an HTTP/1.1 client for an upstream without HTTP/1.1", () =>
    Effect.gen(function*() {
      const upstream = yield* makeUpstream()
      const { proxy } = yield* proxyTo(upstream.port)
      const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
      for (const path of ["/1", "/2"]) {
        wire.send(`POST ${path} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 4\r\n\r\nbody`)
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(JSON.parse(answer.body).body, "body")
      }
      assert.lengthOf(upstream.sessions, 1)
      socket.destroy()
    }).pipe(Effect.scoped))

  it.live("carries bodies and trailers in both directions", () =>
    Effect.gen(function*() {
      const { session, upstream } = yield* setUp((stream) => {
        let sent: unknown
        stream.on("trailers", (trailers) => {
          sent = trailers["x-checksum"]
        })
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          stream.respond({ ":status": 200 }, { waitForTrailers: true })
          stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0", "x-sent": String(sent) }))
          stream.end(Buffer.concat(chunks))
        })
      })
      const stream = session.request({ ":method": "POST", ":path": "/" }, { waitForTrailers: true })
      stream.on("wantTrailers", () => stream.sendTrailers({ "x-checksum": "abc", authorization: "Bearer mine" }))
      stream.write("one ")
      stream.end("two")
      const answer = yield* promise(() => answerOf(stream))
      assert.strictEqual(answer.body, "one two")
      assert.deepInclude(answer.trailers, { "grpc-status": "0", "x-sent": "abc" })
      assert.lengthOf(upstream.seen, 1)
    }).pipe(Effect.scoped))

  for (const protocol of ["h2", "http/1.1"]) {
    it.live(`keeps serving a session after a stream is reset in the middle of its body, with an upstream over ${protocol}`, () =>
      Effect.gen(function*() {
        let begun = () => {}
        // The upstream does not read the body, so backpressure holds most of it back.
        const upstream = protocol === "h2"
          ? yield* makeUpstream((stream, headers) => {
            if (headers[":method"] === "POST") return begun()
            stream.respond({ ":status": 200 })
            stream.end()
          })
          : yield* FakeUpstream.make({
            certificate,
            handler: (incoming, response) => incoming.method === "POST" ? begun() : response.end()
          })
        const { proxy } = yield* proxyTo(upstream.port)
        for (const code of [NO_ERROR, CANCEL]) {
          const session = yield* connectSession(proxy, `${HOST}:443`)
          const began = new Promise<void>((resolve) => {
            begun = resolve
          })
          const stream = session.request({ ":method": "POST", ":path": "/" })
          stream.on("error", () => {})
          stream.write(Buffer.alloc(200_000))
          yield* promise(() => began)
          stream.close(code)
          assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
        }
      }).pipe(Effect.scoped))
  }

  describe("the authority of a stream", () => {
    const AUTHORITY = HOST
    const served: ReadonlyArray<readonly [what: string, fields: Http2.OutgoingHttpHeaders]> = [
      ["the authority", { ":authority": AUTHORITY }],
      ["the authority with its port", { ":authority": `${HOST}:443` }],
      ["the authority in upper case, with a dot", { ":authority": `${HOST.toUpperCase()}.` }],
      ["the authority, and the same host", { ":authority": AUTHORITY, host: `${HOST}:443` }],
      ["a host alone", { host: HOST }]
    ]
    for (const [what, fields] of served) {
      it.live(`is accepted with ${what}`, () =>
        Effect.gen(function*() {
          const { session, upstream } = yield* setUp()
          const answer = yield* promise(() => get(session, "/", fields))
          assert.strictEqual(answer.status, 200)
          const raw = upstream.seen[0] ?? []
          assert.deepStrictEqual(
            raw.flatMap((name, i) => i % 2 === 0 && (name === ":authority" || name === "host") ? [raw[i + 1]] : []),
            [HOST]
          )
        }).pipe(Effect.scoped))
    }

    const refused: ReadonlyArray<readonly [what: string, status: number, fields: Http2.OutgoingHttpHeaders]> = [
      ["another authority", 421, { ":authority": EVIL }],
      ["another host beside the authority", 421, { ":authority": AUTHORITY, host: EVIL }],
      ["another authority beside the host", 421, { ":authority": EVIL, host: HOST }],
      ["another host alone", 421, { host: EVIL }],
      ["another port", 421, { ":authority": `${HOST}:8443` }],
      ["a subdomain", 421, { ":authority": `x.${HOST}` }],
      ["another scheme", 400, { ":authority": AUTHORITY, ":scheme": "http" }],
      ["a fragment", 400, { ":authority": AUTHORITY, ":path": "/v1#/../admin" }],
      ["TRACE", 405, { ":authority": AUTHORITY, ":method": "TRACE" }],
      ["TRACK", 405, { ":authority": AUTHORITY, ":method": "TRACK" }],
      ["TRACE in another case", 400, { ":authority": AUTHORITY, ":method": "Trace" }],
      ["a method in lower case", 400, { ":authority": AUTHORITY, ":method": "options" }]
    ]
    for (const [what, status, fields] of refused) {
      it.live(`is refused with ${status} for ${what}, without resolving a credential, and the next stream is served`, () =>
        Effect.gen(function*() {
          const { daemon, session, upstream } = yield* setUp()
          const answer = yield* promise(() => answerOf(session.request({ ":path": "/", ...fields })))
          assert.strictEqual(answer.status, status)
          assert.strictEqual(answer.headers["x-credsvc-error"], "RequestRefusedError")
          assert.lengthOf(daemon.resolved, 0)
          assert.lengthOf(upstream.seen, 0)
          assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
        }).pipe(Effect.scoped))
    }

    const malformed: ReadonlyArray<readonly [what: string, fields: Http2.OutgoingHttpHeaders]> = [
      ["userinfo", { ":authority": `x@${HOST}` }],
      ["an empty host", { ":authority": AUTHORITY, host: "" }],
      ["a target that is no path", { ":authority": AUTHORITY, ":path": `https://${EVIL}/` }],
      ["an extended CONNECT", { ":authority": AUTHORITY, ":method": "CONNECT", ":protocol": "websocket" }]
    ]
    for (const [what, fields] of malformed) {
      it.live(`resets the stream with ${what}, and the next stream is served`, () =>
        Effect.gen(function*() {
          const { daemon, session, upstream } = yield* setUp()
          const answer = yield* promise(() =>
            answerOf(session.request({ ":path": "/", ":scheme": "https", ...fields }))
          )
          assert.strictEqual(answer.code, 1)
          assert.lengthOf(daemon.resolved, 0)
          assert.lengthOf(upstream.seen, 0)
          assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
        }).pipe(Effect.scoped))
    }

    it.live("is refused for CONNECT, and extended CONNECT (RFC 8441) is not offered", () =>
      Effect.gen(function*() {
        const { daemon, session, upstream } = yield* setUp()
        const answer = yield* promise(() =>
          answerOf(session.request({ ":method": "CONNECT", ":authority": `${EVIL}:443` }, { endStream: false }))
        )
        assert.strictEqual(answer.status, 400)
        assert.isNotTrue(session.remoteSettings.enableConnectProtocol)
        assert.lengthOf(daemon.resolved, 0)
        assert.lengthOf(upstream.seen, 0)
      }).pipe(Effect.scoped))
  })
})
