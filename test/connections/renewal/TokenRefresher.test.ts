import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { acme, main, oauthDocument, work } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { type Behavior, type FakeIssuer, lost, unreachable } from "../../support/FakeIssuer.ts"
import { testsIn } from "../../support/Fixture.ts"
import { type Context, untilRefreshed, withIssuer } from "../../support/OAuthConnections.ts"
import { recordTelemetry } from "../../support/RecordedTelemetry.ts"
import { define } from "../../support/Services.ts"
import { passMinutes, settle } from "../../support/TestBody.ts"
import { eventually } from "../../support/Until.ts"

const { effect } = testsIn(withIssuer)

const hour = 3_600_000
const day = 24 * hour

/** Waits in real time until so many requests have arrived. */
const refreshesOf = (issuer: FakeIssuer, count: number) =>
  eventually(Effect.sync(() => issuer.refreshes.length), (sent) => sent === count)

describe("TokenRefresher", () => {
  it.effect("counts refreshes by their result", () => {
    const { metrics, run, spans } = recordTelemetry()
    return run(withIssuer(function*({ expiredLogin, token }, issuer) {
      yield* expiredLogin
      assert.strictEqual(yield* token(), "at-1")
      yield* passMinutes(120)
      issuer.behavior = () => unreachable
      yield* Effect.flip(token())
      yield* passMinutes(120)
      issuer.behavior = () => lost
      yield* Effect.flip(token())
      const { value } = metrics()
      const count = (result: string) => value("credsvc_refreshes_total", { provider: "acme", result }) ?? 0
      const [renewed, unreached, failed] = [count("renewed"), count("unreachable"), count("failed")]
      assert.strictEqual(renewed, 1)
      assert.isAbove(unreached, 1, "an unreachable server is retried in the background")
      assert.strictEqual(failed, 1)
      const all = renewed + unreached + failed
      assert.strictEqual(value("credsvc_refresh_duration_seconds_count", { provider: "acme" }), all)
      assert.strictEqual(value("credsvc_refreshes_in_progress"), 0)
      assert.lengthOf(spans.filter(({ name }) => name === "RefreshRequests.renew"), all)
    }))
  })

  effect("sends one refresh for a hundred concurrent requests", function*({ expiredLogin, token }, issuer) {
    yield* expiredLogin
    const tokens = yield* Effect.all(Array.from({ length: 100 }, () => token()), { concurrency: "unbounded" })
    assert.deepStrictEqual(new Set(tokens), new Set(["at-1"]))
    assert.lengthOf(issuer.refreshes, 1)
    assert.deepInclude(issuer.refreshes[0]!.fields, {
      grant_type: "refresh_token",
      refresh_token: "rt-0",
      client_id: "client-1"
    })
  })

  effect(
    "continues a refresh whose caller is interrupted, and stores the new token",
    function*({ expiredLogin, token }, issuer) {
      yield* expiredLogin
      const refresh = yield* issuer.hold(token())
      yield* Fiber.interrupt(refresh.fiber)
      yield* refresh.respond
      assert.strictEqual(yield* token(), "at-1")
      assert.lengthOf(issuer.refreshes, 1)
    }
  )

  effect(
    "serves a due token during its refresh, and waits for the refresh of an expired one",
    function*({ login, token }, issuer) {
      yield* login()
      yield* TestClock.adjust("55 minutes")
      const due = yield* issuer.hold(token())
      assert.strictEqual(yield* Fiber.join(due.fiber), "at-0")
      assert.strictEqual(yield* token(), "at-0")
      yield* TestClock.adjust("5 minutes")
      const waiting = yield* Effect.forkChild(token())
      yield* due.respond
      assert.strictEqual(yield* Fiber.join(waiting), "at-1")
      assert.lengthOf(issuer.refreshes, 1)
    }
  )

  effect("refreshes a due token before it is exported or shown", function*({ connections, login, profile }, issuer) {
    yield* login()
    yield* TestClock.adjust("55 minutes")
    const exported = yield* connections.exportCredential(profile, { provider: acme })
    assert.include(Redacted.value(exported.output), "at-1")
    yield* TestClock.adjust("55 minutes")
    const shown = yield* connections.get(profile, acme, main, { reveal: true })
    assert.strictEqual(Redacted.value(shown.accessToken!), "at-2")
    assert.lengthOf(issuer.refreshes, 2)
  })

  effect("does not delay one connection by the refresh of another", function*({ login, token }, issuer) {
    yield* login()
    yield* login({ connection: "other" as typeof main, tokens: ["at-other", "rt-other"], seconds: 86_400 })
    yield* TestClock.adjust("2 hours")
    const refresh = yield* issuer.hold(token())
    assert.strictEqual(yield* token({ provider: acme, connection: "other" as typeof main }), "at-other")
    assert.strictEqual(yield* refresh.finish, "at-1")
  })

  effect("keeps the refresh token if the response has none", function*({ expiredLogin, token }, issuer) {
    issuer.rotates = false
    yield* expiredLogin
    assert.strictEqual(yield* token(), "at-1")
    issuer.rotates = true
    yield* TestClock.adjust("2 hours")
    assert.strictEqual(yield* token(), "at-2")
    yield* TestClock.adjust("2 hours")
    assert.strictEqual(yield* token(), "at-3")
    assert.deepStrictEqual(issuer.spent, ["rt-0", "rt-0", "rt-2"])
  })

  effect("uses the first token's lifetime if a response has none", function*({ expiredLogin, record, token }, issuer) {
    issuer.expiresIn = undefined
    yield* expiredLogin
    yield* token()
    const { expiresAt } = yield* record()
    assert.strictEqual(DateTime.toEpochMillis(expiresAt!), 3 * hour)
  })

  it.effect("logs no scope names when a refresh removes scopes, because the server controls them", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return withIssuer(function*({ login, token }, issuer) {
      yield* login({ scopes: ["read", "CANARY"] })
      issuer.once(() => ({ body: { access_token: "at-1", token_type: "Bearer", scope: "read" } }))
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* token(), "at-1")
      assert.deepStrictEqual(lines, ["acme/default: the refreshed token lacks 1 of the previous scopes"])
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  for (const restores of [true, false]) {
    effect(
      `requests lost scopes once with another refresh, at a server that ${restores ? "then returns" : "refuses"} them`,
      function*({ login, record, token }, issuer) {
        yield* login({ scopes: ["read", "write"] })
        issuer.behavior = ({ fields: { scope } }, normal) =>
          scope !== undefined && !restores
            ? { status: 400, body: { error: "invalid_scope" } }
            : { body: { ...normal().body as object, scope: scope ?? "read" } }
        yield* TestClock.adjust("2 hours")
        assert.strictEqual(yield* token(), restores ? "at-2" : "at-1")
        const { lastRefreshError, scopes } = yield* record()
        assert.deepStrictEqual(scopes, restores ? ["read", "write"] : ["read"])
        assert.isNull(lastRefreshError)
        yield* TestClock.adjust("2 hours")
        yield* token()
        const named = issuer.refreshes.map(({ fields }) => fields["scope"])
        assert.deepStrictEqual(named, [undefined, "read write", undefined, ...restores ? ["read write"] : []])
      }
    )
  }

  for (const accepts of [true, false]) {
    effect(
      `requests the scopes at a server that requires them, and keeps the login if it ${
        accepts ? "accepts" : "refuses"
      } them`,
      function*({ login, record, token }, issuer) {
        yield* login({ scopes: ["read", "write"] })
        const error_description = "AADSTS90009: Application 'a'(b) is requesting a token for itself."
        issuer.behavior = ({ fields: { scope } }, normal) =>
          scope !== undefined && accepts
            ? normal()
            : { status: 400, body: { error: "invalid_request", error_description } }
        yield* TestClock.adjust("2 hours")
        const outcome = yield* Effect.result(token())
        assert.strictEqual(outcome._tag, accepts ? "Success" : "Failure")
        const { lastRefreshError, status } = yield* record()
        assert.deepStrictEqual([status, lastRefreshError?.includes("AADSTS90009") ?? false], ["connected", !accepts])
        assert.deepStrictEqual(issuer.refreshes.map(({ fields }) => fields["scope"]), [undefined, "read write"])
      }
    )
  }

  effect("fails without a request if there is no refresh token", function*({ login, record, token }, issuer) {
    yield* login({ tokens: ["at-0"] })
    yield* TestClock.adjust("59 minutes")
    assert.strictEqual(yield* token(), "at-0")
    yield* TestClock.adjust("1 minute")
    const error = yield* failsWith(token(), "TokenExpiredError")
    assert.include(error.message, "credsvc login acme --force")
    assert.strictEqual((yield* record()).status, "expired")
    assert.lengthOf(issuer.sent, 0)
  })
})

describe("TokenRefresher after a failed refresh", () => {
  effect("ends the connection on invalid_grant, and audits it", function*({ events, login, record, token }, issuer) {
    yield* login()
    issuer.refreshToken = undefined
    yield* TestClock.adjust("2 hours")
    yield* failsWith(token(), "TokenExpiredError")
    const shown = yield* record()
    assert.strictEqual(shown.status, "expired")
    assert.include(shown.lastRefreshError, "credsvc login acme --force")
    assert.isTrue(shown.hasRefreshToken)
    assert.include(yield* events, "refresh default failed")
    yield* Effect.flip(token())
    assert.lengthOf(issuer.refreshes, 1)
  })

  const cases = [
    ["a server error", { status: 503, body: "<html>down</html>" }],
    ["too many requests", { status: 429 }],
    ["a failed connection", unreachable],
    ["a lost response", lost],
    ["the page of a captive portal", { body: "<html>", headers: { "content-type": "text/html" } }],
    ["another error", { status: 400, body: { error: "invalid_scope" } }],
    ["a redirect", { status: 302, headers: { location: "https://evil.example/" } }],
    ["a refused client", { status: 401, body: { error: "invalid_client" } }]
  ] as const
  for (const [name, reply] of cases) {
    effect(`keeps the tokens after ${name}`, function*({ login, record, token }, issuer) {
      yield* login()
      const before = issuer.behavior
      issuer.behavior = () => reply
      yield* TestClock.adjust("55 minutes")
      assert.strictEqual(yield* token(), "at-0")
      yield* TestClock.adjust("4 minutes")
      assert.strictEqual(yield* token(), "at-0", "a valid token is returned")
      yield* TestClock.adjust("2 minutes")
      const error = yield* failsWith(token(), "RefreshFailedError")
      const shown = yield* record()
      assert.strictEqual(shown.status, "connected")
      assert.strictEqual(shown.lastRefreshError, error.message)
      assert.isNull(shown.lastRefreshAt)
      issuer.behavior = before
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* token(), "at-1")
      assert.isNull((yield* record()).lastRefreshError)
    })
  }

  effect("sends no request before Retry-After has passed", function*({ login, token }, issuer) {
    yield* login()
    issuer.once(() => ({ status: 503, headers: { "retry-after": "1800" } }))
    yield* TestClock.adjust("2 hours")
    yield* Effect.flip(token())
    yield* TestClock.adjust("29 minutes")
    yield* Effect.flip(token())
    assert.lengthOf(issuer.refreshes, 1)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* token(), "at-1")
  })

  it.effect(
    "retries a failing server less and less often, and an unreachable server twice a minute",
    () =>
      withIssuer(function*({ expiredLogin, token }, issuer) {
        const inHour = Effect.gen(function*() {
          const before = issuer.refreshes.length
          for (let second = 0; second < 3600; second += 5) {
            yield* Effect.flip(token())
            yield* TestClock.adjust("5 seconds")
          }
          return issuer.refreshes.length - before
        })
        yield* expiredLogin
        issuer.behavior = () => ({ status: 500 })
        assert.isBelow(yield* inHour, 25)
        assert.isBelow(yield* inHour, 9)
        issuer.behavior = () => unreachable
        yield* TestClock.adjust("15 minutes")
        assert.isAbove(yield* inHour, 100)
      })
  )

  effect("retries once with the same refresh token after a lost response", function*({ login, token }, issuer) {
    yield* login()
    issuer.once(() => lost)
    yield* TestClock.adjust("2 hours")
    assert.strictEqual(yield* token(), "at-1")
    assert.deepStrictEqual(issuer.spent, ["rt-0", "rt-0"])
  })

  effect(
    "ends the connection if the server refuses the token again after a lost response",
    function*({ login, record, token }, issuer) {
      yield* login()
      issuer.once((_, normal) => Effect.andThen(Effect.sync(normal), lost))
      yield* TestClock.adjust("2 hours")
      const waiting = yield* Effect.forkChild(failsWith(token(), "TokenExpiredError"))
      yield* refreshesOf(issuer, 2)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(waiting)
      assert.lengthOf(issuer.refreshes, 3)
      assert.strictEqual((yield* record()).status, "expired")
    }
  )

  const refused = (description?: string): Behavior => () => ({
    status: 400,
    body: { error: "invalid_grant", ...(description === undefined ? {} : { error_description: description }) }
  })
  const secondLooks: ReadonlyArray<readonly [what: string, first: ReadonlyArray<Behavior>]> = [
    ["says that it is already processing the token", [refused("The refresh token is already being processed.")]],
    ["says that another refresh is in progress", [refused("Token refresh in progress")]],
    ["refuses the repetition of a request without a response", [() => lost, refused()]]
  ]
  for (const [what, first] of secondLooks) {
    effect(`repeats a refresh a few seconds after a server ${what}`, function*({ login, record, token }, issuer) {
      yield* login()
      for (const behavior of first.toReversed()) issuer.once(behavior)
      yield* TestClock.adjust("2 hours")
      const waiting = yield* Effect.forkChild(token())
      yield* refreshesOf(issuer, first.length)
      yield* TestClock.adjust("4 seconds")
      assert.lengthOf(issuer.refreshes, first.length)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(waiting), "at-1")
      assert.strictEqual((yield* record()).status, "connected")
    })
  }

  effect(
    "fails for its callers after a time limit, and still stores tokens that arrive later",
    function*({ expiredLogin, token }, issuer) {
      yield* expiredLogin
      const refresh = yield* issuer.hold(failsWith(token(), "RefreshFailedError"))
      yield* TestClock.adjust("30 seconds")
      const error = yield* Fiber.join(refresh.fiber)
      assert.include(error.message, "and continues")
      yield* refresh.respond
      assert.strictEqual(yield* token(), "at-1")
      assert.lengthOf(issuer.refreshes, 1)
    }
  )
})

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
        const jumps = [-10 * 365 * day, day, -day, 3650 * day, -hour, 5 * 60_000, -6 * 60_000]
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
