import { assert, describe } from "@effect/vitest"
import { testsWith } from "../support/Fixture.ts"
import { contentOf } from "../support/Services.ts"
import { startTestDaemon } from "../support/TestDaemon.ts"

const canary = "CANARY-e7c1a9"
const secret = `sk-${canary}-0123456789`

const withDaemon = testsWith(startTestDaemon())

describe("DaemonLog", () => {
  withDaemon.live("has neither secrets nor session IDs, after failures or successes", function*(daemon) {
    const started = yield* daemon.post("/auth/sessions", { provider: "openai" })
    const id = started.json.session_id as string
    yield* daemon.post(`/auth/sessions/${id}/resume`, { data: { api_key: canary } })
    yield* daemon.post(`/auth/sessions/${id}/resume`, { data: { [canary]: secret } })
    const done = yield* daemon.post(`/auth/sessions/${id}/resume`, { data: { api_key: secret } })
    assert.strictEqual(done.json.status, "completed", done.body)
    yield* daemon.request(`/auth/callback/oauth?state=${canary}&code=${canary}&error=${canary}`)
    const cases = [
      "/connections",
      "/connections/openai/default",
      "/audit",
      "/ready",
      "/whoami",
      "/proxy/routes",
      "/ui/"
    ]
    for (const target of cases) {
      const response = yield* daemon.request(target)
      assert.strictEqual(response.status, 200, target)
      assert.notInclude(response.body, canary, target)
    }
    const revealed = yield* daemon.request("/connections/openai/default?reveal=true")
    assert.strictEqual(revealed.json.api_key, secret)
    const resolved = yield* daemon.post("/credentials/resolve", { host: "api.openai.com" })
    assert.deepStrictEqual(Object.values(resolved.json.headers), [`Bearer ${secret}`])
    const exported = yield* daemon.post("/credentials/export", { provider: "openai" })
    assert.strictEqual(exported.json.output, `OPENAI_API_KEY=${secret}\n`)
    const logs = contentOf(daemon.paths.serverLogs)
    assert.notInclude(logs, canary)
    assert.notInclude(logs, id)
    assert.include(logs, "\"event\":\"export\"")
    assert.notInclude(contentOf(daemon.home), canary)
  })
})
