import { assert, describe } from "@effect/vitest"
import * as Option from "effect/Option"
import { live } from "../../support/Fixture.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"

describe("OwnOrigins", () => {
  live("sends browsers from localhost to the one address on which the daemon listens", function*() {
    const daemon = yield* startTestDaemon({ host: "localhost" })
    const { headers, status } = yield* daemon.request("/ui/", {
      headers: { host: `localhost:${daemon.port}`, "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }
    })
    assert.strictEqual(status, 307)
    assert.match(String(headers["location"]), RegExp(`^http://(?:127\\.0\\.0\\.1|\\[::1\\]):${daemon.port}/ui/$`))
  })

  live("accepts the host in CREDSVC_SERVER_BASE_URL, and uses only this host in links", function*() {
    const daemon = yield* startTestDaemon({
      settings: { serverBaseUrl: Option.some(new URL("https://creds.example")) }
    })
    const named = yield* daemon.request("/health", {
      headers: { host: "creds.example", origin: "https://creds.example", "sec-fetch-site": "same-origin" }
    })
    assert.strictEqual(named.status, 200)
    const local = yield* daemon.post("/auth/sessions", { provider: "openai" }, { host: `localhost:${daemon.port}` })
    assert.match(local.json.next_action.url, /^https:\/\/creds\.example\/auth\/sessions\//)
    const foreign = yield* daemon.request("/health", {
      headers: { host: "creds.example", origin: "http://creds.example" }
    })
    assert.strictEqual(foreign.status, 403)
  })
})
