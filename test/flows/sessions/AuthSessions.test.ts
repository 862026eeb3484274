import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { SessionId } from "../../../src/domain/wire/AuthSession.ts"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import { drawSessionId } from "../../../src/flows/sessions/AuthSessions.ts"
import { failsWith } from "../../support/Failures.ts"
import { type Context, definition, effect, key, started } from "../../support/KeyLogins.ts"
import { contentOf, tamper, withHome } from "../../support/Services.ts"
import { settle } from "../../support/TestBody.ts"
import { onPostgres } from "../../support/TestStore.ts"

describe("AuthSessions", () => {
  it.effect("survives a restart, and keeps the ID and content of an auth session out of the files", () =>
    withHome(function*(home) {
      const { sessionId } = yield* started(home, ({ start }) => start())
      const database = contentOf(`${home}/server`)
      assert.notInclude(database, sessionId)
      assert.notInclude(database, "CANARY-LABEL")
      yield* started(home, function*({ reveal, runner }) {
        yield* runner.resume(sessionId, key("ak-1"))
        assert.strictEqual(yield* reveal, "ak-1")
      })
    }, definition({ api_key: { fields: [{ name: "api_key", label: "CANARY-LABEL" }] } })))

  it.effect("rejects an auth session whose row was altered", () =>
    withHome(function*(home) {
      const { sessionId } = yield* started(home, ({ start }) => start())
      tamper(home, "UPDATE auth_sessions SET name = 'other'")
      yield* failsWith(started(home, ({ runner }) => runner.get(sessionId)), "VaultUnavailableError")
    }, definition()))

  effect("allows at most 32 open logins", function*({ runner, start }) {
    const sessions = yield* Effect.forEach(
      Array.from({ length: 32 }, (_, index) => index),
      (index) => start({ connection: `c${index}` as ConnectionName })
    )
    yield* failsWith(start(), "RequestRefusedError")
    yield* runner.cancel(sessions[0]!.sessionId)
    yield* start()
    yield* failsWith(start(), "RequestRefusedError")
    yield* TestClock.adjust("11 minutes")
    yield* start()
  })
})

// The clock of tests does not wait for PostgreSQL.
describe.skipIf(onPostgres)("AuthSessions › a wait for a change", () => {
  const waiting = ({ runner }: Context, id: SessionId, waitSeconds = 30) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(runner.get(id, { waitSeconds }))
      yield* settle
      return fiber
    })

  effect("returns when the auth session changes", function*(context) {
    const { sessionId } = yield* context.start()
    const fiber = yield* waiting(context, sessionId)
    assert.isUndefined(fiber.pollUnsafe())
    yield* context.runner.resume(sessionId, key("ak-1"))
    assert.strictEqual((yield* Fiber.join(fiber)).status, "completed")
  })

  effect("returns after the requested time, and after 30 seconds at the latest", function*(context) {
    const { sessionId } = yield* context.start()
    const short = yield* waiting(context, sessionId, 5)
    const long = yield* waiting(context, sessionId, 500)
    yield* TestClock.adjust("4 seconds")
    assert.isUndefined(short.pollUnsafe())
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.join(short)).status, "waiting_for_user")
    yield* TestClock.adjust("24 seconds")
    assert.isUndefined(long.pollUnsafe())
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.join(long)).status, "waiting_for_user")
  })

  effect("returns immediately if the auth session has ended", function*({ runner, start }) {
    const { sessionId } = yield* start()
    yield* runner.cancel(sessionId)
    assert.strictEqual((yield* runner.get(sessionId, { waitSeconds: 30 })).status, "cancelled")
  })

  effect("reports expiry when the time of the auth session runs out during the wait", function*(context) {
    const { sessionId } = yield* context.start()
    yield* TestClock.adjust("590 seconds")
    const fiber = yield* waiting(context, sessionId)
    yield* TestClock.adjust("10 seconds")
    yield* failsWith(Fiber.join(fiber), "SessionExpiredError")
  })

  effect("allows eight waiters per auth session, and releases the slots of interrupted ones", function*(context) {
    const { sessionId } = yield* context.start()
    const fibers = yield* Effect.forEach(Array.from({ length: 8 }), () => waiting(context, sessionId))
    yield* failsWith(context.runner.get(sessionId, { waitSeconds: 30 }), "RequestRefusedError")
    assert.strictEqual((yield* context.runner.get(sessionId)).status, "waiting_for_user")
    yield* Fiber.interrupt(fibers[0]!)
    const ninth = yield* waiting(context, sessionId)
    assert.isUndefined(ninth.pollUnsafe())
    yield* context.runner.cancel(sessionId)
    assert.strictEqual((yield* Fiber.join(ninth)).status, "cancelled")
  })
})

describe("drawSessionId", () => {
  it("generates no ID that looks like an option", () => {
    const ids = Array.from({ length: 2000 }, drawSessionId)
    assert.deepStrictEqual(ids.filter((id) => id.startsWith("-")), [])
    assert.strictEqual(new Set(ids).size, ids.length)
  })
})
