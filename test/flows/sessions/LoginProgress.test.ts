/** Tests what the runner guarantees to every flow whose user comes back from a browser. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { AuthenticationFailedError } from "../../../src/domain/Errors.ts"
import type { FlowStep } from "../../../src/flows/Flow.ts"
import { acme, main, work } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { definition, grant, inHome, scripted, started } from "../../support/ScriptedFlows.ts"
import { contentOf, dropIn, query, withHome } from "../../support/Services.ts"
import { settle } from "../../support/TestBody.ts"

const openUrl = (state: string): FlowStep => ({
  _tag: "OpenUrl",
  message: "Log in at as.acme.example.",
  url: `https://as.acme.example/authorize?state=${state}`,
  callbackState: Redacted.make(state),
  state: { verifier: "CANARY-VERIFIER" }
})

/** A browser login whose provider has received the code and has not responded yet. */
const slowProvider = () => {
  const requested = Deferred.makeUnsafe<void>()
  const responded = Deferred.makeUnsafe<void>()
  const response = Effect.as(Effect.interruptible(Deferred.await(responded)), grant("at-1"))
  return {
    ...scripted(openUrl("s-1"), () => Effect.andThen(Deferred.succeed(requested, undefined), response)),
    requested: Deferred.await(requested),
    respond: Deferred.succeed(responded, undefined)
  }
}

