import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { ConnectionRepo } from "../../../src/connections/ConnectionRepo.ts"
import { Issuers } from "../../../src/connections/oauth/Issuers.ts"
import { Revocations } from "../../../src/connections/oauth/Revocations.ts"
import { RefreshRequests } from "../../../src/connections/renewal/RefreshRequests.ts"
import { SharedAccess } from "../../../src/store/Store.ts"
import { acme, main } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { type Behavior, type FakeIssuer, unreachable } from "../../support/FakeIssuer.ts"
import { testsIn } from "../../support/Fixture.ts"
import { started, untilRefreshed, withIssuer } from "../../support/OAuthConnections.ts"
import { copyOf, query, tamper } from "../../support/Services.ts"
import { settle } from "../../support/TestBody.ts"
import { onPostgres } from "../../support/TestStore.ts"

const { effect } = testsIn(withIssuer)

const normal: Behavior = (_, respond) => respond()
const unavailable: Behavior = () => ({ status: 503 })
// On PostgreSQL, such a trigger would be detected as a foreign change of the schema.
const diskFull = "CREATE TEMP TRIGGER full BEFORE UPDATE ON connections BEGIN SELECT RAISE(FAIL, 'disk full'); END"

const unfinished = (home: string) => query(home, "SELECT * FROM token_refreshes").length

/** Starts a background refresh of a token that is still valid; its process dies while the request is pending. */
const diedDuringRefresh = Effect.fnUntraced(
  function*(home: string, issuer: FakeIssuer, token: Effect.Effect<string, unknown>) {
    yield* TestClock.adjust("55 minutes")
    issuer.behavior = unavailable
    const refresh = yield* issuer.hold(token)
    const copy = yield* copyOf(home)
    yield* refresh.respond
    return copy
  }
)

describe("RefreshRequests › a crash during a refresh", () => {
  effect(
    "before the server acted loses nothing when the request is repeated",
    function*({ expiredLogin, token }, issuer, home) {
      yield* expiredLogin
      // The request of the dead process never got through.
      issuer.behavior = unavailable
      const refresh = yield* issuer.hold(token())
      const copy = yield* copyOf(home)
      yield* Effect.flip(refresh.finish)
      issuer.behavior = normal
      yield* started(copy, issuer, function*(next) {
        assert.strictEqual(yield* next.token(), "at-1")
        assert.strictEqual(unfinished(copy), 0)
        assert.deepStrictEqual(issuer.spent, ["rt-0", "rt-0"])
      })
    }
  )

  effect(
    "after the server acted leads to one more request, whatever its response is",
    function*({ expiredLogin, token }, issuer, home) {
      yield* expiredLogin
      const refresh = yield* issuer.hold(token(), "after")
      // The server has rotated the token; the process dies before the response arrives.
      const copy = yield* copyOf(home)
      yield* refresh.finish
      assert.strictEqual(unfinished(copy), 1)
      yield* started(copy, issuer, function*(next) {
        yield* failsWith(next.token(), "TokenExpiredError")
        assert.strictEqual((yield* next.record()).status, "expired")
        assert.strictEqual(unfinished(copy), 0)
      })
      assert.lengthOf(issuer.refreshes, 2)
    }
  )

  effect("is followed by a retry at each start until the server is reached", function*({ login, token }, issuer, home) {
    yield* login()
    const copy = yield* diedDuringRefresh(home, issuer, token())
    for (const [behavior, left] of [[() => unreachable, 1], [unavailable, 1], [normal, 0]] as const) {
      issuer.behavior = behavior
      const again = issuer.pause()
      yield* started(copy, issuer, () => Effect.andThen(again.arrived, again.release))
      assert.strictEqual(unfinished(copy), left)
    }
  })
})

