import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { ConnectionRepo } from "../../../src/connections/ConnectionRepo.ts"
import { Issuers } from "../../../src/connections/oauth/Issuers.ts"
import { Revocations } from "../../../src/connections/oauth/Revocations.ts"
import { TokenRenewal } from "../../../src/connections/renewal/TokenRenewal.ts"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { acme, main, oauthDocument, work } from "../../support/Acme.ts"
import { testsIn } from "../../support/Fixture.ts"
import { type Context, untilRefreshed, withIssuer } from "../../support/OAuthConnections.ts"
import { define } from "../../support/Services.ts"
import { settle } from "../../support/TestBody.ts"

const { effect } = testsIn(withIssuer)

const day = 24 * 3_600_000

describe("TokenRefresher with connections in use", () => {
  effect("refreshes them before the next request", function*({ login, record, token }, issuer) {
    yield* login()
    yield* TestClock.adjust("50 minutes")
    yield* token()
    const pause = issuer.pause()
    yield* TestClock.adjust("5 minutes")
    yield* pause.arrived
    yield* pause.release
    yield* TestClock.adjust("1 second")
    yield* untilRefreshed(record())
    assert.strictEqual(yield* token(), "at-1")
  })

  effect("stops refreshing them after a quarter of an hour without use", function*({ login, token }, issuer) {
    yield* login()
    yield* token()
    yield* TestClock.adjust("1 day")
    assert.lengthOf(issuer.sent, 0)
  })
})

describe("TokenRefresher in a daemon that was suspended", () => {
  effect("counts the lifetime of the new token from its request", function*({ login, record, token }, issuer) {
    yield* login()
    yield* TestClock.adjust("1 hour")
    const requested = yield* DateTime.now
    const refresh = yield* issuer.hold(Effect.exit(token()))
    yield* TestClock.adjust("50 minutes")
    issuer.expiresIn = undefined
    yield* refresh.respond
    assert.strictEqual(yield* token(), "at-1")
    assert.deepInclude(yield* record(), {
      lastRefreshAt: requested,
      expiresAt: DateTime.add(requested, { hours: 1 })
    })
  })
})

/** The service below `TokenRefresher`, on the services of the test. */
const renewalLayer = TokenRenewal.layerNoDeps.pipe(
  Layer.provide(Layer.mergeAll(Issuers.layerNoDeps, Revocations.layerNoDeps))
)

