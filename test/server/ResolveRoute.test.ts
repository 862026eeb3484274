import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as http from "node:http"
import { tamper } from "../support/Services.ts"
import { startTestDaemon, type TestDaemonShape } from "../support/TestDaemon.ts"

const key = "sk-proj-0123456789abcdefABCDEF0123456789"
const asked = { host: "api.openai.com", port: 443, scheme: "https", provider: "openai", connection: "default" }

const loggedIn = Effect.gen(function*() {
  const daemon = yield* startTestDaemon()
  const session = yield* daemon.request("/auth/sessions", { method: "POST", body: { provider: "openai" } })
  const done = yield* daemon.request(`/auth/sessions/${session.json.session_id}/resume`, {
    method: "POST",
    body: { data: { api_key: key } }
  })
  assert.strictEqual(done.json.status, "completed", done.body)
  return daemon
})

const resolve = (daemon: TestDaemonShape, body: string, agent: http.Agent, headers: Record<string, string> = {}) =>
  daemon.request("/credentials/resolve", {
    method: "POST",
    body,
    agent,
    headers: { "content-type": "application/json", ...headers }
  })

/** One kept connection: admitted with its first request, so that the short way is open to the ones that follow. */
const keptConnection = (daemon: TestDaemonShape) =>
  Effect.acquireRelease(
    Effect.sync(() => new http.Agent({ keepAlive: true, maxSockets: 1 })),
    (agent) => Effect.sync(() => agent.destroy())
  ).pipe(Effect.tap((agent) => daemon.request("/health", { agent })))

