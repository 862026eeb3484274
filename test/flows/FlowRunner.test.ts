import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { SessionId } from "../../src/domain/wire/AuthSession.ts"
import { acme, main, work } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { definition, effect, key } from "../support/KeyLogins.ts"
import { grant, inHome, scripted } from "../support/ScriptedFlows.ts"
import { define, origin } from "../support/Services.ts"
import { settle } from "../support/TestBody.ts"
import { onPostgres } from "../support/TestStore.ts"

describe("FlowRunner", () => {
  effect("asks for the fields of the definition and stores a key", function*({ events, reveal, runner, start }) {
    const session = yield* start()
    assert.match(session.sessionId, /^[A-Za-z0-9_-]{43}$/)
    assert.deepInclude(session, { provider: acme, connection: main, flow: "api_key", status: "waiting_for_user" })
    assert.deepStrictEqual(session.nextAction, {
      type: "enter_input",
      url: `${origin}/auth/sessions/${session.sessionId}/input`,
      fields: [{
        name: "api_key",
        label: "API key",
        secret: true,
        required: true,
        default: null,
        pattern: "ak-[a-z0-9-]+",
        hint: "begins with ak-"
      }]
    })
    const completed = yield* runner.resume(session.sessionId, key(" ak-canary\n"))
    assert.deepInclude(completed, { status: "completed", error: null, nextAction: { type: "none" } })
    assert.strictEqual(yield* reveal, "ak-canary")
    assert.deepStrictEqual(yield* events, ["login ok", "get ok"])
  })

  effect("keeps the auth session after an invalid value", function*({ connections, profile, reveal, runner, start }) {
    const { sessionId } = yield* start()
    const refused = yield* failsWith(runner.resume(sessionId, key("CANARY")), "InvalidRequestError")
    const message = "API key has an unexpected format: begins with ak-"
    assert.deepStrictEqual(refused.problems, [{ path: "/data/api_key", message }])
    assert.notInclude(JSON.stringify(refused), "CANARY")
    assert.strictEqual((yield* runner.get(sessionId)).status, "waiting_for_user")
    assert.isFalse(yield* connections.exists(profile, acme, main))
    yield* runner.resume(sessionId, key("ak-1"))
    assert.strictEqual(yield* reveal, "ak-1")
  })

  effect("accepts the input of an auth session once", function*({ reveal, runner, start }) {
    const { sessionId } = yield* start()
    yield* runner.resume(sessionId, key("ak-1"))
    yield* failsWith(runner.resume(sessionId, key("ak-2")), "SessionExpiredError")
    yield* failsWith(runner.form(sessionId), "SessionExpiredError")
    assert.strictEqual((yield* runner.cancel(sessionId)).status, "completed")
    assert.strictEqual((yield* runner.get(sessionId)).status, "completed")
    assert.strictEqual(yield* reveal, "ak-1")
  })

  effect("accepts one of many concurrent submissions", function*({ events, runner, start }) {
    const { sessionId } = yield* start()
    const exits = yield* Effect.all(
      Array.from({ length: 10 }, (_, index) => Effect.exit(runner.resume(sessionId, key(`ak-${index}`)))),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(exits.filter(({ _tag }) => _tag === "Success"), 1)
    assert.deepStrictEqual(yield* events, ["login ok"])
  })

  it.effect.skipIf(onPostgres)("keeps its lock during 10,000 submissions for other sessions", () => {
    const response = Deferred.makeUnsafe<void>()
    const step = { _tag: "AskInput", message: "Enter a key.", fields: [], state: {} } as const
    const flows = scripted(step, () => Effect.as(Deferred.await(response), grant("at-1")))
    return inHome(flows, function*({ runner, start }, received) {
      const { sessionId } = yield* start()
      const submit = Effect.forkChild(Effect.exit(runner.resume(sessionId, {})))
      yield* submit
      yield* settle
      for (let i = 0; i <= 10_000; i++) yield* Effect.exit(runner.resume(`${i}`.padEnd(43, "A") as SessionId, {}))
      yield* submit
      yield* settle
      yield* Deferred.succeed(response, undefined)
      assert.lengthOf(received, 1)
    })
  })

  effect(
    "distinguishes an expired auth session from an unknown auth session",
    function*({ connections, profile, runner, start }) {
      const { sessionId } = yield* start()
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual((yield* runner.get(sessionId)).status, "waiting_for_user")
      yield* TestClock.adjust("1 second")
      yield* failsWith(runner.get(sessionId), "SessionExpiredError")
      yield* failsWith(runner.resume(sessionId, key("ak-1")), "SessionExpiredError")
      yield* failsWith(runner.form(sessionId), "SessionExpiredError")
      yield* failsWith(runner.cancel(sessionId), "SessionExpiredError")
      yield* failsWith(runner.get("A".repeat(43) as SessionId), "SessionNotFoundError")
      assert.isFalse(yield* connections.exists(profile, acme, main))
      yield* TestClock.adjust("2 hours")
      yield* start()
      yield* failsWith(runner.get(sessionId), "SessionNotFoundError")
    }
  )

  effect(
    "rejects the second of two logins for one connection when the second ends, and keeps the first",
    function*({ events, reveal, runner, start }) {
      const first = yield* start()
      const second = yield* start()
      yield* runner.resume(first.sessionId, key("ak-1"))
      yield* failsWith(runner.resume(second.sessionId, key("ak-2")), "ConnectionAlreadyExistsError")
      const failed = yield* runner.get(second.sessionId)
      assert.strictEqual(failed.status, "failed")
      assert.strictEqual(failed.error?.error, "ConnectionAlreadyExistsError")
      assert.strictEqual(yield* reveal, "ak-1")
      assert.deepStrictEqual(yield* events, ["login ok", "login failed", "get ok"])
    }
  )

  effect("rejects a key for a definition that has changed", function*({ connections, profile, runner, start }, home) {
    const { sessionId } = yield* start({ connection: work })
    yield* define(home, definition({ hosts: ["evil.example"] }))
    yield* failsWith(runner.form(sessionId), "OperationNotAllowedError")
    const error = yield* failsWith(runner.resume(sessionId, key("ak-1")), "OperationNotAllowedError")
    assert.include(
      error.message,
      "has changed during this login. Start again with: credsvc login acme --connection work"
    )
    assert.strictEqual((yield* runner.get(sessionId)).status, "failed")
    assert.isFalse(yield* connections.exists(profile, acme, work))
  })
})
