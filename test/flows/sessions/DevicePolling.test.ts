/** Tests what the runner guarantees to every flow that polls a provider. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { AuthSession } from "../../../src/domain/wire/AuthSession.ts"
import type { FlowStep } from "../../../src/flows/Flow.ts"
import { failsWith } from "../../support/Failures.ts"
import { definition, grant, inHome, type Receive, scripted, started } from "../../support/ScriptedFlows.ts"
import { contentOf, withHome } from "../../support/Services.ts"
import { settle } from "../../support/TestBody.ts"

const userCode = (expiresInSeconds = 900): FlowStep => ({
  _tag: "ShowUserCode",
  message: "Enter the code at as.acme.example.",
  userCode: "WDJB-MJHT",
  verificationUri: "https://as.acme.example/device",
  verificationUriComplete: null,
  interval: 5,
  expiresInSeconds,
  state: { deviceCode: "CANARY-DEVICE-CODE" }
})

const pending: Receive = (_, state) => Effect.succeed({ _tag: "Wait", seconds: 5, state: state as never })
const pass = (seconds: number) => Effect.andThen(TestClock.adjust(`${seconds} seconds`), settle)
const device = { flow: "device_code" } as const

describe("DevicePolling", () => {
  it.effect("polls after each interval until the provider issues a token, and then responds to waiting requests", () => {
    let polls = 0
    const receive: Receive = (...event) => ++polls < 3 ? pending(...event) : Effect.succeed(grant("at-1"))
    return inHome(scripted(userCode(), receive), function*({ runner, start, token }, received) {
      const { nextAction, sessionId } = yield* start(device)
      assert.strictEqual(nextAction.type, "show_user_code")
      const waiter = yield* Effect.forkChild(runner.get(sessionId, { waitSeconds: 30 }))
      yield* settle
      assert.lengthOf(received, 0)
      for (const count of [1, 2]) {
        yield* pass(4)
        assert.lengthOf(received, count - 1)
        yield* pass(1)
        assert.lengthOf(received, count)
        assert.isUndefined(waiter.pollUnsafe())
      }
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(waiter)).status, "completed")
      assert.strictEqual(yield* token, "at-1")
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(received, 3)
    })
  })

  it.effect("stops when the login is cancelled", () =>
    inHome(scripted(userCode(), pending), function*({ runner, start }, received) {
      const { sessionId } = yield* start(device)
      yield* runner.cancel(sessionId)
      yield* pass(300)
      assert.lengthOf(received, 0)
    }))

  it.effect("stops when the code expires, and reports expiry", () =>
    inHome(scripted(userCode(12), pending), function*({ runner, start }) {
      const { sessionId } = yield* start(device)
      yield* settle
      yield* pass(12)
      yield* failsWith(runner.get(sessionId), "SessionExpiredError")
    }))

  it.effect("stops after half an hour, even if the code is valid longer", () =>
    inHome(scripted(userCode(86_400), pending), function*({ start }) {
      const { createdAt, expiresAt } = yield* start(device)
      assert.strictEqual(expiresAt.epochMilliseconds - createdAt.epochMilliseconds, 30 * 60_000)
    }))

  it.effect("continues after a restart with one poller and the code still sealed", () =>
    withHome(function*(home) {
      const first = scripted(userCode(), pending)
      const session: AuthSession = yield* started(home, first.flows, ({ start }) => start(device))
      assert.notInclude(JSON.stringify(session), "CANARY-DEVICE-CODE")
      assert.notInclude(contentOf(home), "CANARY-DEVICE-CODE")
      const second = scripted(userCode(), (_, state) => {
        assert.deepStrictEqual(state, { deviceCode: "CANARY-DEVICE-CODE" })
        return Effect.succeed(grant("at-2"))
      })
      yield* started(home, second.flows, function*({ runner, token }) {
        yield* settle
        assert.strictEqual((yield* runner.get(session.sessionId)).status, "waiting_for_user")
        yield* pass(5)
        assert.strictEqual((yield* runner.get(session.sessionId)).status, "completed")
        assert.strictEqual(yield* token, "at-2")
        assert.lengthOf(second.received, 1)
      })
    }, definition))
})
