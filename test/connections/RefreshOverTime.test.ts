import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { answer } from "../support/FakeIssuer.ts"
import { acme, main, withIssuer } from "../support/OAuthConnections.ts"

const day = 24 * 3_600_000

describe("TokenRefresher with connections in use", () => {
  it.effect("refreshes them before the next request", () =>
    withIssuer(({ login, record, token }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("50 minutes")
        yield* token()
        const pause = issuer.pause()
        yield* TestClock.adjust("5 minutes")
        yield* pause.arrived
        yield* pause.release
        yield* TestClock.adjust("1 second")
        assert.isNotNull((yield* record()).lastRefreshAt)
        assert.strictEqual(yield* token(), "at-1")
      })
    ))

  it.effect("stops refreshing them after a quarter of an hour without use", () =>
    withIssuer(({ login, token }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        yield* token()
        yield* TestClock.adjust("1 day")
        assert.lengthOf(issuer.seen, 0)
      })
    ))
})

describe("TokenRefresher in a daemon that was suspended", () => {
  it.effect("counts the lifetime of the new token from its request, also for the next refresh", () =>
    withIssuer(({ login, record, token }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("1 hour")
        const requested = yield* DateTime.now
        const pause = issuer.pause()
        const waiting = yield* Effect.forkChild(token())
        yield* pause.arrived
        yield* TestClock.adjust("50 minutes")
        issuer.expiresIn = undefined
        yield* pause.release
        yield* Fiber.join(waiting)
        assert.deepInclude(yield* record(), {
          lastRefreshAt: requested,
          expiresAt: DateTime.add(requested, { hours: 1 })
        })
      })
    ))
})

describe("TokenRefresher with a token that the upstream rejects", () => {
  it.effect("refreshes it once, however many callers report it, although it had not expired", () =>
    withIssuer(({ ask, login, token }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        const { issuedAt } = yield* ask()
        const rejected = issuedAt!
        yield* TestClock.adjust("1 minute")
        const tokens = yield* Effect.all(
          Array.from({ length: 20 }, () => token({ rejected })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(tokens), new Set(["at-1"]))
        assert.strictEqual(yield* token({ rejected }), "at-1", "it is no longer the stored token")
        assert.lengthOf(issuer.refreshes, 1)
      })
    ))

  it.effect("withholds it while its replacement is being obtained", () =>
    withIssuer(({ ask, login, token }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        const { issuedAt } = yield* ask()
        const pause = issuer.pause()
        const telling = yield* Effect.forkChild(token({ rejected: issuedAt! }))
        yield* pause.arrived
        const asking = yield* Effect.forkChild(token())
        yield* TestClock.adjust("1 second")
        yield* pause.release
        assert.deepStrictEqual([yield* Fiber.join(telling), yield* Fiber.join(asking)], ["at-1", "at-1"])
        assert.lengthOf(issuer.refreshes, 1)
      })
    ))

  it.effect("does not refresh repeatedly for an upstream that rejects every token", () =>
    withIssuer(({ ask, login }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        for (let second = 0; second < 240; second++) {
          const { issuedAt } = yield* ask()
          yield* ask({ rejected: issuedAt! })
          yield* TestClock.adjust("1 second")
        }
        assert.lengthOf(issuer.refreshes, 1)
      })
    ))

  it.effect("returns it again if the refresh fails, so that the proxy can decide", () =>
    withIssuer(({ ask, login, token }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        const { issuedAt } = yield* ask()
        issuer.behaviour = () => Effect.succeed(answer(500, {}))
        assert.strictEqual(yield* token({ rejected: issuedAt! }), "at-0")
      })
    ))

  it.effect("identifies it by its issue time, and reports whether it can be refreshed", () =>
    withIssuer(({ ask, login }) =>
      Effect.gen(function*() {
        yield* login({ tokens: ["at-0"], seconds: null })
        assert.isFalse((yield* ask()).refreshable)
      })
    ))
})

describe("TokenRefresher over ten years", () => {
  it.effect(
    "with hourly tokens and a clock that jumps both ways loses no login and uses no token twice",
    () =>
      withIssuer(({ login, record, token }, issuer) =>
        Effect.gen(function*() {
          yield* login()
          const jumps = [-10 * 365 * day, day, -day, 3650 * day, -3600_000, 5 * 60_000, -6 * 60_000]
          for (let step = 0; step < 365; step++) {
            const now = DateTime.toEpochMillis(yield* DateTime.now)
            // Advances ten days, and every third step jumps to another time.
            yield* TestClock.setTime(now + 10 * day + (step % 3 === 0 ? jumps[(step / 3) % jumps.length]! : 0))
            yield* token()
            yield* TestClock.adjust("1 minute")
            assert.strictEqual(yield* token(), `at-${issuer.issued}`)
          }
          const sent = issuer.refreshes.map(({ form }) => form["refresh_token"])
          assert.strictEqual(new Set(sent).size, sent.length)
          assert.isAtLeast(sent.length, 300)
          assert.strictEqual((yield* record()).status, "connected")
        })
      )
  )
})

describe("a late token response", () => {
  for (
    const [name, leave] of [
      ["a logout", "logout"],
      ["a revocation", "revoke"],
      ["the removal of the provider", "remove"]
    ] as const
  ) {
    it.effect(`does not restore a connection after ${name}, and its tokens are revoked`, () =>
      withIssuer(({ connections, login, profile, record, token }, issuer) =>
        Effect.gen(function*() {
          yield* login()
          yield* TestClock.adjust("2 hours")
          const pause = issuer.pause()
          const waiting = yield* Effect.forkChild(Effect.exit(token()))
          yield* pause.arrived
          // The revocation itself must not wait for the paused server.
          const paused = issuer.behaviour
          issuer.behaviour = (seen, normal) => seen.url.endsWith("/token") ? paused(seen, normal) : Effect.sync(normal)
          if (leave === "logout") yield* connections.logout(profile, acme, main)
          else if (leave === "revoke") yield* connections.revoke(profile, acme)
          else yield* connections.removeProvider(profile, acme)
          issuer.refreshToken = "rt-0"
          const given = issuer.seen.length
          yield* pause.release
          yield* Fiber.join(waiting)
          yield* TestClock.adjust("1 second")
          assert.include(["ConnectionNotFoundError", "ProviderNotFoundError"], (yield* Effect.flip(record()))._tag)
          assert.deepStrictEqual(
            issuer.seen.slice(given).map(({ form }) => `${form["token_type_hint"]} ${form["token"]}`),
            ["refresh_token rt-1", "access_token at-1"]
          )
        })
      ))
  }

  it.effect("does not replace a new login, and revokes nothing that may belong to it", () =>
    withIssuer(({ login, record, token }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("2 hours")
        const pause = issuer.pause()
        const waiting = yield* Effect.forkChild(token())
        yield* pause.arrived
        yield* login({ force: true, tokens: ["at-new", "rt-new"] })
        yield* pause.release
        assert.strictEqual(yield* Fiber.join(waiting), "at-new")
        assert.strictEqual((yield* record()).status, "connected")
        assert.lengthOf(issuer.seen, 1)
      })
    ))
})