describe("LoginProgress › a callback", () => {
  it.effect("passes the callback to the auth session of its state, and stores the result", () =>
    inHome(scripted(openUrl("s-1")), function*({ events, runner, start, token }, received) {
      const session = yield* start()
      const url = "https://as.acme.example/authorize?state=s-1"
      assert.deepStrictEqual(session.nextAction, { type: "open_url", url })
      const done = yield* runner.callback("?state=s-1&code=c-1")
      assert.deepInclude(done.session, { sessionId: session.sessionId, status: "completed", error: null })
      assert.strictEqual(done.startedAt, "client")
      assert.strictEqual(yield* token, "at-1")
      assert.deepStrictEqual(received, [{ _tag: "Callback", query: "?state=s-1&code=c-1" }])
      assert.deepStrictEqual(yield* events, ["login ok", "get ok"])
    }))

  it.effect("ignores a callback without a known state, including its error", () =>
    inHome(scripted(openUrl("s-1")), function*({ runner, start }, received) {
      const { sessionId } = yield* start()
      const unknown = ["error=access_denied", "code=c", "state=", "state=s-2&code=c"]
      for (const text of [...unknown, "state=s-1&state=s-1&code=c", "state=s-1&code=c&code=d"]) {
        yield* failsWith(runner.callback(text), "SessionNotFoundError")
      }
      assert.strictEqual((yield* runner.get(sessionId)).status, "waiting_for_user")
      assert.lengthOf(received, 0)
    }))

  it.effect("contacts the provider once for 50 concurrent identical callbacks, and reports the result to all", () =>
    inHome(scripted(openUrl("s-1"), () => Effect.as(settle, grant("at-1"))), function*({ callback, start }, received) {
      yield* start()
      const all = yield* Effect.all(
        Array.from({ length: 50 }, () => callback()),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(all.map(({ status }) => status))], ["completed"])
      assert.lengthOf(received, 1)
      assert.strictEqual((yield* callback()).status, "completed")
      assert.lengthOf(received, 1)
    }))

  it.effect("keeps the state, the verifier and the ID of a waiting login out of the files", () =>
    inHome(scripted(openUrl("CANARY-STATE")), function*({ start }, _, home) {
      const { sessionId } = yield* start()
      const content = contentOf(home)
      for (const secret of ["CANARY-STATE", "CANARY-VERIFIER", sessionId]) assert.notInclude(content, secret)
      assert.match(String(query(home, "SELECT state_hash FROM auth_sessions")[0]!["state_hash"]), /^[0-9a-f]{64}$/)
    }))

  it.effect("accepts a callback after a restart", () => {
    const { flows } = scripted(openUrl("s-1"))
    return withHome(function*(home) {
      dropIn(home, definition)
      yield* started(home, flows, ({ start }) => start())
      yield* started(home, flows, function*({ callback, token }) {
        assert.strictEqual((yield* callback()).status, "completed")
        assert.strictEqual(yield* token, "at-1")
      })
    })
  })

  it.effect("stores a failure of the flow in the auth session and audits it", () =>
    inHome(
      scripted(
        openUrl("s-1"),
        () => Effect.fail(new AuthenticationFailedError({ provider: "acme", detail: "Acme refused." }))
      ),
      function*({ callback, connections, events, profile, start }) {
        yield* start()
        const session = yield* callback()
        assert.deepInclude(session, {
          status: "failed",
          error: { error: "AuthenticationFailedError", message: "Acme refused." },
          nextAction: { type: "none" }
        })
        assert.isFalse(yield* connections.exists(profile, acme, main))
        assert.deepStrictEqual(yield* events, ["login denied"])
      }
    ))

  it.effect("can continue with another step that has its own state", () => {
    let round = 1
    return inHome(
      scripted(openUrl("s-1"), () => Effect.succeed(round++ === 1 ? openUrl("s-2") : grant("at-2"))),
      function*({ callback, start, token }) {
        yield* start()
        assert.strictEqual((yield* callback()).status, "waiting_for_user")
        yield* failsWith(callback(), "SessionNotFoundError")
        assert.strictEqual((yield* callback("s-2")).status, "completed")
        assert.strictEqual(yield* token, "at-2")
      }
    )
  })

  it.effect("stores nothing for a login that was cancelled while the provider responded", () => {
    const provider = slowProvider()
    return inHome(provider, function*({ callback, connections, events, profile, runner, start }) {
      const { sessionId } = yield* start()
      const fiber = yield* Effect.forkChild(callback())
      yield* provider.requested
      assert.strictEqual((yield* runner.get(sessionId)).status, "processing")
      assert.strictEqual((yield* runner.cancel(sessionId)).status, "cancelled")
      yield* provider.respond
      assert.strictEqual((yield* Fiber.join(fiber)).status, "cancelled")
      assert.isFalse(yield* connections.exists(profile, acme, main))
      assert.deepStrictEqual(yield* events, [])
    })
  })

  it.effect("fails a login that the previous daemon did not finish, and never sends its code again", () =>
    withHome(function*(home) {
      const never = slowProvider()
      const id = yield* started(home, never.flows, function*({ callback, start }) {
        const { sessionId } = yield* start({ connection: work })
        const fiber = yield* Effect.forkChild(callback())
        yield* never.requested
        yield* Fiber.interrupt(fiber)
        return sessionId
      })
      const later = scripted(openUrl("s-2"))
      yield* started(home, later.flows, function*({ callback, runner }) {
        yield* settle
        const session = yield* runner.get(id)
        assert.strictEqual(session.status, "failed")
        assert.include(session.error?.message, "daemon stopped during this login")
        assert.include(session.error?.message, "Start again with: credsvc login acme --connection work")
        assert.strictEqual((yield* callback()).status, "failed")
        assert.lengthOf(later.received, 0)
      })
    }, definition))

  it.effect("finishes even if the browser disconnects", () => {
    const provider = slowProvider()
    return inHome(provider, function*({ callback, start, token }) {
      yield* start()
      const fiber = yield* Effect.forkChild(callback())
      yield* provider.requested
      const leaving = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* provider.respond
      yield* Fiber.join(leaving)
      assert.strictEqual(yield* token, "at-1")
    })
  })

  it.effect("rejects a callback after ten minutes", () =>
    inHome(scripted(openUrl("s-1")), function*({ callback, start }, received) {
      yield* start()
      yield* TestClock.adjust("10 minutes")
      yield* failsWith(callback(), "SessionExpiredError")
      assert.lengthOf(received, 0)
    }))
})
