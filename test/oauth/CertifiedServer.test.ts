/**
 * Tests the messages of this room against a certified authorization server, over TLS and the daemon's own outbound
 * connections.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { authorizationUrl } from "../../src/oauth/AuthorizationRequest.ts"
import { readCallback, stateOf } from "../../src/oauth/AuthorizationResponse.ts"
import type { AuthorizationServer } from "../../src/oauth/AuthorizationServer.ts"
import { deregister, register } from "../../src/oauth/ClientRegistration.ts"
import * as DeviceAuthorization from "../../src/oauth/DeviceAuthorization.ts"
import { discover } from "../../src/oauth/Discovery.ts"
import type { OAuthClient } from "../../src/oauth/OAuthClient.ts"
import type { OAuthHttp } from "../../src/oauth/OAuthHttp.ts"
import * as Pkce from "../../src/oauth/Pkce.ts"
import { discoverResource } from "../../src/oauth/ProtectedResource.ts"
import { revoke } from "../../src/oauth/Revocation.ts"
import { exchangeCode, refresh, standardStyle } from "../../src/oauth/TokenEndpoint.ts"
import { failsWith } from "../support/Failures.ts"
import {
  confidentialClient,
  type OidcServer,
  type OidcServerOptions,
  openOidcServer,
  publicClient
} from "../support/OidcServer.ts"
import { httpOf } from "../support/ProviderHttpLayer.ts"
import { withHome } from "../support/Services.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"
import { scoped, writeConfig } from "../support/TestSites.ts"
import { errorOf } from "./Fixtures.ts"

const reach = { allowLoopback: false, publicOnly: false }
const redirectUri = "http://127.0.0.1:7998/auth/callback/oauth"
const scopes = ["openid", "offline_access", "read"]

const withServer = <A>(
  options: OidcServerOptions,
  body: (oidc: OidcServer) => Returned<A, OAuthHttp>
) =>
  withHome((home) =>
    Effect.gen(function*() {
      const oidc = yield* scoped(() => openOidcServer(options))
      writeConfig(home, oidc.sites)
      return yield* toEffect(body(oidc)).pipe(Effect.provide(httpOf(home)))
    }).pipe(Effect.scoped)
  )

const shared: OAuthClient = { clientId: publicClient.client_id, authentication: "none" }
const confidential: OAuthClient = {
  clientId: confidentialClient.client_id,
  clientSecret: Redacted.make(confidentialClient.client_secret),
  authentication: "client_secret_basic"
}

/** A complete login, without the state that the daemon keeps between its steps. */
const login = Effect.fnUntraced(function*(
  oidc: OidcServer,
  server: AuthorizationServer,
  client: OAuthClient,
  resource?: string
) {
  const verifier = yield* Pkce.verifier
  const state = yield* Pkce.state
  const asked = resource === undefined ? {} : { resource }
  const url = yield* authorizationUrl({
    server,
    client,
    redirectUri,
    scopes,
    scopeSeparator: " ",
    state,
    codeChallenge: yield* Pkce.challenge(verifier),
    extraParams: { prompt: "consent" },
    ...asked
  })
  const callback = new URL(yield* Effect.promise(() => oidc.user.walk(url)))
  assert.strictEqual(callback.origin + callback.pathname, redirectUri)
  assert.strictEqual(stateOf(callback.search), Redacted.value(state))
  const code = Result.getOrThrow(readCallback({ server, query: callback.search, state }))
  const tokens = yield* exchangeCode({
    server,
    client,
    style: standardStyle,
    code,
    redirectUri,
    codeVerifier: verifier,
    scopes,
    ...asked
  })
  return { url, code, verifier, tokens }
})

