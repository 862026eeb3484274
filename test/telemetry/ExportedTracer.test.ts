/** Checks what leaves the daemon as telemetry, in a program that embeds it or over OTLP. */
import { afterAll, assert, beforeAll, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import { live } from "../support/Fixture.ts"
import { type OidcServer, openOidcServer, publicClient } from "../support/OidcServer.ts"
import { exportTo } from "../support/OtlpExport.ts"
import { startOtlpReceiver } from "../support/OtlpReceiver.ts"
import { recordTelemetry } from "../support/RecordedTelemetry.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { startTestDaemon } from "../support/TestDaemon.ts"
import { writeConfig } from "../support/TestSites.ts"

let server: OidcServer
beforeAll(async () => {
  server = await openOidcServer()
})
afterAll(() => server.close())

interface Observer {
  readonly observe: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Everything that has been recorded, after what is left has been sent. */
  readonly seen: Effect.Effect<ReadonlyArray<string>>
}

const embedding = Effect.sync((): Observer => {
  const { metrics, recorded, run } = recordTelemetry()
  return {
    observe: run,
    seen: Effect.sync(() => [...recorded, ...metrics().samples.map((each) => JSON.stringify(each))])
  }
})

const exporting = (protocol: string) =>
  Effect.gen(function*() {
    const receiver = yield* startOtlpReceiver
    const { end, traced } = yield* exportTo(receiver.url, { OTEL_EXPORTER_OTLP_PROTOCOL: protocol }, "daemon")
    const observer: Observer = {
      observe: traced,
      seen: Effect.map(end, () => {
        assert.includeMembers(receiver.spans().map(({ name }) => name), ["POST /auth/sessions", "CodeFlow.receive"])
        return receiver.received.map(({ text }) => text)
      })
    }
    return observer
  })

const observers = {
  "An embedding program": { observer: embedding, logFormat: "text" },
  "A receiver of OTLP as JSON": { observer: exporting("http/json"), logFormat: "json" },
  "A receiver of OTLP as protobuf": { observer: exporting("http/protobuf"), logFormat: "text" }
} as const

describe.each(Object.entries(observers))("%s", (_, { logFormat, observer }) => {
  live("gets no code, state, session ID, form token, key, token or query of a login, nor does the log", function*() {
    const home = yield* temporaryDirectory
    writeConfig(home, server.sites)
    const { observe, seen } = yield* observer
    const daemon = yield* observe(startTestDaemon({ home, settings: { logFormat: Option.some(logFormat) } }))
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

    const exported = yield* daemon.post("/credentials/export", { provider: "acme" })
    assert.include(exported.body, token)
    yield* daemon.request("/audit?provider=query-canary")

    const form = (yield* daemon.post("/auth/sessions", { provider: "openai" })).json
    const key = "sk-tracing-0123456789abcdefghij"
    const page = yield* daemon.request(`/auth/sessions/${form.session_id}/input`)
    const formToken = /type="hidden"[^>]* value="([^"]{16,})"/.exec(page.body)?.[1]
    assert.isString(formToken)
    const body = { data: { api_key: key } }
    yield* daemon.post(`/auth/sessions/${form.session_id}/resume`, body)
    assert.strictEqual((yield* daemon.request(`/auth/sessions/${form.session_id}`)).json.status, "completed")

    const recorded = yield* seen
    assert.include(recorded.join(), "/auth/sessions/:session_id/resume", "telemetry is recorded")
    const log = fs.readFileSync(daemon.paths.daemonLog, "utf8")
    assert.strictEqual(log.startsWith("{"), logFormat === "json")
    const refreshToken: unknown = revealed.json.refresh_token
    const strays = ["stray-code", "s".repeat(43), "u".repeat(43), "query-canary", formToken!]
    if (typeof refreshToken === "string") strays.push(refreshToken)
    for (const secret of [code, state, session_id, form.session_id, token, key, ...strays]) {
      assert.deepStrictEqual([...recorded, log].filter((entry) => entry.includes(secret)), [])
    }
  })
})