describe("RefreshRequests › a response that was stored late", () => {
  it.effect.skipIf(onPostgres)(
    "is withheld until it can be stored, and then used without another request",
    () =>
      withIssuer(function*({ expiredLogin, record, token, sql }, issuer) {
        yield* expiredLogin
        yield* sql.unsafe(diskFull)
        yield* failsWith(token(), "VaultUnavailableError")
        yield* failsWith(token(), "VaultUnavailableError")
        assert.lengthOf(issuer.refreshes, 1, "the refresh token is not sent again")
        yield* sql`DROP TRIGGER full`
        yield* TestClock.adjust("3 seconds")
        yield* untilRefreshed(record())
        assert.strictEqual(yield* token(), "at-1")
        assert.lengthOf(issuer.refreshes, 1)
      })
  )

  it.effect.skipIf(onPostgres)(
    "does not delete the lease of the refresh that followed it",
    () =>
      withIssuer(function*({ expiredLogin, resolve, sql, token }, issuer, home) {
        yield* expiredLogin
        yield* sql.unsafe(diskFull)
        yield* Effect.flip(token())
        yield* TestClock.adjust("1 second")
        yield* sql`DROP TRIGGER full`
        const { issuedAt } = yield* resolve()
        const refresh = yield* issuer.hold(token({ rejected: issuedAt! }))
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual(unfinished(home), 1)
        assert.strictEqual(yield* refresh.finish, "at-2")
        assert.strictEqual(unfinished(home), 0)
      })
  )
})

describe("RefreshRequests with several processes", () => {
  const otherProcess = (home: string, deadline: number) =>
    tamper(
      home,
      `INSERT INTO token_refreshes SELECT record_id, generation, '1- other', '${
        new Date(deadline).toISOString()
      }' FROM connections`
    )

  it.effect("waits for the refresh of another process until its lease has expired, then refreshes the token", () =>
    withIssuer(function*({ expiredLogin, token }, issuer, home) {
      yield* expiredLogin
      otherProcess(home, 2 * 3_600_000 + 20_000)
      const waiting = yield* Effect.forkChild(token())
      const second = Effect.andThen(settle, TestClock.adjust("1 second"))
      yield* Effect.repeat(second, { times: 18 })
      assert.lengthOf(issuer.refreshes, 0)
      yield* Effect.repeat(second, { times: 1 })
      assert.strictEqual(yield* Fiber.join(waiting), "at-1")
      assert.lengthOf(issuer.refreshes, 1)
    }).pipe(Effect.provideService(SharedAccess, true)))

  it.effect("ignores a lease with a later deadline than any valid lease", () =>
    withIssuer(function*({ expiredLogin, token }, issuer, home) {
      yield* expiredLogin
      otherProcess(home, 999 * 3_600_000)
      assert.strictEqual(yield* token(), "at-1")
      assert.lengthOf(issuer.refreshes, 1)
    }).pipe(Effect.provideService(SharedAccess, true)))

  it.effect("uses the tokens that another process has stored instead of sending a token that was already used", () =>
    withIssuer(function*({ expiredLogin, token }, issuer, home) {
      yield* expiredLogin
      assert.strictEqual(yield* token(), "at-1")
      otherProcess(home, 0)
      assert.strictEqual(yield* token(), "at-1")
      assert.lengthOf(issuer.refreshes, 1)
    }).pipe(Effect.provideService(SharedAccess, true)))
})

/** The service below `TokenRefresher`, on the services of the test. */
const renewalLayer = RefreshRequests.layerNoDeps.pipe(
  Layer.provide(Layer.mergeAll(Issuers.layerNoDeps, Revocations.layerNoDeps))
)

describe("RefreshRequests", () => {
  effect("refreshes a token only if it is due or was rejected", function*({ login, profile }, issuer) {
    yield* login()
    const repo = yield* ConnectionRepo
    const stored = (yield* repo.find({ profile, provider: acme, name: main }))!
    yield* Effect.gen(function*() {
      const { renew } = yield* RefreshRequests
      yield* renew(stored)
      assert.lengthOf(issuer.refreshes, 0)
      yield* renew(stored, DateTime.toEpochMillis(stored.metadata.obtainedAt))
      assert.lengthOf(issuer.refreshes, 1)
      yield* TestClock.adjust("55 minutes")
      yield* renew(stored)
      assert.lengthOf(issuer.refreshes, 2)
    }).pipe(Effect.provide(renewalLayer))
  })
})
