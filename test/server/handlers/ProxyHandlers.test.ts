import { assert, describe } from "@effect/vitest"
import { live } from "../../support/Fixture.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"

describe("GET /proxy/routes", () => {
  live("responds with 304 to a client that has the current table", function*() {
    const daemon = yield* startTestDaemon()
    const first = yield* daemon.request("/proxy/routes")
    const tag = String(first.headers.etag)
    assert.strictEqual(tag, `"${first.json.version}"`)
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const again = yield* daemon.request("/proxy/routes", { headers: { "if-none-match": known } })
      assert.strictEqual(again.status, 304, known)
      assert.strictEqual(again.body, "")
    }
    assert.strictEqual(
      (yield* daemon.request("/proxy/routes", { headers: { "if-none-match": "\"x\"" } })).status,
      200
    )
  })
})
