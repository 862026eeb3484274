import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { PLACEHOLDER } from "../../../src/domain/injection/Placeholder.ts"
import { acme } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { definition, fieldsOf, inHomeOf, token, tokens } from "../../support/OAuthLogins.ts"
import { contentOf } from "../../support/Services.ts"
import { redacted } from "../../support/StoredConnections.ts"

describe("OAuthForm › the additional fields of a login", () => {
  const ads = definition({
    client_id: "acme-cli",
    fields: [
      { name: "developer_token", pattern: "dev-.+", hint: "It begins with dev-." },
      { name: "manager_id", secret: false }
    ],
    headers: { "developer-token": "{developer_token}" },
    query: { manager: "{manager_id}" }
  }, { export: { env: { developer_token: "ACME_DEVELOPER_TOKEN" } } })
  const inAds = inHomeOf(ads)
  const entered = { developer_token: "dev-CANARY", manager_id: "m-7" }

  it.effect("are asked for before the browser opens, sealed, and placed in requests beside the token", () =>
    inAds({ [token]: tokens() }, function*({ connection, finish, resolve, runner, start }, http, home) {
      const form = yield* start()
      assert.deepStrictEqual(
        fieldsOf(form).map(({ name, required, secret }) => ({ name, required, secret })),
        [
          { name: "developer_token", required: true, secret: true },
          { name: "manager_id", required: true, secret: false }
        ]
      )
      assert.isNull((yield* runner.form(form.sessionId)).recipient)
      const session = yield* finish(yield* runner.resume(form.sessionId, redacted(entered)))
      assert.strictEqual(session.status, "completed")
      assert.deepInclude(yield* resolve, {
        headers: { Authorization: "Bearer at-1", "developer-token": "dev-CANARY" },
        query: { manager: "m-7" }
      })
      assert.deepStrictEqual((yield* connection).fields, { manager_id: "m-7" })
      assert.lengthOf(http.sent, 1)
      assert.notInclude(http.sent[0]!.body, "dev-CANARY")
      assert.notInclude(contentOf(home), "dev-CANARY")
    }))

  it.effect("survive a refresh, get placeholders in a run, and are exported", () =>
    inAds({ [token]: tokens() }, function*({ connections, finish, profile, refresh, resolve, runner, start }) {
      const { sessionId } = yield* start()
      yield* finish(yield* runner.resume(sessionId, redacted(entered)))
      assert.isDefined((yield* refresh).issuedAt)
      assert.strictEqual((yield* resolve).headers["developer-token"], "dev-CANARY")
      const { placeholders } = yield* connections.routes(profile)
      assert.deepInclude(placeholders, { provider: acme, variable: "ACME_DEVELOPER_TOKEN", value: PLACEHOLDER })
      assert.deepInclude(placeholders, { provider: acme, variable: "ACME_MANAGER_ID", value: "m-7" })
      const exported = yield* connections.exportCredential(profile, { provider: acme, format: "env" })
      assert.include(Redacted.value(exported.output), "ACME_DEVELOPER_TOKEN=dev-CANARY\n")
    }))

  it.effect("are asked for together with unknown client credentials, and kept if the server refuses only the client", () =>
    inHomeOf({ ...ads, oauth: { ...ads.oauth, client_id: undefined } })({
      [token]: (_, count) => count === 1 ? { status: 401, body: { error: "invalid_client" } } : tokens()
    }, function*({ finish, resolve, runner, start }) {
      const { sessionId } = yield* start()
      yield* failsWith(runner.resume(sessionId, redacted({ client_id: "cid" })), "InvalidRequestError")
      const again = yield* finish(yield* runner.resume(sessionId, redacted({ client_id: "cid", ...entered })))
      assert.deepStrictEqual(fieldsOf(again).map(({ name }) => name), ["client_id", "client_secret"])
      yield* finish(yield* runner.resume(sessionId, redacted({ client_id: "cid-2" })))
      assert.strictEqual((yield* resolve).headers["developer-token"], "dev-CANARY")
    }))

  const cases = [
    ["a value of another form", { ...entered, developer_token: "CANARY" }, "/data/developer_token"],
    ["a missing value", { developer_token: "dev-CANARY" }, "/data/manager_id"],
    ["a placeholder", { ...entered, developer_token: `dev-CANARY-${PLACEHOLDER}` }, "/data/developer_token"],
    ["a line break", { ...entered, manager_id: "CANARY\nX: y" }, "/data/manager_id"],
    ["a value of OAuth itself", { ...entered, access_token: "CANARY" }, "/data/access_token"]
  ] as const
  for (const [what, data, path] of cases) {
    it.effect(`reject ${what}, without repeating it`, () =>
      inAds({}, function*({ runner, start }) {
        const { sessionId } = yield* start()
        const error = yield* failsWith(runner.resume(sessionId, redacted(data)), "InvalidRequestError")
        assert.deepStrictEqual(error.problems.map((problem) => problem.path), [path])
        assert.notInclude(JSON.stringify(error), "CANARY")
      }))
  }
})
