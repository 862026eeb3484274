import { assert, describe, it } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { live } from "../support/Fixture.ts"
import { paths } from "../support/HostileAuthorizationServer.ts"
import { type Reply } from "../support/ScriptedSite.ts"
import { attempt, discovered, setUp, withServer } from "./support.ts"

describe("Metadata of a server with a public name", () => {
  const addresses = (port: number) => [
    `https://127.0.0.1:${port}`,
    `https://localhost:${port}`,
    `https://[::1]:${port}`,
    `https://[::ffff:127.0.0.1]:${port}`,
    `https://0.0.0.0:${port}`,
    `https://2130706433:${port}`,
    `https://0x7f.1:${port}`,
    `https://10.1.2.3`,
    `https://192.168.1.1`,
    `https://100.64.0.1`,
    `https://169.254.169.254`,
    `https://[fd00:ec2::254]`,
    `https://[fe80::1]`,
    `http://127.0.0.1:${port}`
  ]

  live("that names a private address causes no connection there", function*() {
    const listener = yield* FakeUpstream.make()
    const there = yield* setUp((issuer) => discovered(issuer, {}, { flow: "dcr_pkce" }))
    for (const [index, origin] of addresses(listener.port).entries()) {
      there.server.answer(paths.metadata, {
        body: there.server.metadata({
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          revocation_endpoint: `${origin}/revoke`
        })
      })
      const connection = `row-${index}`
      const response = yield* attempt(there, { connection, force: true })
      if (response.status === 201 && response.json.next_action.type === "open_url") {
        yield* there.harness.callback(there.server.redirect(response.json.next_action.url))
        const ended = yield* there.harness.ended(response.json.session_id)
        assert.strictEqual(ended.status, "failed", origin)
      }
      assert.strictEqual((yield* there.harness.connection("hostile", connection)).status, 404, origin)
      assert.strictEqual(listener.connections(), 0, origin)
    }
  })
})

describe("A response of a server", () => {
  const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, "{"))
  const rows: ReadonlyArray<readonly [what: string, reply: Reply]> = [
    ["exceeds a mebibyte", { body: { access_token: "x".repeat(2 ** 21), token_type: "Bearer" } }],
    ["never ends", { act: "stream", body: " ".repeat(65_536), headers: { "content-type": "application/json" } }],
    ["exceeds a mebibyte only after decompression", {
      body: bomb,
      headers: { "content-type": "application/json", "content-encoding": "gzip" }
    }]
  ]
  for (const [what, reply] of rows) {
    it.live(`that ${what} ends the login with bounded memory`, () =>
      withServer(function*(there) {
        const session = yield* there.harness.start({ provider: "hostile" })
        there.server.answer(paths.token, reply)
        const before = process.memoryUsage().rss
        yield* there.harness.callback(there.server.redirect(session.next_action.url))
        const ended = yield* there.harness.ended(session.session_id)
        assert.strictEqual(ended.status, "failed")
        assert.isBelow(process.memoryUsage().rss - before, 48 * 2 ** 20)
      }))
  }

  it.live("that does not arrive is awaited for ten seconds at most", () =>
    withServer(function*(there) {
      there.server.answer(paths.metadata, { act: "hang" })
      const { body, status } = yield* attempt(there)
      assert.isAtLeast(status, 400)
      assert.include(body, "did not respond within 10 seconds")
    }, discovered))
})
