import { assert, describe } from "@effect/vitest"
import { testsWith } from "../../support/Fixture.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"

const withDaemon = testsWith(startTestDaemon())

describe("documents that do not change", () => {
  withDaemon.live("are sent once to a client that names their version", function*(daemon) {
    for (const target of ["/openapi.json", "/docs"]) {
      const { body, headers } = yield* daemon.request(target)
      assert.isAbove(body.length, 1000)
      const again = yield* daemon.request(target, { headers: { "if-none-match": headers.etag ?? "" } })
      assert.deepStrictEqual([again.status, again.body, again.headers.etag], [304, "", headers.etag])
      assert.strictEqual((yield* daemon.request(target, { headers: { "if-none-match": "\"other\"" } })).status, 200)
    }
  })
})
