import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { paths } from "../support/HostileAuthorizationServer.ts"
import { cleanEnvironment, collect, entry } from "../support/Sandbox.ts"
import type { Reply, Step } from "../support/ScriptedSite.ts"
import { query } from "../support/Services.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"
import { API_HOST, type Setup, signIn, withServer } from "./support.ts"

const exported = ({ harness }: Setup, connection = "default") =>
  harness.daemon.request("/credentials/export", {
    method: "POST",
    body: { provider: "hostile", connection, format: "json" }
  })

const refreshes = ({ server }: Setup) =>
  server.at(paths.token).filter(({ form }) => form.get("grant_type") === "refresh_token")

/** With connections whose access tokens have expired. */
const withExpired = (connections: ReadonlyArray<string>, body: (setup: Setup) => Returned<unknown, Scope.Scope>) =>
  withServer(function*(there) {
    for (const connection of connections) {
      const { error, status } = yield* signIn(there, { login: { connection } })
      assert.strictEqual(status, "completed", error?.message)
    }
    yield* there.pass("2 hours")
    yield* toEffect(body(there))
  })

describe("A refresh", () => {
  it.live("keeps the old refresh token if the response has none, and stores a new one", () =>
    withExpired(["default"], function*(there) {
      there.server.answer(
        paths.token,
        () => ({ body: there.server.tokens({ refresh_token: undefined }) }),
        () => ({ body: there.server.tokens({ refresh_token: "canary-rt-new" }) }),
        () => ({ body: there.server.tokens() })
      )
      for (let round = 0; round < 3; round++) {
        assert.strictEqual((yield* exported(there)).status, 200)
        yield* there.pass("2 hours")
      }
      const used = refreshes(there).map(({ form }) => form.get("refresh_token"))
      assert.deepStrictEqual(used, ["canary-rt-1", "canary-rt-1", "canary-rt-new"])
    }))

  const failures: ReadonlyArray<readonly [what: string, step: Step]> = [
    ["status 500", { status: 500 }],
    ["status 503 with a page", {
      status: 503,
      body: "<html>back soon</html>",
      headers: { "content-type": "text/html" }
    }],
    ["status 429", { status: 429, headers: { "retry-after": "600" } }],
    ["a captive portal", { status: 200, body: "<html>log in</html>", headers: { "content-type": "text/html" } }],
    ["truncated JSON", { body: "{\"access_token\":", headers: { "content-type": "application/json" } }],
    ["a dropped connection", { act: "drop" }],
    ["an error that is not about the grant", { status: 400, body: { error: "invalid_request" } }],
    ["an error without a code", { status: 400, body: "no", headers: { "content-type": "text/plain" } }],
    ["a redirect", { status: 307, headers: { location: "https://elsewhere.test/" } }]
  ]
  const names = failures.map((_, index) => `row-${index}`)
  it.live("that fails temporarily keeps the tokens", () =>
    withExpired(names, function*(there) {
      for (const [index, [what, step]] of failures.entries()) {
        there.server.answer(paths.token, step)
        const response = yield* exported(there, names[index])
        assert.isAtLeast(response.status, 500, `${what}: ${response.body}`)
        const { json } = yield* there.harness.connection("hostile", names[index])
        assert.strictEqual(json.status, "connected", what)
        assert.isTrue(json.has_refresh_token, what)
        assert.isString(json.last_refresh_error, what)
      }
      const sentOnce = refreshes(there).map(({ form }) => form.get("refresh_token"))
      assert.strictEqual(new Set(sentOnce).size, names.length)

      const env = { ...cleanEnvironment(there.harness.home), CREDSVC_DAEMON_URL: there.harness.daemon.url }
      const list = spawn(process.execPath, [entry, "list"], { env, stdio: "pipe" })
      const { stdout } = yield* Effect.promise(() => collect(list))
      assert.strictEqual(stdout.match(/row-\d+.* connected \(refresh failed\) /g)?.length, names.length, stdout)
    }))

  it.live("that the server rejects permanently ends the connection and keeps its record", () =>
    withExpired(["plain", "challenged"], function*(there) {
      const invalid = { status: 400, body: { error: "invalid_grant" } }
      there.server.answer(
        paths.token,
        invalid,
        { ...invalid, status: 401, headers: { "www-authenticate": "Bearer error=\"invalid_grant\"" } }
      )
      for (const name of ["plain", "challenged"]) {
        const response = yield* exported(there, name)
        assert.strictEqual(response.status, 401, response.body)
        assert.include(response.json.detail, "credsvc login hostile")
        assert.strictEqual((yield* there.harness.connection("hostile", name)).json.status, "expired")
      }
      const sent = refreshes(there).length
      yield* exported(there, "plain")
      assert.strictEqual(refreshes(there).length, sent)
      const audited = query(there.harness.home, "SELECT event, status, connection FROM audit")
      assert.isTrue(audited.some(({ connection, status }) => connection === "plain" && status !== "ok"))
    }))

  it.live("whose response was lost is retried once with the same token", () =>
    withExpired(["default"], function*(there) {
      there.server.answer(paths.token, { act: "drop" }, () => ({ body: there.server.tokens() }))
      let response = yield* exported(there)
      if (response.status !== 200) {
        yield* there.pass("3 seconds")
        response = yield* exported(there)
      }
      const used = refreshes(there).map(({ form }) => form.get("refresh_token"))
      assert.deepStrictEqual(used.slice(0, 2), ["canary-rt-1", "canary-rt-1"])
      assert.isAtMost(used.length, 2)
    }))

  for (const ending of ["logout", "revoke", "force-login"] as const) {
    it.live(`that ends after a ${ending} restores nothing`, () =>
      withExpired(["default"], function*(there) {
        const late = Promise.withResolvers<Reply>()
        there.server.answer(
          paths.token,
          () => late.promise,
          () => ({ body: there.server.tokens({ access_token: "canary-login" }) })
        )
        const pending = yield* Effect.forkChild(exported(there))
        yield* Effect.promise(() => there.server.arrival(paths.token, 2))
        if (ending === "force-login") yield* signIn(there, { login: { force: true } })
        else yield* there.harness[ending]("hostile")
        late.resolve({
          body: there.server.tokens({ access_token: "canary-late", refresh_token: "canary-late-rt" })
        })
        const response = yield* Fiber.join(pending)
        assert.notInclude(response.body, "canary-late")
        if (ending === "force-login") {
          const resolved = yield* there.harness.resolve(API_HOST)
          assert.strictEqual(resolved.json.headers.Authorization, "Bearer canary-login")
        } else {
          assert.strictEqual((yield* there.harness.connection("hostile")).status, 404)
        }
      }))
  }

  it.live("of one connection does not delay another", () =>
    withExpired(["slow"], function*(there) {
      there.server.answer(paths.token, () => ({ body: there.server.tokens({ access_token: "canary-quick" }) }))
      yield* signIn(there, { login: { connection: "quick" } })
      const late = Promise.withResolvers<Reply>()
      there.server.answer(paths.token, () => late.promise)
      const sent = there.server.at(paths.token).length
      const slow = yield* Effect.forkChild(there.harness.resolve(API_HOST, { connection: "slow" }))
      yield* Effect.promise(() => there.server.arrival(paths.token, sent + 1))
      // The server responds only after this response, so the test would hang if the request had to wait.
      const quick = yield* there.harness.resolve(API_HOST, { connection: "quick" })
      assert.strictEqual(quick.json.headers.Authorization, "Bearer canary-quick")
      late.resolve({ body: there.server.tokens() })
      yield* Fiber.join(slow)
    }))

  it.live("replaces a token that the upstream rejected, identified by its issue time only", () =>
    withServer(function*(there) {
      yield* signIn(there)
      const resolved = (rejected?: string) =>
        there.harness.daemon.request("/credentials/resolve", {
          method: "POST",
          body: { host: API_HOST, ...(rejected === undefined ? {} : { rejected }) }
        })
      const before = yield* resolved()
      assert.match(before.json.issued_at, /^\d{4}-/)
      const after = yield* resolved(before.json.issued_at)
      assert.notStrictEqual(after.json.issued_at, before.json.issued_at)
      assert.notDeepEqual(after.json.headers, before.json.headers)
      assert.lengthOf(refreshes(there), 1)
      assert.deepStrictEqual((yield* resolved(before.json.issued_at)).json, after.json)
      assert.deepStrictEqual((yield* resolved(after.json.issued_at)).json, after.json, "not again so soon")
      assert.lengthOf(refreshes(there), 1)
    }))
})
