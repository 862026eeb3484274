import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { paths } from "../support/HostileAuthorizationServer.ts"
import type { Step } from "../support/ScriptedSite.ts"
import { API_HOST, setUp, signIn, stated } from "./support.ts"

describe("Revoking", () => {
  it.live("sends the refresh token first and the access token second, each with its type hint", () =>
    Effect.gen(function*() {
      const there = yield* setUp()
      yield* signIn(there)
      const answer = yield* there.harness.daemon.request("/connections/hostile/revoke", { method: "POST" })
      assert.strictEqual(answer.status, 200, answer.body)
      assert.deepStrictEqual(answer.json.connections, ["default"])
      assert.isTrue(answer.json.provider_contacted)
      assert.isEmpty(answer.json.failures)
      const sent = there.server.at(paths.revoke).map(({ form }) => [form.get("token_type_hint"), form.get("token")])
      assert.deepStrictEqual(sent, [["refresh_token", "canary-rt-1"], ["access_token", "canary-at-1"]])
    }))

  const failures: ReadonlyArray<readonly [what: string, step: Step]> = [
    ["is unavailable", { status: 503 }],
    ["says no", { status: 400, body: { error: "invalid_request" } }],
    ["does not respond", { act: "hang" }],
    ["closes the connection", { act: "drop" }]
  ]
  for (const [what, step] of failures) {
    it.live(`deletes everything locally if the server ${what}, and reports it`, () =>
      Effect.gen(function*() {
        const there = yield* setUp()
        yield* signIn(there)
        there.server.answer(paths.revoke, step)
        const answer = yield* there.harness.daemon.request("/connections/hostile/revoke", { method: "POST" })
        assert.strictEqual(answer.status, 200, answer.body)
        assert.isNotEmpty(answer.json.failures)
        assert.notInclude(answer.body, "canary")
        assert.strictEqual((yield* there.harness.connection("hostile")).status, 404)
        assert.notStrictEqual((yield* there.harness.resolve(API_HOST)).status, 200)
      }))
  }

  it.live("stops the use of the credential before the server has responded", () =>
    Effect.gen(function*() {
      const there = yield* setUp()
      yield* signIn(there)
      let answer = () => {}
      const answered = new Promise<void>((resolve) => {
        answer = resolve
      })
      there.server.answer(paths.revoke, async () => {
        await answered
        return { status: 200 }
      })
      const revoking = yield* Effect.forkChild(
        there.harness.daemon.request("/connections/hostile/revoke", { method: "POST" })
      )
      yield* Effect.promise(() => there.server.arrival(paths.revoke))
      assert.notStrictEqual((yield* there.harness.resolve(API_HOST)).status, 200)
      answer()
      assert.strictEqual((yield* Fiber.join(revoking)).status, 200)
    }))

  it.live("reports that the provider has no revocation endpoint", () =>
    Effect.gen(function*() {
      const there = yield* setUp((issuer) => {
        const { revocation_url: _, ...oauth } = stated(issuer).oauth
        return { ...stated(issuer), oauth }
      })
      yield* signIn(there)
      const answer = yield* there.harness.daemon.request("/connections/hostile/revoke", { method: "POST" })
      assert.isFalse(answer.json.provider_contacted)
      assert.strictEqual((yield* there.harness.connection("hostile")).status, 404)
    }))
})

describe("Logging out", () => {
  it.live("does not contact the server", () =>
    Effect.gen(function*() {
      const there = yield* setUp()
      yield* signIn(there)
      const before = there.server.received.length
      const answer = yield* there.harness.daemon.request("/connections/hostile/default/logout", { method: "POST" })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(there.server.received.length, before)
    }))
})
