/**
 * Feeds arbitrary responses to every OAuth request: each must end with a value or with a failure of the declared type.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"
import { authorizationUrl } from "../../src/oauth/AuthorizationRequest.ts"
import { deregister, register } from "../../src/oauth/ClientRegistration.ts"
import * as DeviceAuthorization from "../../src/oauth/DeviceAuthorization.ts"
import { discover, discoverAtOrigin } from "../../src/oauth/Discovery.ts"
import type { OAuthError } from "../../src/oauth/OAuthErrors.ts"
import type { OAuthHttp } from "../../src/oauth/OAuthHttp.ts"
import { discoverResource } from "../../src/oauth/ProtectedResource.ts"
import { exchangeCode, refresh, standardStyle, type TokenRequestStyle } from "../../src/oauth/TokenEndpoint.ts"
import { revoke } from "../../src/oauth/TokenRevocation.ts"
import * as FakeOAuthHttp from "../support/FakeOAuthHttp.ts"
import { seeded } from "../support/Seed.ts"
import { confidentialClient, server } from "./Fixtures.ts"

const canary = "CANARY-4f9d1c7e0b"
const secret = Redacted.make(canary)
const client = { ...confidentialClient, clientSecret: secret }
const pointing: TokenRequestStyle = {
  ...standardStyle,
  pointers: {
    accessToken: "/data/access_token",
    expiresIn: "/expires_in",
    scope: "/scope",
    accountId: "/sub",
    accountLabel: "/data",
    baseUrl: "/resource",
    error: "/data/error"
  }
}
const pushing = { ...server, pushedAuthorizationRequestEndpoint: "https://as.example/par" }
const device = { server, client, scopes: ["openid"], style: pointing }

const messages: Readonly<Record<string, Effect.Effect<unknown, OAuthError, OAuthHttp>>> = {
  "the code grant": exchangeCode({
    server,
    client,
    style: standardStyle,
    code: secret,
    redirectUri: "x",
    scopes: ["openid"]
  }),
  "a refresh": refresh({ server, client, style: pointing, refreshToken: secret }),
  "a device authorization": DeviceAuthorization.request(device),
  "a poll": DeviceAuthorization.poll({ ...device, deviceCode: secret, intervalSeconds: 5 }),
  "a registration": register({ server, clientName: "x", redirectUri: "https://x/", scopes: [] }),
  "a deletion": deregister(server, { uri: "https://as.example/x", accessToken: secret }),
  "a revocation": revoke({ server, client, token: secret, hint: "access_token", style: { format: "json" } }),
  "a pushed authorization request": authorizationUrl({
    server: { ...pushing, requirePushedAuthorizationRequests: true },
    client,
    redirectUri: "https://x/",
    scopes: [],
    scopeSeparator: " ",
    state: secret,
    extraParams: {}
  }),
  "discovery": discover("https://as.example", server.reach),
  "discovery at an origin": discoverAtOrigin("https://as.example", server.reach),
  "discovery of a resource": discoverResource("https://as.example/mcp", server.reach)
}

const names = [
  "access_token",
  "refresh_token",
  "token_type",
  "expires_in",
  "scope",
  "id_token",
  "error",
  "error_description",
  "data",
  "sub",
  "device_code",
  "user_code",
  "verification_uri",
  "verification_uri_complete",
  "interval",
  "client_id",
  "client_secret",
  "client_secret_expires_at",
  "redirect_uris",
  "token_endpoint_auth_method",
  "registration_client_uri",
  "registration_access_token",
  "request_uri",
  "issuer",
  "token_endpoint",
  "scopes_supported",
  "code_challenge_methods_supported",
  "resource",
  "authorization_servers",
  "toString",
  "constructor"
]

const value = Schema.Union([
  Schema.Json,
  Schema.Literals(["bearer", "https://as.example", "https://as.example/mcp", canary, `${canary} was wrong`, ""]),
  Schema.Record(Schema.Literals(["toString", "valueOf", "access_token", "error"]), Schema.Json),
  Schema.String
])
const body = Schema.Array(Schema.Tuple([Schema.Literals(names), value])).check(Schema.isMaxLength(12))
const status = Schema.Literals([200, 200, 200, 201, 204, 302, 400, 401, 403, 404, 410, 429, 500])
const type = Schema.Literals([
  "application/json",
  "application/json; charset=utf-8",
  "text/html",
  "application/x-www-form-urlencoded",
  ""
])
const challenge = Schema.Union([
  Schema.String,
  Schema.Literals(["Bearer", "Bearer resource_metadata=\"https://as.example/m\""])
])

describe("OAuth messages › an arbitrary response", () => {
  for (const [what, message] of Object.entries(messages)) {
    it.effect.prop(
      `does not crash ${what} or expose a secret`,
      [body, status, type, challenge],
      ([entries, code, contentType, header]) =>
        Effect.gen(function*() {
          const http = FakeOAuthHttp.always({
            status: code,
            headers: { "content-type": contentType, "www-authenticate": header, "retry-after": header },
            body: JSON.stringify(Object.fromEntries(entries))
          })
          const exit = yield* Effect.exit(Effect.provide(message, http.layer))
          if (Exit.isSuccess(exit)) return
          for (const reason of exit.cause.reasons) assert.strictEqual(reason._tag, "Fail", Cause.pretty(exit.cause))
          // The request has no secret to repeat, and its error is the server's own text.
          if (what === "a registration") return
          assert.notInclude(inspect(exit, { depth: 20, showHidden: true }) + JSON.stringify(exit), canary)
        }),
      seeded
    )
  }
})
