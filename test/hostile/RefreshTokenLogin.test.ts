/** Logins with an existing refresh token, and lookups after a login, at a server that a test scripts. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { paths } from "../support/HostileAuthorizationServer.ts"
import type { Step } from "../support/ScriptedSite.ts"
import { API_HOST, type Setup, signIn, stated, withServer } from "./support.ts"

const lookupPath = "/accounts"

const withLookup = (issuer: string) =>
  stated(issuer, {
    lookup: { url: issuer + lookupPath, items: "/accounts", label: "/name", values: { tenant_id: "/id" } },
    headers: { "X-Tenant": "{tenant_id}" }
  }, { hosts: [API_HOST, `${new URL(issuer).host}${lookupPath}`] })

const submit = ({ harness }: Setup, refreshToken: string) =>
  Effect.gen(function*() {
    const session = yield* harness.start({ provider: "hostile", flow: "refresh_token" })
    const answer = yield* harness.daemon.request(`/auth/sessions/${session.session_id}/resume`, {
      method: "POST",
      body: { data: { refresh_token: refreshToken } }
    })
    return { answer, session: yield* harness.session(session.session_id) }
  })

const revoked = ({ server }: Setup) => server.at(paths.revoke).map(({ form }) => form.get("token"))

describe("A login with a refresh token", () => {
  it.live("sends it only to the token endpoint, once, and not in the URL", () =>
    withServer(function*(there) {
      const { session } = yield* submit(there, "canary-pasted")
      assert.strictEqual(session.status, "completed", session.error?.message)
      const [request, ...others] = there.server.received
      assert.isEmpty(others)
      assert.deepStrictEqual(
        [request!.path, request!.query.size, request!.form.get("refresh_token")],
        [paths.token, 0, "canary-pasted"]
      )
      const { body } = yield* there.harness.connection("hostile")
      assert.notInclude(body, "canary")
    }))

  const refusals: ReadonlyArray<readonly [what: string, step: Step]> = [
    ["status 500", { status: 500, body: { error: "canary-pasted" } }],
    ["status 429", { status: 429, headers: { "retry-after": "600" } }],
    ["a redirect", { status: 307, headers: { location: "https://elsewhere.test/canary-pasted" } }],
    ["a page", { body: "<html>canary-pasted</html>", headers: { "content-type": "text/html" } }],
    ["truncated JSON", { body: "{\"access_token\":", headers: { "content-type": "application/json" } }],
    ["two mebibytes", { body: { access_token: "x".repeat(2 * 1024 * 1024) } }],
    ["an endless response", { body: "canary-pasted", act: "stream" }],
    ["a dropped connection", { act: "drop" }],
    ["a refusal that repeats the token", {
      status: 400,
      body: { error: "invalid_grant", error_description: "unknown: canary-pasted" }
    }],
    ["another token type", { body: { access_token: "canary-at", token_type: "dpop" } }]
  ]
  for (const [what, step] of refusals) {
    it.live(`stores nothing after ${what}, repeats nothing, and revokes nothing`, () =>
      withServer(function*(there) {
        there.server.answer(paths.token, step)
        const { answer, session } = yield* submit(there, "canary-pasted")
        assert.notStrictEqual(session.status, "completed")
        assert.notInclude(answer.body + JSON.stringify(session), "canary")
        assert.strictEqual((yield* there.harness.connection("hostile")).status, 404)
        assert.isAtMost(there.server.at(paths.token).length, 2)
        assert.isEmpty(revoked(there))
      }))
  }
})

describe("A lookup after a login", () => {
  const accounts = (ids: ReadonlyArray<string>) => ({
    body: { accounts: ids.map((id) => ({ id, name: `Name ${id}` })) }
  })

  it.live("sends the new token once in a header, and its value goes with each request", () =>
    withServer(function*(there) {
      there.server.answer(lookupPath, accounts(["t-1"]))
      const session = yield* signIn(there)
      assert.strictEqual(session.status, "completed", session.error?.message)
      const [request, ...others] = there.server.at(lookupPath)
      assert.isEmpty(others)
      assert.deepStrictEqual([request!.headers.authorization, request!.query.size], ["Bearer canary-at-1", 0])
      const { json } = yield* there.harness.resolve(API_HOST)
      assert.strictEqual(json.headers["X-Tenant"], "t-1")
    }, withLookup))

  const failures: ReadonlyArray<readonly [what: string, step: Step]> = [
    ["status 401", { status: 401, body: { error: "canary-at-1" } }],
    ["status 503", { status: 503 }],
    ["a redirect to another host", { status: 302, headers: { location: "https://elsewhere.test/canary-at-1" } }],
    ["an upgrade", { status: 101, headers: { connection: "upgrade", upgrade: "h2c" } }],
    ["a compressed response", { body: { accounts: [] }, headers: { "content-encoding": "gzip" } }],
    ["two mebibytes", { body: { accounts: [{ id: "x".repeat(2 * 1024 * 1024) }] } }],
    ["an endless response", { body: "[", act: "stream" }],
    ["a dropped connection", { act: "drop" }],
    ["deep nesting", { body: "[".repeat(100_000), headers: { "content-type": "application/json" } }],
    ["a value that would end a header", { body: { accounts: [{ id: "canary\r\nX-Evil: 1" }] } }]
  ]
  for (const [what, step] of failures) {
    it.live(`that gets ${what} stores nothing and revokes the tokens`, () =>
      withServer(function*(there) {
        there.server.answer(lookupPath, step)
        const session = yield* signIn(there)
        assert.strictEqual(session.status, "failed")
        assert.include(session.error?.message, "nothing was stored")
        assert.notInclude(JSON.stringify(session), "canary")
        assert.strictEqual((yield* there.harness.connection("hostile")).status, 404)
        yield* Effect.promise(() => there.server.arrival(paths.revoke, 2))
        assert.deepStrictEqual(revoked(there), ["canary-rt-1", "canary-at-1"])
      }, withLookup))
  }

  it.live("offers accounts as text that cannot control a terminal or a page, and accepts only one of them", () =>
    withServer(function*(there) {
      there.server.answer(lookupPath, {
        body: {
          accounts: [{ id: "t-1", name: "\u001b]0;evil\u0007<b>One</b>\u202e" }, { id: "t-2", name: "x".repeat(9999) }]
        }
      })
      const started = yield* there.harness.start({ provider: "hostile" })
      yield* there.harness.callback(there.server.redirect(started.next_action.url))
      const { next_action: { fields, url } } = yield* there.harness.session(started.session_id)
      const options = (fields as any)[0].options as ReadonlyArray<{ readonly label: string; readonly value: string }>
      assert.deepStrictEqual(options.map(({ value }) => value), ["t-1", "t-2"])
      for (const { label } of options) {
        assert.notMatch(label, /[\p{Cc}\p{Cf}]/u)
        assert.isAtMost(label.length, 256)
      }
      const page = yield* there.harness.daemon.request(new URL(url).pathname)
      assert.include(page.body, "&lt;b&gt;One&lt;/b&gt;")
      const other = yield* there.harness.daemon.request(`/auth/sessions/${started.session_id}/resume`, {
        method: "POST",
        body: { data: { account: "t-3" } }
      })
      assert.strictEqual(other.status, 400)
      const session = yield* there.harness.resume(started.session_id, { account: "t-2" })
      assert.strictEqual(session.status, "completed")
    }, withLookup))
})
