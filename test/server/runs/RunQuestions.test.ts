/** Questions of runs, by the requests of the proxy that asks them. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { PeerOwner } from "../../../src/platform/PeerOwner.ts"
import { testsWith } from "../../support/Fixture.ts"
import { register } from "../../support/RegisteredRun.ts"
import { startTestDaemon, type TestDaemonShape } from "../../support/TestDaemon.ts"
import { eventually } from "../../support/Until.ts"

const first = "first-run-0123456789"
const id = "0123abcd"
const rule = "DELETE api.openai.com/v1/files/1"
const question = { id, method: "DELETE", host: "api.openai.com", path: "/v1/files/1", rules: [rule], policies: [] }

const withDaemon = testsWith(startTestDaemon(), () => PeerOwner.layer)

const ask = (daemon: TestDaemonShape, changes: object = {}) =>
  daemon.request("/runs/questions", {
    method: "POST",
    headers: { "credsvc-run": first },
    body: { ...question, ...changes }
  })

const answer = (daemon: TestDaemonShape, given: string) =>
  daemon.request(`/runs/questions/${id}/answer`, { method: "POST", body: { answer: given } })

const untilWaiting = (daemon: TestDaemonShape) =>
  eventually(daemon.request("/runs/questions"), ({ json }) => json.questions.length > 0)

describe("RunQuestions", () => {
  withDaemon.live("ends a question with the first answer", function*(daemon) {
    yield* register(daemon, first, { ask: true })
    const [{ json }, answers] = yield* Effect.all([
      ask(daemon),
      Effect.andThen(
        untilWaiting(daemon),
        Effect.all([answer(daemon, "once"), answer(daemon, "run")], { concurrency: 2 })
      )
    ], { concurrency: 2 })
    const given = answers.find(({ status }) => status === 200)!.json.answer
    assert.sameMembers(answers.map(({ status }) => status), [200, 403])
    assert.deepStrictEqual(json, { outcome: given })
  })

  withDaemon.live("asks nothing for a run that gets no more credentials", function*(daemon) {
    yield* register(daemon, first, { ask: true, expires_at: new Date(Date.now() + 50).toISOString() })
    yield* Effect.sleep(100)
    assert.strictEqual((yield* ask(daemon)).status, 403)
  })

  withDaemon.live(
    "adds rules to all policies of a question, or to none and lets the user answer again",
    function*(daemon) {
      const rules = { allow: ["GET api.openai.com"], deny: [], readonly: false }
      for (const name of ["one", "two"]) yield* daemon.request(`/policies/${name}`, { method: "POST", body: rules })
      yield* register(daemon, first, { ask: true, policies: ["one", "two"] })
      const rulesOf = (name: string) => Effect.map(daemon.request(`/policies/${name}`), ({ json }) => json.rules)
      const asking = yield* Effect.forkScoped(ask(daemon, { policies: ["one", "two"] }))
      yield* untilWaiting(daemon)
      yield* daemon.request("/policies/two", { method: "DELETE" })
      assert.strictEqual((yield* answer(daemon, "always")).status, 403)
      assert.deepStrictEqual(yield* rulesOf("one"), rules)
      assert.strictEqual((yield* answer(daemon, "no")).status, 200)
      assert.deepStrictEqual((yield* Fiber.join(asking)).json, { outcome: "no" })
    }
  )
})
