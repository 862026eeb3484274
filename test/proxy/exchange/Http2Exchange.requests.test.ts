import { assert, describe } from "@effect/vitest"
import type * as Http2 from "node:http2"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { connectSession, get, makeUpstream, post, responseOf, setUp } from "../../support/Http2Peers.ts"
import { certificate, EVIL, HOST, proxyTo } from "../../support/ProxiedHost.ts"
import { MARKER, SECRET } from "../../support/ProxyHarness.ts"

const NO_ERROR = 0
const CANCEL = 8
describe("the engine of a proxy over HTTP/2", () => {
  live("injects the credential into each stream, and removes the client's own", function*() {
    const { daemon, session, upstream } = yield* setUp()
    const responses = yield* promise(() =>
      Promise.all(["/1", "/2"].map((path) => get(session, path, { authorization: `Bearer ${MARKER}`, "x-a": "b" })))
    )
    for (const response of responses) assert.deepInclude(response, { status: 200, code: NO_ERROR })
    for (const raw of upstream.seen) {
      assert.deepStrictEqual(
        raw.flatMap((name, i) => name === "authorization" ? [raw[i + 1]] : []),
        [`Bearer ${SECRET}`]
      )
      assert.notInclude(raw.join(), MARKER)
    }
    assert.lengthOf(upstream.sessions, 1)
    assert.isAtMost(daemon.resolved.length, 2)
  })

  for (const protocol of ["h2", "http/1.1"]) {
    live(`keeps serving a session after a stream is reset in its body, with an upstream over ${protocol}`, function*() {
      let begun = () => {}
      // The upstream does not read the body, so backpressure holds most of it back.
      const upstream = protocol === "h2"
        ? yield* makeUpstream((stream, headers) => {
          if (headers[":method"] === "POST") return begun()
          stream.respond({ ":status": 200 }, { endStream: true })
        })
        : yield* FakeUpstream.make({
          certificate,
          handler: (incoming, response) => incoming.method === "POST" ? begun() : response.end()
        })
      const { proxy } = yield* proxyTo(upstream.port)
      for (const code of [NO_ERROR, CANCEL]) {
        const session = yield* connectSession(proxy)
        const began = new Promise<void>((resolve) => {
          begun = resolve
        })
        const stream = post(session).on("error", () => {})
        stream.write(Buffer.alloc(200_000))
        yield* promise(() => began)
        stream.close(code)
        assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200)
      }
    })
  }

  describe("the authority of a stream", () => {
    const served: ReadonlyArray<readonly [what: string, fields: Http2.OutgoingHttpHeaders]> = [
      ["the authority", { ":authority": HOST }],
      ["the authority with its port", { ":authority": `${HOST}:443` }],
      ["the authority in upper case, with a dot", { ":authority": `${HOST.toUpperCase()}.` }],
      ["the authority, and the same host", { ":authority": HOST, host: `${HOST}:443` }],
      ["a host alone", { host: HOST }]
    ]
    live("is accepted in each spelling of the tunnel's host", function*() {
      const { session, upstream } = yield* setUp()
      for (const [what, fields] of served) {
        assert.strictEqual((yield* promise(() => get(session, "/", fields))).status, 200, what)
        const raw = upstream.seen.at(-1) ?? []
        assert.deepStrictEqual(
          raw.flatMap((name, i) => i % 2 === 0 && (name === ":authority" || name === "host") ? [raw[i + 1]] : []),
          [HOST],
          what
        )
      }
    })

    const refused: ReadonlyArray<readonly [what: string, status: number, fields: Http2.OutgoingHttpHeaders]> = [
      ["another authority", 421, { ":authority": EVIL }],
      ["another host beside the authority", 421, { ":authority": HOST, host: EVIL }],
      ["another authority beside the host", 421, { ":authority": EVIL, host: HOST }],
      ["another host alone", 421, { host: EVIL }],
      ["another port", 421, { ":authority": `${HOST}:8443` }],
      ["a subdomain", 421, { ":authority": `x.${HOST}` }],
      ["another scheme", 400, { ":authority": HOST, ":scheme": "http" }],
      ["a fragment", 400, { ":authority": HOST, ":path": "/v1#/../admin" }],
      ["TRACE", 405, { ":authority": HOST, ":method": "TRACE" }],
      ["TRACK", 405, { ":authority": HOST, ":method": "TRACK" }],
      ["TRACE in another case", 400, { ":authority": HOST, ":method": "Trace" }],
      ["a method in lower case", 400, { ":authority": HOST, ":method": "options" }]
    ]
    live("is refused with anything else, without resolving a credential, and the next stream is served", function*() {
      const { daemon, session, upstream } = yield* setUp()
      for (const [at, [what, status, fields]] of refused.entries()) {
        daemon.resolved.length = 0
        const stream = session.request({ ":path": "/", ":scheme": "https", ...fields })
        const { headers, status: received } = yield* promise(() => responseOf(stream))
        assert.strictEqual(received, status, what)
        assert.strictEqual(headers["x-credsvc-error"], "RequestRefusedError", what)
        assert.lengthOf(daemon.resolved, 0, what)
        assert.lengthOf(upstream.seen, at, what)
        assert.strictEqual((yield* promise(() => get(session, "/"))).status, 200, what)
      }
    })

    live("is refused for CONNECT, and extended CONNECT (RFC 8441) is not offered", function*() {
      const { daemon, session, upstream } = yield* setUp()
      const stream = session.request({ ":method": "CONNECT", ":authority": `${EVIL}:443` }, { endStream: false })
      assert.strictEqual((yield* promise(() => responseOf(stream))).status, 400)
      assert.isNotTrue(session.remoteSettings.enableConnectProtocol)
      assert.lengthOf(daemon.resolved, 0)
      assert.lengthOf(upstream.seen, 0)
    })
  })
})
