/** Questions of runs, by the requests of the proxy that asks them. */
import { afterEach, assert, describe, vi } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as net from "node:net"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { QUESTION_SECONDS } from "../../src/domain/rules/RuleSet.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { Policies } from "../../src/policies/Policies.ts"
import { Notices } from "../../src/runs/Notices.ts"
import { RunQuestions } from "../../src/runs/RunQuestions.ts"
import { RunRegistry } from "../../src/runs/RunRegistry.ts"
import { live, testsWith } from "../support/Fixture.ts"
import { register } from "../support/RegisteredRun.ts"
import { startTestDaemon, type TestDaemonShape } from "../support/TestDaemon.ts"
import { eventually } from "../support/Until.ts"

const first = "first-run-0123456789"
const id = "0123abcd"
const rule = "DELETE api.openai.com/v1/files/1"
const question = { id, method: "DELETE", host: "api.openai.com", path: "/v1/files/1", rules: [rule], policies: [] }

const withDaemon = testsWith(startTestDaemon(), () => PeerOwner.layer)

const ask = (daemon: TestDaemonShape, changes: object = {}) =>
  daemon.post("/runs/questions", { ...question, ...changes }, { "credsvc-run": first })

const answer = (daemon: TestDaemonShape, given: string) =>
  daemon.post(`/runs/questions/${id}/answer`, { answer: given })

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

  withDaemon.live("adds rules to all policies of a question, or adds none and asks again", function*(daemon) {
    const rules = { allow: ["GET api.openai.com"], deny: [], readonly: false }
    for (const name of ["one", "two"]) yield* daemon.post(`/policies/${name}`, rules)
    yield* register(daemon, first, { ask: true, policies: ["one", "two"] })
    const rulesOf = (name: string) => Effect.map(daemon.request(`/policies/${name}`), ({ json }) => json.rules)
    const asking = yield* Effect.forkScoped(ask(daemon, { policies: ["one", "two"] }))
    yield* untilWaiting(daemon)
    yield* daemon.request("/policies/two", { method: "DELETE" })
    assert.strictEqual((yield* answer(daemon, "always")).status, 403)
    assert.deepStrictEqual(yield* rulesOf("one"), rules)
    assert.strictEqual((yield* answer(daemon, "no")).status, 200)
    assert.deepStrictEqual((yield* Fiber.join(asking)).json, { outcome: "no" })
  })

  describe("when the user answers while the question expires", () => {
    const peer = new net.Socket()

    /** Questions of one run with a policy. Each gate is awaited before what it is named after. */
    const questions = (gates: { readonly isOutside?: Effect.Effect<void>; readonly extend?: Effect.Effect<void> }) => {
      const extended: Array<string> = []
      const run = {
        name: "0123456789",
        profile: "main",
        ask: true,
        rules: [{ policy: "one" }],
        stoppedAt: null,
        frozenAt: null,
        expiresAt: null
      }
      return Effect.map(
        RunQuestions.pipe(
          Effect.provide(RunQuestions.layerNoDeps),
          Effect.provideService(AuditLog, { append: () => Effect.void } as never),
          Effect.provideService(Notices, { send: () => Effect.void } as never),
          Effect.provideService(Policies, {
            extend: () => Effect.andThen(gates.extend ?? Effect.void, Effect.sync(() => void extended.push("one")))
          } as never),
          Effect.provideService(RunRegistry, {
            runOf: () => Effect.succeed(run),
            isOutside: () => Effect.as(gates.isOutside ?? Effect.void, true),
            askElsewhere: Effect.succeed(new Set())
          } as never)
        ),
        (service) => ({ ...service, extended })
      )
    }

    const asked = { ...question, policies: ["one"] } as never
    const answered = (service: RunQuestions["Service"]) =>
      Effect.gen(function*() {
        const asking = yield* Effect.forkChild(service.ask(peer, first, asked))
        yield* eventually(service.list, ({ length }) => length === 1)
        const answering = yield* Effect.forkChild(Effect.exit(service.answer(peer, id as never, "always")))
        yield* Effect.sleep(10)
        vi.spyOn(Date, "now").mockReturnValue(Date.now() + (QUESTION_SECONDS + 1) * 1000)
        yield* service.list
        return { answering, asking }
      })
    afterEach(() => void vi.restoreAllMocks())

    live("stores nothing if the time ends before the answer is accepted", function*() {
      const gate = yield* Deferred.make<void>()
      const service = yield* questions({ isOutside: Deferred.await(gate) })
      const { answering, asking } = yield* answered(service)
      yield* Deferred.succeed(gate, undefined)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(answering)))
      assert.deepStrictEqual(service.extended, [])
      assert.strictEqual(yield* Fiber.join(asking), "expired")
    })

    live("continues the request if the answer arrived in time", function*() {
      const gate = yield* Deferred.make<void>()
      const service = yield* questions({ extend: Deferred.await(gate) })
      const { answering, asking } = yield* answered(service)
      yield* Deferred.succeed(gate, undefined)
      assert.isTrue(Exit.isSuccess(yield* Fiber.join(answering)))
      assert.deepStrictEqual(service.extended, ["one"])
      assert.strictEqual(yield* Fiber.join(asking), "run")
    })
  })
})
