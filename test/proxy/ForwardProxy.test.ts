import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { fakeDaemon, MARKER, route, SECRET, secureTunnel, startProxy, temporaryFile } from "../support/ProxyHarness.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const authority = makeAuthority()
const HOST = "api.example.com"

const setUp = Effect.gen(function*() {
  const upstream = yield* FakeUpstream.make({ certificate: authority.issue([HOST]) })
  const ca = yield* temporaryFile("ca.pem", authority.caPem)
  const daemon = fakeDaemon([route(HOST, "example")])
  const proxy = yield* startProxy({
    daemon,
    upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${upstream.port}` } }
  })
  return { upstream, daemon, proxy }
})

describe("ForwardProxy", () => {
  it.live("puts the credential into a request to a routed host, and the placeholder nowhere", () =>
    Effect.gen(function*() {
      const { daemon, proxy, upstream } = yield* setUp
      const { wire } = yield* Effect.promise(() => secureTunnel(proxy, `${HOST}:443`))
      wire.send(`GET /v1/models HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${MARKER}\r\n\r\n`)
      const answer = yield* Effect.promise(() => wire.answer())
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(upstream.seen.map((request) => request.headers.authorization), [`Bearer ${SECRET}`])
      assert.notInclude(JSON.stringify(upstream.seen), MARKER)
      assert.strictEqual(daemon.resolved.length, 1)
    }).pipe(Effect.scoped))
})
