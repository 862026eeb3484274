import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { acme, main } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { type Behavior, lost } from "../../support/FakeIssuer.ts"
import { testsIn } from "../../support/Fixture.ts"
import { binding, type Context, started, withIssuer } from "../../support/OAuthConnections.ts"
import { contentOf, copyOf, query } from "../../support/Services.ts"
import { redacted } from "../../support/StoredConnections.ts"
import { assertionOf, byAssertion, byClient, byRequest, keyCanary, privateKey } from "../../support/StoredGrants.ts"
import { settle } from "../../support/TestBody.ts"

const secret = "CANARY-SECRET"

/** A login that has just ended, with `at-0`, valid for an hour. */
const loginWith = (
  { login }: Context,
  flow: "client_credentials" | "jwt_bearer" | "token_request",
  values: Readonly<Record<string, string>>,
  options: Parameters<Context["login"]>[0] = {}
) =>
  login({
    tokens: ["at-0"],
    flow,
    grantValues: redacted(values),
    requestedScopes: ["read", "write"],
    oauth: { ...binding, clientId: "cid", clientAuthentication: "client_secret_basic" },
    ...options
  })

const client = { client_id: "cid", client_secret: secret }

const withClient = (body: Parameters<typeof withIssuer>[0]) =>
  withIssuer(
    function*(context, issuer, home) {
      issuer.behavior = issue(issuer)
      yield* loginWith(context, "client_credentials", client)
      return yield* body(context, issuer, home) as Effect.Effect<void>
    },
    byClient({}, { revocation_url: "https://login.acme.example/revoke" })
  )

const { effect } = testsIn(withClient)

/** Issues `at-1`, `at-2` and so on, one for each request. */
const issue = (issuer: { issued: number; expiresIn: number | undefined }): Behavior => ({ url }) =>
  url.endsWith("/revoke") ? {} : {
    body: { access_token: `at-${++issuer.issued}`, token_type: "Bearer", expires_in: issuer.expiresIn }
  }

const unfinished = (home: string) => query(home, "SELECT * FROM token_refreshes").length

