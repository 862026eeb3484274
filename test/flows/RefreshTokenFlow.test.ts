import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { ClientCredentialsRepo } from "../../src/connections/oauth/ClientCredentialsRepo.ts"
import { PLACEHOLDER } from "../../src/domain/injection/Placeholder.ts"
import { acme, main, oauthDocument } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { FakeIssuer, lost, unreachable } from "../support/FakeIssuer.ts"
import { testsIn } from "../support/Fixture.ts"
import { loginContext } from "../support/Logins.ts"
import { contentOf, copyOf, logins, withHome } from "../support/Services.ts"
import { redacted } from "../support/StoredConnections.ts"
import { type Returned, settle, toEffect } from "../support/TestBody.ts"
import { onPostgres } from "../support/TestStore.ts"

const document = (oauth: object = {}) =>
  oauthDocument({ display_name: "Acme", flow: "refresh_token", flows: ["refresh_token"], oauth })

const client = { client_id: "cid", client_secret: "CANARY-SECRET" }

const setUp = Effect.gen(function*() {
  const context = yield* loginContext
  const clients = yield* ClientCredentialsRepo
  const sql = yield* SqlClient.SqlClient
  const { connections, profile, runner, start } = context
  /** Starts a login and submits the form. */
  const submit = (token: string, more: object = client) =>
    Effect.flatMap(
      start({ force: true }),
      ({ sessionId }) => runner.resume(sessionId, redacted({ refresh_token: token, ...more }))
    )
  const token = Effect.map(
    context.resolve(),
    ({ headers }) => Redacted.value(headers["Authorization"]!).replace("Bearer ", "")
  )
  const exists = connections.exists(profile, acme, main)
  const stored = Effect.map(clients.list(profile, acme), (all) => all.map(({ credentials }) => credentials.clientId))
  return { ...context, exists, sql, stored, submit, token }
})

type Context = Effect.Success<typeof setUp>

/** A process on the home. */
const started = <A>(home: string, issuer: FakeIssuer, body: (context: Context) => Returned<A, Scope.Scope>) =>
  Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(
    Effect.provide(logins(home, issuer.layer), { local: true })
  )

const inHome = <A>(
  body: (context: Context, issuer: FakeIssuer, home: string) => Returned<A, Scope.Scope>,
  oauth: object = {}
) =>
  withHome((home) => {
    const issuer = new FakeIssuer()
    return started(home, issuer, (context) => body(context, issuer, home))
  }, document(oauth))

const { effect } = testsIn(inHome)

// On PostgreSQL, such a trigger would be detected as a foreign change of the schema.
const diskFull = "CREATE TEMP TRIGGER full BEFORE INSERT ON connections BEGIN SELECT RAISE(FAIL, 'disk full'); END"

describe("RefreshTokenFlow", () => {
  effect(
    "refreshes once, and stores the rotated token as an ordinary connection",
    function*({ connection, events, stored, submit, token }, issuer, home) {
      const session = yield* submit("rt-0")
      assert.deepInclude(session, { status: "completed", message: "Acme is connected." })
      assert.deepInclude(issuer.refreshes[0]!.fields, { grant_type: "refresh_token", refresh_token: "rt-0", ...client })
      assert.deepInclude(yield* connection, {
        flow: "refresh_token",
        hasRefreshToken: true,
        scopes: [],
        status: "connected"
      })
      assert.deepStrictEqual(yield* stored, ["cid"])
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* token, "at-2")
      assert.deepStrictEqual(issuer.spent, ["rt-0", "rt-1"])
      assert.include(yield* events, "login ok")
      for (const secret of ["rt-0", "rt-1", "CANARY-SECRET"]) assert.notInclude(contentOf(home), secret)
    }
  )

  effect("keeps the token that was entered if the server does not rotate it", function*({ submit, token }, issuer) {
    issuer.rotates = false
    assert.strictEqual((yield* submit("rt-0")).status, "completed")
    yield* TestClock.adjust("2 hours")
    assert.strictEqual(yield* token, "at-2")
    assert.deepStrictEqual(issuer.spent, ["rt-0", "rt-0"])
  })

  effect("asks for client credentials only if they are unknown or wrong", function*({ start, stored, submit }, issuer) {
    const required = Effect.map(start({ force: true }), ({ nextAction }) =>
      nextAction.type === "enter_input"
        ? nextAction.fields.filter(({ required }) => required).map(({ name }) => name)
        : [])
    assert.deepStrictEqual(yield* required, ["refresh_token", "client_id"])
    yield* submit("rt-0")
    assert.deepStrictEqual(yield* required, ["refresh_token"])
    assert.strictEqual((yield* submit("rt-1", {})).status, "completed")
    assert.strictEqual(issuer.refreshes[1]!.fields["client_id"], "cid")
    assert.strictEqual((yield* submit("rt-2", { client_id: "other" })).status, "completed")
    assert.strictEqual(issuer.refreshes[2]!.fields["client_id"], "other")
    assert.deepStrictEqual(yield* stored, ["other", "cid"])
  })

  it.effect("uses the refresh endpoint of the definition", () =>
    inHome(function*({ submit }, issuer) {
      yield* submit("rt-0")
      assert.strictEqual(issuer.sent[0]!.url, "https://login.acme.example/refresh/token")
    }, { refresh_url: "https://login.acme.example/refresh/token" }))

  const cases = [
    ["a missing token", { refresh_token: " " }, "/data/refresh_token"],
    ["a token with a line break", { refresh_token: "CANARY\nrt" }, "/data/refresh_token"],
    ["a token with a space", { refresh_token: "CANARY rt" }, "/data/refresh_token"],
    ["a token of 5000 characters", { refresh_token: "CANARY".padEnd(5000, "x") }, "/data/refresh_token"],
    ["a placeholder", { refresh_token: `CANARY-${PLACEHOLDER}` }, "/data/refresh_token"],
    ["a missing client", { client_id: "" }, "/data/client_id"],
    ["a client secret without a client ID", { client_id: "", client_secret: "CANARY" }, "/data/client_id"],
    ["an unknown field", { access_token: "CANARY" }, "/data/access_token"]
  ] as const
  for (const [what, fields, path] of cases) {
    effect(
      `rejects ${what} at its field, without quoting it or sending a request`,
      function*({ runner, start }, issuer) {
        const { sessionId } = yield* start()
        const data = redacted({ refresh_token: "rt-0", client_id: "cid", ...fields })
        const error = yield* failsWith(runner.resume(sessionId, data), "InvalidRequestError")
        assert.include(error.problems.map((problem) => problem.path), path)
        assert.notInclude(JSON.stringify(error), "CANARY")
        assert.strictEqual((yield* runner.get(sessionId)).status, "waiting_for_user")
        assert.lengthOf(issuer.sent, 0)
      }
    )
  }

  effect("asks again after a refusal, and stores nothing", function*({ exists, runner, stored, submit }, issuer) {
    const form = yield* submit("rt-of-someone-else")
    assert.deepInclude(form, { status: "waiting_for_user" })
    assert.include(form.message, "(invalid_grant). Check the values and enter them again.")
    assert.strictEqual(form.nextAction.type, "enter_input")
    assert.deepStrictEqual([yield* exists, yield* stored], [false, []])
    issuer.refreshToken = "rt-0"
    const session = yield* runner.resume(form.sessionId, redacted({ refresh_token: "rt-0", ...client }))
    assert.strictEqual(session.status, "completed")
  })

  effect("keeps an existing connection if the new token is refused", function*({ submit, token }, issuer) {
    yield* submit("rt-0")
    issuer.behavior = () => ({ status: 400, body: { error: "invalid_grant" } })
    assert.strictEqual((yield* submit("rt-1")).status, "waiting_for_user")
    assert.strictEqual(yield* token, "at-1")
  })

  effect("creates no connection if the server cannot be reached", function*({ exists, submit }, issuer) {
    issuer.behavior = () => unreachable
    yield* failsWith(submit("rt-0"), "EndpointUnreachableError")
    assert.isFalse(yield* exists)
    assert.lengthOf(issuer.refreshes, 1)
  })

  effect("sends the token once more if the response was lost", function*({ submit }, issuer) {
    issuer.rotates = false
    issuer.once(() => lost)
    assert.strictEqual((yield* submit("rt-0")).status, "completed")
    assert.deepStrictEqual(issuer.spent, ["rt-0", "rt-0"])
  })
})