describe("TokenRenewal", () => {
  effect("refreshes a token only if it is due or was rejected", function*({ login, profile }, issuer) {
    yield* login()
    const repo = yield* ConnectionRepo
    const stored = (yield* repo.find({ profile, provider: acme, name: main }))!
    yield* Effect.gen(function*() {
      const { renew } = yield* TokenRenewal
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

describe("TokenRefresher with a token that the upstream rejects", () => {
  effect("refreshes it once, however many callers report it", function*({ login, resolve, token }, issuer) {
    yield* login()
    const { issuedAt } = yield* resolve()
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

  effect("withholds it while its replacement is being obtained", function*({ login, resolve, token }, issuer) {
    yield* login()
    const { issuedAt } = yield* resolve()
    const report = yield* issuer.hold(token({ rejected: issuedAt! }))
    const waiting = yield* Effect.forkChild(token())
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual([yield* report.finish, yield* Fiber.join(waiting)], ["at-1", "at-1"])
    assert.lengthOf(issuer.refreshes, 1)
  })

  effect("limits refreshes while the upstream rejects every token", function*({ login, resolve }, issuer) {
    yield* login()
    for (let second = 0; second < 240; second++) {
      const { issuedAt } = yield* resolve()
      yield* resolve({ rejected: issuedAt! })
      yield* TestClock.adjust("1 second")
    }
    assert.lengthOf(issuer.refreshes, 1)
  })

  effect("returns the rejected token again if the refresh fails", function*({ login, resolve, token }, issuer) {
    yield* login()
    const { issuedAt } = yield* resolve()
    issuer.behavior = () => ({ status: 500 })
    assert.strictEqual(yield* token({ rejected: issuedAt! }), "at-0")
  })

  effect("identifies it by its issue time, and reports whether it can be refreshed", function*({ login, resolve }) {
    yield* login({ tokens: ["at-0"], seconds: null })
    assert.isFalse((yield* resolve()).refreshable)
  })
})

describe("TokenRefresher over three years", () => {
  it.effect(
    "with hourly tokens and a clock that jumps both ways loses no login and uses no token twice",
    () =>
      withIssuer(function*({ login, record, token }, issuer) {
        yield* login()
        const jumps = [-10 * 365 * day, day, -day, 3650 * day, -3600_000, 5 * 60_000, -6 * 60_000]
        for (let step = 0; step < 105; step++) {
          const now = DateTime.toEpochMillis(yield* DateTime.now)
          // Advances ten days, and every third step jumps to another time.
          yield* TestClock.setTime(now + 10 * day + (step % 3 === 0 ? jumps[(step / 3) % jumps.length]! : 0))
          yield* token()
          yield* TestClock.adjust("1 minute")
          yield* settle
          assert.strictEqual(yield* token(), `at-${issuer.issued}`)
        }
        const sent = issuer.spent
        assert.strictEqual(new Set(sent).size, sent.length)
        assert.isAtLeast(sent.length, 80)
        assert.strictEqual((yield* record()).status, "connected")
      })
  )
})

describe("TokenRefresher › a late token response", () => {
  const endings: Readonly<Record<string, (context: Context) => Effect.Effect<unknown, unknown>>> = {
    "a logout": ({ connections, profile }) => connections.logout(profile, acme, main),
    "a revocation": ({ connections, profile }) => connections.revoke(profile, acme),
    "the removal of the provider": ({ connections, profile }) => connections.removeProvider(profile, acme)
  }
  for (const [name, end] of Object.entries(endings)) {
    effect(`does not restore a connection after ${name}, and its tokens are revoked`, function*(context, issuer) {
      const { expiredLogin, record, token } = context
      yield* expiredLogin
      const refresh = yield* issuer.hold(Effect.exit(token()))
      // The revocation itself must not wait for the paused server.
      const paused = issuer.behavior
      issuer.behavior = (request, normal) => request.url.endsWith("/token") ? paused(request, normal) : normal()
      yield* end(context)
      issuer.refreshToken = "rt-0"
      const before = issuer.sent.length
      yield* refresh.finish
      yield* TestClock.adjust("1 second")
      assert.include(["ConnectionNotFoundError", "ProviderNotFoundError"], (yield* Effect.flip(record()))._tag)
      assert.deepStrictEqual(
        issuer.sent.slice(before).map(({ fields }) => `${fields["token_type_hint"]} ${fields["token"]}`),
        ["refresh_token rt-1", "access_token at-1"]
      )
    })
  }

  effect(
    "does not replace a new login, and causes no revocation",
    function*({ expiredLogin, login, record, token }, issuer) {
      yield* expiredLogin
      const refresh = yield* issuer.hold(token())
      yield* login({ force: true, tokens: ["at-new", "rt-new"] })
      assert.strictEqual(yield* refresh.finish, "at-new")
      assert.strictEqual((yield* record()).status, "connected")
      assert.lengthOf(issuer.sent, 1)
    }
  )

  effect(
    "does not give the token to a request that may no longer use the connection",
    function*({ connections, expiredLogin, login, profile, resolve }, issuer, home) {
      const team = yield* (yield* Profiles).ensure("team")
      const used = connections.resolve(team, { host: "api.acme.example" }, { run: Option.none() })
      yield* expiredLogin
      yield* connections.grant(profile, { provider: acme, grantee: team })
      const granted = yield* issuer.hold(Effect.flip(used))
      yield* connections.withdraw(profile, acme, main, team)
      assert.strictEqual((yield* granted.finish)._tag, "CredentialMissingError")
      for (
        const use of [
          resolve(),
          connections.exportCredential(profile, { provider: acme }),
          connections.get(profile, acme, main, { reveal: true })
        ]
      ) {
        yield* login({ force: true, containedOnly: false })
        yield* TestClock.adjust("2 hours")
        const own = yield* issuer.hold(Effect.flip(use as Effect.Effect<unknown, { readonly message: string }>))
        yield* login({ force: true, containedOnly: true })
        assert.include((yield* own.finish).message, "is for contained runs only")
      }
      yield* login({ force: true, containedOnly: false })
      yield* TestClock.adjust("2 hours")
      issuer.refreshToken = "rt-0"
      const exporting = yield* issuer.hold(Effect.flip(connections.exportCredential(profile, { provider: acme })))
      yield* define(home, { ...oauthDocument(), contained_only: true })
      assert.include((yield* exporting.finish).message, "is for contained runs only")
    }
  )

  effect(
    "does not give a request the expired token of another connection that has become the default",
    function*({ connections, login, profile, token }, issuer) {
      yield* login()
      yield* login({ connection: work, tokens: ["at-work"] })
      yield* TestClock.adjust("2 hours")
      const waiting = yield* issuer.hold(Effect.flip(token()))
      yield* connections.setDefault(profile, acme, work)
      assert.strictEqual((yield* waiting.finish)._tag, "TokenExpiredError")
    }
  )
})
