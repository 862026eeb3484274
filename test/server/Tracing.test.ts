/** Checks what a program that embeds the daemon can record with its own tracer. */
import { afterAll, assert, beforeAll, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { live } from "../support/Fixture.ts"
import { type OidcServer, openOidcServer, publicClient } from "../support/OidcServer.ts"
import { recorder } from "../support/RecordedTelemetry.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { startTestDaemon } from "../support/TestDaemon.ts"
import { writeConfig } from "../support/TestSites.ts"

let server: OidcServer
beforeAll(async () => {
  server = await openOidcServer()
})
afterAll(() => server.close())

describe("Tracing in an embedding program", () => {
  live("records no code, state, session ID, key or token of a login", function*() {
    const home = yield* temporaryDirectory
    writeConfig(home, server.sites)
    const { recorded, tracer } = recorder()
    const daemon = yield* Effect.withTracer(startTestDaemon({ home }), tracer)
    yield* daemon.post("/providers", {
      schema_version: 1,
      name: "acme",
      display_name: "Acme",
      auth_type: "oauth2",
      flow: "pkce",
      api_url: "https://api.example.test",
      oauth: { issuer: "https://as.example.test", scopes: ["openid", "offline_access", "read"], ...publicClient }
    })
    const login = { method: "POST", body: { provider: "acme" } }
    const { next_action, session_id } = (yield* daemon.request("/auth/sessions", login)).json
    const back = new URL(yield* Effect.promise(() => server.user.walk(next_action.url)))
    const code = back.searchParams.get("code")!
    const state = back.searchParams.get("state")!
    assert.strictEqual((yield* daemon.request(back.pathname + back.search)).status, 303)
    assert.include((yield* daemon.request(`/auth/sessions/${session_id}/input`)).body, "Acme is connected")
    // Failures of requests whose path contains a session ID.
    yield* daemon.request(back.pathname + back.search)
    yield* daemon.post(`/auth/sessions/${session_id}/resume`, { data: { api_key: "x" } })
    const stray = yield* daemon.request(`/auth/callback/oauth?code=stray-code&state=${"s".repeat(43)}`)
    assert.strictEqual(stray.status, 400)
    assert.strictEqual((yield* daemon.request(`/auth/sessions/${"u".repeat(43)}`)).status, 404)
    const revealed = yield* daemon.request("/connections/acme/default?reveal=true")
    const token: string = revealed.json.access_token
    assert.isString(token)

    const form = (yield* daemon.post("/auth/sessions", { provider: "openai" })).json
    const key = "sk-tracing-0123456789abcdefghij"
    const body = { data: { api_key: key } }
    yield* daemon.post(`/auth/sessions/${form.session_id}/resume`, body)
    assert.strictEqual((yield* daemon.request(`/auth/sessions/${form.session_id}`)).json.status, "completed")

    assert.isNotEmpty(recorded, "the tracer is in use")
    const strays = ["stray-code", "s".repeat(43), "u".repeat(43)]
    for (const secret of [code, state, session_id, form.session_id, token, key, ...strays]) {
      assert.deepStrictEqual(recorded.filter((entry) => entry.includes(secret)), [])
    }
  })
})