describe("RefreshTokenFlow › the next start", () => {
  effect("sends the same token again after a crash before the server acted", function*({ submit }, issuer, home) {
    const login = yield* issuer.hold(submit("rt-0"))
    const copy = yield* copyOf(home)
    issuer.once(() => unreachable)
    yield* Effect.exit(login.finish)
    const other = new FakeIssuer()
    yield* TestClock.adjust("1 minute")
    yield* started(copy, other, function*(next) {
      yield* settle
      assert.isTrue(yield* next.exists)
      assert.strictEqual(yield* next.token, "at-1")
      assert.deepStrictEqual(other.spent, ["rt-0"])
    })
  })

  effect(
    "sends the token once more after a crash if the server had already acted",
    function*({ submit }, issuer, home) {
      const login = yield* issuer.hold(submit("rt-0"), "after")
      const copy = yield* copyOf(home)
      yield* login.finish
      yield* TestClock.adjust("1 minute")
      yield* started(copy, issuer, function*(next) {
        yield* settle
        assert.isFalse(yield* next.exists)
        assert.deepStrictEqual(issuer.spent, ["rt-0", "rt-0"])
        assert.include(yield* next.events, "login denied")
      })
    }
  )
})

describe("RefreshTokenFlow › a full disk", () => {
  it.effect.skipIf(onPostgres)(
    "delays the end of the login until the new token can be stored",
    () =>
      inHome(function*({ exists, runner, sql, submit, token }, issuer) {
        yield* sql.unsafe(diskFull)
        const session = yield* submit("rt-0")
        assert.strictEqual(session.status, "processing")
        assert.isFalse(yield* exists)
        yield* sql`DROP TRIGGER full`
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual((yield* runner.get(session.sessionId)).status, "completed")
        assert.strictEqual(yield* token, "at-1")
        assert.deepStrictEqual(issuer.spent, ["rt-0"])
      })
  )
})

describe("RefreshTokenFlow › a login that was cancelled during the refresh", () => {
  for (
    const [rotates, revoked] of [[true, ["rt-1", "at-1"]], [false, []]] as const
  ) {
    effect(
      `stores nothing, and ${rotates ? "revokes the new tokens" : "does not revoke the token that was entered"}`,
      function*({ exists, runner, start }, issuer) {
        issuer.rotates = rotates
        const { sessionId } = yield* start()
        const login = yield* issuer.hold(runner.resume(sessionId, redacted({ refresh_token: "rt-0", ...client })))
        yield* runner.cancel(sessionId)
        yield* login.finish
        assert.isFalse(yield* exists)
        yield* settle
        const ended = issuer.sent.filter(({ url }) => url.endsWith("/revoke")).map(({ fields }) => fields["token"])
        assert.deepStrictEqual(ended, [...revoked])
      }
    )
  }
})
