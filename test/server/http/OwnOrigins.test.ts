import { assert, describe } from "@effect/vitest"
import { live } from "../../support/Fixture.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"

describe("a daemon on localhost", () => {
  live("sends browsers to the one address on which it listens", function*() {
    const daemon = yield* startTestDaemon({ host: "localhost" })
    const { headers, status } = yield* daemon.request("/ui/", {
      headers: { host: `localhost:${daemon.port}`, "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }
    })
    assert.strictEqual(status, 307)
    assert.match(String(headers["location"]), RegExp(`^http://(?:127\\.0\\.0\\.1|\\[::1\\]):${daemon.port}/ui/$`))
  })
})
