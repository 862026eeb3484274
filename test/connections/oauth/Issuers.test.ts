import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { acme, oauthDefinition, oauthDocument } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { type FakeIssuer, unreachable } from "../../support/FakeIssuer.ts"
import { testsIn } from "../../support/Fixture.ts"
import { binding, type Context, issuerOfAcme, withIssuer } from "../../support/OAuthConnections.ts"
import { transact } from "../../support/Services.ts"
import { passMinutes, type Returned, toEffect } from "../../support/TestBody.ts"

const document = oauthDocument({
  flow: "dcr_pkce",
  oauth: { issuer: issuerOfAcme, token_url: undefined, authorization_url: undefined, revocation_url: undefined }
})

interface Metadata {
  tokenEndpoint: string
  revocationEndpoint?: string
  reads: number
}

/** A connection with discovered endpoints, and a server whose current metadata names this token endpoint. */
const discovered = (body: (context: Context, issuer: FakeIssuer, metadata: Metadata) => Returned<void>) =>
  withIssuer(function*(context, issuer) {
    const metadata: Metadata = { tokenEndpoint: `${issuerOfAcme}/token`, reads: 0 }
    const before = issuer.behavior
    issuer.behavior = (request, normal) => {
      if (!request.url.includes("/.well-known/")) return before(request, normal)
      metadata.reads++
      const body = {
        issuer: issuerOfAcme,
        authorization_endpoint: `${issuerOfAcme}/authorize`,
        token_endpoint: metadata.tokenEndpoint,
        revocation_endpoint: metadata.revocationEndpoint,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"]
      }
      return { body }
    }
    yield* context.login({ flow: "dcr_pkce", oauth: { ...binding, discovered: true } })
    yield* toEffect(body(context, issuer, metadata))
  }, document)

const { effect } = testsIn(discovered)

const sentTo = (issuer: FakeIssuer) =>
  issuer.sent.filter(({ fields }) => fields["grant_type"] !== undefined).map(({ url }) => url)

describe("Issuers with a discovered server", () => {
  effect("fetches its metadata once a day and uses its token endpoint", function*({ token }, issuer, metadata) {
    for (let hour = 0; hour < 48; hour++) {
      yield* TestClock.adjust("61 minutes")
      yield* token()
    }
    assert.strictEqual(metadata.reads, 2)
    metadata.tokenEndpoint = `${issuerOfAcme}/v2/token`
    yield* TestClock.adjust("25 hours")
    yield* token()
    assert.strictEqual(sentTo(issuer).at(-1), `${issuerOfAcme}/v2/token`)
  })

  effect("sends nothing to a token endpoint at another origin", function*({ login, record, token }, issuer, metadata) {
    metadata.tokenEndpoint = "https://login.evil.example/token"
    yield* passMinutes(55)
    assert.strictEqual(yield* token(), "at-0", "a valid token is used")
    yield* passMinutes(6)
    const error = yield* failsWith(token(), "RefreshFailedError")
    assert.include(error.message, "login.evil.example")
    assert.include(error.message, "credsvc login acme --force")
    assert.deepStrictEqual(sentTo(issuer), [])
    const { lastRefreshError, status } = yield* record()
    assert.strictEqual(status, "connected")
    assert.strictEqual(lastRefreshError, error.message)
    const usual = metadata.tokenEndpoint
    metadata.tokenEndpoint = `${issuerOfAcme}/token`
    yield* passMinutes(61)
    assert.strictEqual(yield* token(), "at-1", "the server names the endpoint of the login again")
    metadata.tokenEndpoint = usual
    yield* login({
      flow: "dcr_pkce",
      force: true,
      oauth: { ...binding, discovered: true, tokenEndpoint: metadata.tokenEndpoint }
    })
    yield* TestClock.adjust("25 hours")
    yield* Effect.exit(token())
    assert.strictEqual(sentTo(issuer).at(-1), "https://login.evil.example/token")
  })

  effect(
    "does not send a revocation to an endpoint on another origin",
    function*({ connections, profile, token }, issuer, metadata) {
      const ended = () => issuer.sent.filter(({ fields }) => fields["token"] !== undefined).map(({ url }) => url)
      metadata.revocationEndpoint = "https://login.evil.example/revoke"
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* token(), "at-1")
      yield* connections.revoke(profile, acme)
      assert.deepStrictEqual([...new Set(ended())], [binding.revocationEndpoint])
    }
  )

  effect(
    "revokes tokens at an endpoint of the same origin",
    function*({ connections, profile, token }, issuer, metadata) {
      metadata.revocationEndpoint = `${issuerOfAcme}/v2/revoke`
      yield* TestClock.adjust("2 hours")
      yield* token()
      yield* connections.revoke(profile, acme)
      assert.include(issuer.sent.map(({ url }) => url), metadata.revocationEndpoint)
    }
  )

  effect("uses the endpoints of the login while the metadata is unavailable", function*({ token }, issuer) {
    issuer.behavior = (request, normal) => request.url.includes("/.well-known/") ? unreachable : normal()
    yield* TestClock.adjust("2 hours")
    assert.strictEqual(yield* token(), "at-1")
    assert.deepStrictEqual(sentTo(issuer), [`${issuerOfAcme}/token`])
  })
})

describe("Issuers with the client of a login", () => {
  const secret = { ...binding, clientAuthentication: "client_secret_post" as const }
  const credentials = (clientId: string) => ({
    clientId,
    clientSecret: Redacted.make(`secret-of-${clientId}`),
    authentication: null,
    source: "registered" as const,
    redirectUri: null,
    secretExpiresAt: null,
    registration: null,
    refusedAt: null
  })
  const placeOf = ({ profile }: Context) => ({
    profile,
    definition: oauthDefinition(),
    baseUrl: null,
    issuer: issuerOfAcme
  })

  it.effect("sends the client's secret only to the server that refreshes its tokens, and never another client's secret", () =>
    withIssuer(function*(context, issuer) {
      const { clients, login, token } = context
      yield* transact(clients.save(placeOf(context), credentials("client-1")))
      yield* login({ oauth: secret })
      yield* TestClock.adjust("2 hours")
      yield* token()
      assert.strictEqual(issuer.refreshes[0]!.fields["client_secret"], "secret-of-client-1")
      yield* transact(clients.save(placeOf(context), credentials("client-2")))
      yield* TestClock.adjust("2 hours")
      yield* token()
      assert.strictEqual(issuer.refreshes[1]!.fields["client_secret"], "secret-of-client-1")
      yield* transact(clients.remove((yield* clients.find(placeOf(context)))!))
      yield* transact(clients.save(placeOf(context), credentials("client-2")))
      yield* TestClock.adjust("2 hours")
      const error = yield* failsWith(token(), "RefreshFailedError")
      assert.include(error.message, "client secret")
      assert.lengthOf(issuer.refreshes, 2)
    }))

  it.effect("marks a client that the server rejects, and keeps trying it", () =>
    withIssuer(function*(context, issuer) {
      const { clients, login, token } = context
      yield* transact(clients.save(placeOf(context), credentials("client-1")))
      yield* login({ oauth: secret })
      issuer.once(() => ({ status: 401, body: { error: "invalid_client" } }))
      yield* TestClock.adjust("2 hours")
      const error = yield* Effect.flip(token())
      assert.include(error.message, "does not accept the OAuth client")
      const found = yield* clients.find(placeOf(context))
      assert.isNotNull(found!.credentials.refusedAt)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* token(), "at-1")
    }))
})
