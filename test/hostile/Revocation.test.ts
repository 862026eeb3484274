import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { testsIn } from "../support/Fixture.ts"
import { paths } from "../support/HostileAuthorizationServer.ts"
import type { Reply, Step } from "../support/ScriptedSite.ts"
import { API_HOST, signIn, stated, withServer } from "./support.ts"

const { live } = testsIn(withServer)

describe("Revoking", () => {
  live("sends the refresh token first and the access token second, each with its type hint", function*(there) {
    yield* signIn(there)
    const response = yield* there.harness.revoke("hostile")
    assert.strictEqual(response.status, 200, response.body)
    assert.deepStrictEqual(response.json.connections, ["default"])
    assert.isTrue(response.json.provider_contacted)
    assert.isEmpty(response.json.failures)
    const sent = there.server.at(paths.revoke).map(({ form }) => [form.get("token_type_hint"), form.get("token")])
    assert.deepStrictEqual(sent, [["refresh_token", "canary-rt-1"], ["access_token", "canary-at-1"]])
  })

  const failures: ReadonlyArray<readonly [what: string, step: Step]> = [
    ["is unavailable", { status: 503 }],
    ["says no", { status: 400, body: { error: "invalid_request" } }],
    ["does not respond", { act: "hang" }],
    ["closes the connection", { act: "drop" }]
  ]
  for (const [what, step] of failures) {
    live(`deletes everything locally if the server ${what}, and reports it`, function*(there) {
      yield* signIn(there)
      there.server.answer(paths.revoke, step)
      const response = yield* there.harness.revoke("hostile")
      assert.strictEqual(response.status, 200, response.body)
      assert.isNotEmpty(response.json.failures)
      assert.notInclude(response.body, "canary")
      assert.strictEqual((yield* there.harness.connection("hostile")).status, 404)
      assert.notStrictEqual((yield* there.harness.resolve(API_HOST)).status, 200)
    })
  }

  live("stops the use of the credential before the server has responded", function*(there) {
    yield* signIn(there)
    const responded = Promise.withResolvers<Reply>()
    there.server.answer(paths.revoke, () => responded.promise)
    const revocation = yield* Effect.forkChild(there.harness.revoke("hostile"))
    yield* Effect.promise(() => there.server.arrival(paths.revoke))
    assert.notStrictEqual((yield* there.harness.resolve(API_HOST)).status, 200)
    responded.resolve({ status: 200 })
    assert.strictEqual((yield* Fiber.join(revocation)).status, 200)
  })

  it.live("reports that the provider has no revocation endpoint", () =>
    withServer(function*(there) {
      yield* signIn(there)
      const response = yield* there.harness.revoke("hostile")
      assert.isFalse(response.json.provider_contacted)
      assert.strictEqual((yield* there.harness.connection("hostile")).status, 404)
    }, (issuer) => {
      const { revocation_url: _, ...oauth } = stated(issuer).oauth
      return { ...stated(issuer), oauth }
    }))
})

describe("Logging out", () => {
  live("does not contact the server", function*(there) {
    yield* signIn(there)
    const before = there.server.received.length
    const response = yield* there.harness.logout("hostile")
    assert.strictEqual(response.status, 200)
    assert.strictEqual(there.server.received.length, before)
  })
})