describe("ResolveRoute", () => {
  it.live("answers every request as the ordinary route does, good or bad", () =>
    Effect.gen(function*() {
      const daemon = yield* loggedIn
      const agent = yield* keptConnection(daemon)
      const bodies = [
        JSON.stringify(asked),
        JSON.stringify({ host: "api.openai.com" }),
        `  ${JSON.stringify(asked)}`,
        JSON.stringify({ ...asked, host: "api.evil.test" }),
        JSON.stringify({ ...asked, port: 8443 }),
        JSON.stringify({ ...asked, scheme: "http" }),
        JSON.stringify({ ...asked, connection: "work" }),
        JSON.stringify({ ...asked, provider: "absent" }),
        JSON.stringify({ ...asked, provider: "../etc" }),
        JSON.stringify({ ...asked, extra: 1 }),
        JSON.stringify({ port: 443 }),
        "{\"host\":\"api.openai.com\",\"host\":\"api.evil.test\"}",
        "{\"host\":",
        "[]",
        "null"
      ]
      for (const body of bodies) {
        // A chunked body takes the ordinary route, and so does `Expect`; what is asked is the same.
        const short = yield* resolve(daemon, body, agent)
        const ordinary = yield* daemon.request("/credentials/resolve", {
          method: "POST",
          body,
          agent,
          headers: { "content-type": "application/json", expect: "100-continue" }
        })
        assert.deepStrictEqual([short.status, short.json], [ordinary.status, ordinary.json], body)
        for (
          const name of ["content-type", "cache-control", "x-content-type-options", "cross-origin-resource-policy"]
        ) {
          assert.strictEqual(short.headers[name], ordinary.headers[name], `${name} of ${body}`)
        }
      }
      const good = yield* resolve(daemon, JSON.stringify(asked), agent)
      assert.strictEqual(good.json.headers.Authorization, `Bearer ${key}`)
    }).pipe(Effect.scoped))

  it.live("lets nothing past the guard (A1, A3, A4, A6)", () =>
    Effect.gen(function*() {
      const daemon = yield* loggedIn
      const agent = yield* keptConnection(daemon)
      const refused: ReadonlyArray<readonly [number, Record<string, string>]> = [
        [403, { host: "evil.test:7998" }],
        [403, { origin: "http://evil.test" }],
        [403, { "sec-fetch-site": "cross-site" }],
        [403, { "sec-fetch-site": "none" }],
        [415, { "content-type": "text/plain" }]
      ]
      for (const [status, headers] of refused) {
        const own = yield* Effect.scoped(
          Effect.flatMap(keptConnection(daemon), (each) => resolve(daemon, JSON.stringify(asked), each, headers))
        )
        assert.strictEqual(own.status, status, JSON.stringify(headers))
        assert.notInclude(own.body, key)
      }
      assert.strictEqual((yield* resolve(daemon, JSON.stringify(asked), agent)).status, 200)
    }).pipe(Effect.scoped))

  it.live("holds a logout, a login and a change of the default from the next request on (D24)", () =>
    Effect.gen(function*() {
      const daemon = yield* loggedIn
      const agent = yield* keptConnection(daemon)
      const body = JSON.stringify(asked)
      for (let round = 0; round < 3; round++) assert.strictEqual((yield* resolve(daemon, body, agent)).status, 200)
      yield* daemon.request("/connections/openai/default/logout", { method: "POST" })
      const gone = yield* resolve(daemon, body, agent)
      assert.strictEqual(gone.status, 404)
      assert.strictEqual(gone.json.error, "CredentialMissingError")
      const session = yield* daemon.request("/auth/sessions", { method: "POST", body: { provider: "openai" } })
      yield* daemon.request(`/auth/sessions/${session.json.session_id}/resume`, {
        method: "POST",
        body: { data: { api_key: `${key}-new` } }
      })
      assert.strictEqual((yield* resolve(daemon, body, agent)).json.headers.Authorization, `Bearer ${key}-new`)
    }).pipe(Effect.scoped))

  it.live("gives a run no answer again after a logout, a login, an override or a change from outside (D24, A35, C5)", () =>
    Effect.gen(function*() {
      const daemon = yield* loggedIn
      const agent = yield* keptConnection(daemon)
      const { profile } = (yield* daemon.request("/whoami")).json
      const headers = { "credsvc-run": "r".repeat(22), "credsvc-profile": profile }
      const ask = resolve(daemon, JSON.stringify(asked), agent, headers)
      const logIn = (value: string) =>
        Effect.gen(function*() {
          const session = yield* daemon.request("/auth/sessions", { method: "POST", body: { provider: "openai" } })
          yield* daemon.request(`/auth/sessions/${session.json.session_id}/resume`, {
            method: "POST",
            body: { data: { api_key: value } }
          })
        })
      for (let round = 0; round < 3; round++) assert.strictEqual((yield* ask).status, 200)
      yield* daemon.request("/connections/openai/default/logout", { method: "POST" })
      assert.strictEqual((yield* ask).json.error, "CredentialMissingError")
      yield* logIn(`${key}-new`)
      for (let round = 0; round < 3; round++) {
        assert.strictEqual((yield* ask).json.headers.Authorization, `Bearer ${key}-new`)
      }
      tamper(daemon.home, "UPDATE connections SET generation = generation + 1")
      assert.notStrictEqual((yield* ask).status, 200)
      tamper(daemon.home, "UPDATE connections SET generation = generation - 1")
      for (let round = 0; round < 3; round++) assert.strictEqual((yield* ask).status, 200)
      const override = { name: "openai", auth_type: "api_key", flow: "api_key", api_url: "https://api.openai.com/v2" }
      assert.strictEqual(
        (yield* daemon.request("/providers?force=true", { method: "POST", body: override })).status,
        201
      )
      yield* daemon.request("/providers")
      assert.notStrictEqual((yield* ask).status, 200)
    }).pipe(Effect.scoped))

  it.live("writes the first use of a run down, and each use without one (C22)", () =>
    Effect.gen(function*() {
      const daemon = yield* loggedIn
      const agent = yield* keptConnection(daemon)
      const uses = Effect.map(
        daemon.request("/audit?event=resolve"),
        (answer) => answer.json.entries.length as number
      )
      const body = JSON.stringify(asked)
      for (let round = 0; round < 3; round++) yield* resolve(daemon, body, agent, { "credsvc-run": "r".repeat(22) })
      assert.strictEqual(yield* uses, 1)
      for (let round = 0; round < 3; round++) yield* resolve(daemon, body, agent)
      assert.strictEqual(yield* uses, 4)
    }).pipe(Effect.scoped))
})
