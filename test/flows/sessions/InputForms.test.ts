import { assert, describe, it } from "@effect/vitest"
import type { ProviderName } from "../../../src/domain/definition/Provider.ts"
import { acme, main, work } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { definition, effect, key, started } from "../../support/KeyLogins.ts"
import { define, withHome } from "../../support/Services.ts"

describe("InputForms", () => {
  effect(
    "returns the hosts, the header fields and the source of the definition",
    function*({ profile, runner, start }) {
      const { expiresAt, sessionId } = yield* start()
      const { token, ...form } = yield* runner.form(sessionId)
      assert.deepStrictEqual(form, {
        provider: acme,
        flow: "api_key",
        displayName: "acme",
        source: "custom",
        overridesBundled: false,
        profile,
        connection: main,
        hosts: ["api.acme.example"],
        carriers: ["X-Acme-Key: {api_key}"],
        credentialsUrl: "https://acme.example/keys",
        notes: [],
        recipient: null,
        redirectUri: null,
        scopes: [],
        reason: null,
        fields: form.fields,
        expiresAt
      })
      assert.notStrictEqual((yield* runner.form(sessionId)).token, token)
    }
  )

  effect("marks a custom definition that overrides a bundled one", function*({ runner, start }, home) {
    yield* define(home, definition({ name: "openai" }))
    const { sessionId } = yield* start({ provider: "openai" as ProviderName })
    assert.deepInclude(yield* runner.form(sessionId), { source: "custom", overridesBundled: true })
  })

  effect("accepts a form token once for any result, and then a new form token", function*({ reveal, runner, start }) {
    const { sessionId } = yield* start()
    const { token } = yield* runner.form(sessionId)
    yield* failsWith(runner.submitForm(sessionId, token, key("wrong")), "InvalidRequestError")
    yield* failsWith(runner.submitForm(sessionId, token, key("ak-1")), "FormTokenError")
    const again = yield* runner.form(sessionId)
    assert.strictEqual((yield* runner.submitForm(sessionId, again.token, key("ak-2"))).status, "completed")
    yield* failsWith(runner.submitForm(sessionId, again.token, key("ak-3")), "SessionExpiredError")
    assert.strictEqual(yield* reveal, "ak-2")
  })

  effect(
    "rejects the form token of another auth session, a forged token and a missing token",
    function*({ connections, profile, runner, start }) {
      const { sessionId } = yield* start()
      const other = yield* start({ connection: work })
      const { token } = yield* runner.form(other.sessionId)
      const [nonce] = token.split(".")
      for (const forged of [token, "", ".", nonce!, `${nonce}.`, `${nonce}.${"A".repeat(43)}`, `A${token}`]) {
        yield* failsWith(runner.submitForm(sessionId, forged, key("ak-1")), "FormTokenError")
      }
      assert.isFalse(yield* connections.exists(profile, acme, main))
    }
  )

  it.effect("accepts a form that was shown before a restart", () =>
    withHome(function*(home) {
      const [sessionId, token] = yield* started(home, function*({ runner, start }) {
        const { sessionId } = yield* start()
        return [sessionId, (yield* runner.form(sessionId)).token] as const
      })
      yield* started(home, function*({ runner }) {
        yield* failsWith(runner.submitForm(sessionId, token, key("no")), "InvalidRequestError")
      })
      yield* started(home, function*({ runner }) {
        yield* failsWith(runner.submitForm(sessionId, token, key("ak-1")), "FormTokenError")
      })
    }, definition()))
})