describe("A connection with a stored grant", () => {
  effect("requests the next token with the values of the login", function*({ events, record, token }, issuer) {
    assert.strictEqual(yield* token(), "at-0")
    yield* TestClock.adjust("2 hours")
    assert.strictEqual(yield* token(), "at-1")
    const [sent] = issuer.refreshes
    assert.strictEqual(sent!.authorization, `Basic ${btoa(`cid:${secret}`)}`)
    assert.deepStrictEqual(sent!.fields, { grant_type: "client_credentials", scope: "read write" })
    const { expiresAt, hasRefreshToken, status } = yield* record()
    assert.deepStrictEqual({ status, hasRefreshToken }, { status: "connected", hasRefreshToken: false })
    assert.strictEqual(DateTime.toEpochMillis(expiresAt!), 3 * 3_600_000)
    assert.include(yield* events, "refresh default ok")
  })

  effect("requests the scopes of the login instead of the granted scopes", function*({ record, token }, issuer) {
    issuer.behavior = () => ({
      body: { access_token: "at-1", token_type: "Bearer", expires_in: 3600, scope: "read" }
    })
    yield* TestClock.adjust("2 hours")
    yield* token()
    assert.deepStrictEqual((yield* record()).scopes, ["read"])
    yield* TestClock.adjust("2 hours")
    yield* token()
    assert.strictEqual(issuer.refreshes[1]!.fields["scope"], "read write")
  })

  effect("never shows the stored values", function*({ connections, events, profile, record, resolve, token }, _, home) {
    yield* TestClock.adjust("2 hours")
    yield* token()
    const shown = [
      yield* record(),
      yield* connections.get(profile, acme, main, { reveal: true }),
      yield* connections.exportCredential(profile, { provider: acme, format: "json" }),
      yield* connections.routes(profile),
      yield* resolve(),
      yield* events
    ]
    const seen = JSON.stringify(shown, function(this: Record<string, unknown>, key, value: unknown) {
      const raw = this[key]
      return Redacted.isRedacted(raw) ? Redacted.value(raw) : value
    })
    assert.include(seen, "at-1")
    assert.notInclude(seen, secret)
    assert.isFalse(contentOf(home).includes(secret))
  })

  const cases = [
    ["invalid_client", { status: 401, body: { error: "invalid_client", error_description: `no ${secret}` } }],
    ["invalid_grant", { status: 400, body: { error: "invalid_grant" } }],
    ["unauthorized_client", { status: 400, body: { error: "unauthorized_client" } }]
  ] as const
  for (const [what, reply] of cases) {
    effect(`becomes invalid after ${what}, and sends nothing more`, function*({ events, record, token }, issuer) {
      issuer.behavior = () => reply
      yield* TestClock.adjust("2 hours")
      const error = yield* failsWith(token(), "CredentialMissingError")
      const shown = yield* record()
      assert.strictEqual(shown.status, "invalid")
      for (const text of [error.message, shown.lastRefreshError ?? ""]) {
        assert.include(text, `acme refused the credentials of this login`)
        assert.strictEqual(text.split("credsvc login acme --force").length, 2, text)
        assert.notInclude(text, secret)
      }
      assert.include(yield* events, "refresh default failed")
      yield* TestClock.adjust("2 hours")
      yield* Effect.flip(token())
      assert.lengthOf(issuer.refreshes, 1)
    })
  }

  effect("repeats a request whose response was lost", function*({ token }, issuer) {
    issuer.once(() => lost)
    yield* TestClock.adjust("2 hours")
    assert.strictEqual(yield* token(), "at-1")
    assert.lengthOf(issuer.refreshes, 2)
  })

  effect("loses nothing in a crash between request and response", function*({ token }, issuer, home) {
    yield* TestClock.adjust("2 hours")
    const request = yield* issuer.hold(token(), "after")
    const copy = yield* copyOf(home)
    assert.strictEqual(unfinished(copy), 1)
    yield* request.finish
    yield* started(copy, issuer, function*(next) {
      assert.match(yield* next.token(), /^at-[23]$/)
      assert.strictEqual((yield* next.record()).status, "connected")
      assert.strictEqual(unfinished(copy), 0)
    })
  })

  effect("sends nothing if its definition has another token endpoint", function*({ record, registry, token }, issuer) {
    yield* registry.register(
      byClient({}, { token_url: "https://evil.example/token", revocation_url: "https://login.acme.example/revoke" }),
      { force: true }
    )
    yield* TestClock.adjust("2 hours")
    yield* failsWith(token(), "CredentialMissingError")
    assert.strictEqual((yield* record()).status, "invalid")
    assert.lengthOf(issuer.sent, 0)
  })

  it.effect("signs a new assertion for each request", () =>
    withIssuer(function*(context, issuer, home) {
      issuer.behavior = issue(issuer)
      yield* loginWith(context, "jwt_bearer", { client_id: "cid", private_key: privateKey })
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* context.token(), "at-1")
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* context.token(), "at-2")
      const [first, second] = yield* Effect.forEach(issuer.refreshes, assertionOf)
      assert.deepInclude(first!.claims, { iss: "cid", iat: 7140, exp: 7440 })
      assert.deepInclude(second!.claims, { iat: 14_340 })
      assert.notStrictEqual(first!.claims.jti, second!.claims.jti)
      assert.notInclude(JSON.stringify(issuer.sent), keyCanary)
      assert.isFalse(contentOf(home).includes(keyCanary))
    }, byAssertion()))

  it.effect("becomes invalid when a declared request gets a 401, and repeats the request after other statuses", () =>
    withIssuer(function*(context, issuer) {
      yield* loginWith(context, "token_request", { account: "acc-1", user: "ada", password: secret })
      yield* TestClock.adjust("2 hours")
      issuer.behavior = () => ({ status: 403, headers: { "retry-after": "60" } })
      yield* failsWith(context.token(), "RefreshFailedError")
      yield* TestClock.adjust("61 seconds")
      issuer.behavior = () => ({ status: 404 })
      yield* failsWith(context.token(), "RefreshFailedError")
      assert.lengthOf(issuer.sent, 2)
      // The last renewal of a connection that is no longer in use ends, and then the pause after it.
      yield* TestClock.adjust("16 minutes")
      yield* settle
      yield* TestClock.adjust("1 hour")
      issuer.behavior = () => ({ status: 401 })
      yield* failsWith(context.token(), "CredentialMissingError")
      assert.strictEqual((yield* context.record()).status, "invalid")
    }, byRequest()))
})