describe("OAuth messages › with a certified server", () => {
  for (const [what, client] of [["public", shared], ["confidential", confidential]] as const) {
    it.live(`a ${what} client logs in, refreshes and revokes`, () =>
      withServer({}, function*(oidc) {
        const server = yield* discover(oidc.issuer, reach)
        yield* Pkce.requireS256(server, { listed: true })
        const { tokens } = yield* login(oidc, server, client)
        assert.deepStrictEqual(tokens.account, { id: "ada", label: null })
        assert.deepStrictEqual(tokens.subject, { iss: oidc.issuer, sub: "ada" })
        assert.strictEqual(tokens.expiresInSeconds, 3600)
        assert.includeMembers([...tokens.scopes!], ["openid", "offline_access"])

        const next = yield* refresh({ server, client, style: standardStyle, refreshToken: tokens.refreshToken! })
        assert.notStrictEqual(Redacted.value(next.refreshToken!), Redacted.value(tokens.refreshToken!))
        yield* revoke({ server, client, token: next.refreshToken!, hint: "refresh_token", style: { format: "form" } })
        assert.strictEqual(
          yield* errorOf(refresh({ server, client, style: standardStyle, refreshToken: next.refreshToken! })),
          "invalid_grant"
        )
      }))
  }

  it.live("a code is valid once, and only with its verifier", () =>
    withServer({}, function*(oidc) {
      const server = yield* discover(oidc.issuer, reach)
      const { code, verifier } = yield* login(oidc, server, shared)
      const again = { server, client: shared, style: standardStyle, code, redirectUri, codeVerifier: verifier }
      assert.strictEqual(yield* errorOf(exchangeCode(again)), "invalid_grant")
    }))

  it.live("a wrong secret is reported as invalid_client, for every kind of response", () =>
    withServer({}, function*(oidc) {
      const server = yield* discover(oidc.issuer, reach)
      for (const authentication of ["client_secret_basic", "client_secret_post"] as const) {
        const client = { ...confidential, clientSecret: Redacted.make("wrong"), authentication }
        assert.strictEqual(
          yield* errorOf(refresh({ server, client, style: standardStyle, refreshToken: Redacted.make("x") })),
          "invalid_client"
        )
      }
    }))

  it.live("requests are pushed whether the server requires or offers it", () =>
    Effect.forEach(
      [true, false],
      (requirePushedRequests) =>
        withServer({ requirePushedRequests }, function*(oidc) {
          const server = yield* discover(oidc.issuer, reach)
          assert.strictEqual(server.requirePushedAuthorizationRequests, requirePushedRequests)
          const { url } = yield* login(oidc, server, confidential)
          assert.deepStrictEqual([...new URL(url).searchParams.keys()].toSorted(), ["client_id", "request_uri"])
        })
    ))

  it.live("an API names its server, and a client that registers there gets a token for that API only", () =>
    withServer({}, function*(oidc) {
      const found = yield* discoverResource(oidc.api.mcpUrl, reach)
      assert.deepStrictEqual(found.authorizationServers, [oidc.issuer])
      const server = yield* discover(found.authorizationServers[0]!, found.reach)
      const client = yield* register({ server, clientName: "credsvc", redirectUri, scopes: [] })
      assert.strictEqual(client.authentication, "none")
      const { tokens } = yield* login(oidc, server, client, found.resource)
      const token = yield* Effect.promise(() => oidc.provider.AccessToken.find(Redacted.value(tokens.accessToken)))
      assert.strictEqual(token!.aud, found.resource)
      yield* deregister(server, client.management!)
      assert.strictEqual(
        yield* errorOf(refresh({ server, client, style: standardStyle, refreshToken: tokens.refreshToken! })),
        "invalid_client"
      )
    }))

  it.live("a device is pending, then granted", () =>
    withServer({}, function*(oidc) {
      const server = yield* discover(oidc.issuer, reach)
      const device = { server, client: shared, scopes, style: standardStyle }
      const given = yield* DeviceAuthorization.request(device)
      const poll = DeviceAuthorization.poll({ ...device, deviceCode: given.deviceCode })
      assert.strictEqual((yield* poll)._tag, "Pending")
      yield* Effect.promise(() => oidc.user.walk(given.verificationUri, { user_code: given.userCode, confirm: "yes" }))
      const granted = yield* poll
      assert.strictEqual(granted._tag, "Granted")
      yield* failsWith(poll, "OAuthRejected")
    }))
})
