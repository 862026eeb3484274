import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { deregister, register, type RegistrationRequest } from "../../src/oauth/ClientRegistration.ts"
import * as FakeOAuthHttp from "../support/FakeOAuthHttp.ts"
import { effect } from "../support/Fixture.ts"
import { errorOf, server } from "./Fixtures.ts"

const redirectUri = "http://127.0.0.1:7998/auth/callback/oauth"
const registration: RegistrationRequest = { server, clientName: "credsvc", redirectUri, scopes: ["a", "b"] }

const registered = (reply: FakeOAuthHttp.Reply, changes: Partial<typeof server> = {}) =>
  register({ ...registration, server: { ...server, ...changes } }).pipe(
    Effect.provide(FakeOAuthHttp.always(reply).layer)
  )

const answer = (body: object, status = 201): FakeOAuthHttp.Reply => ({ status, body: { client_id: "dyn-1", ...body } })

describe("register (RFC 7591)", () => {
  effect("registers a native public client with a single redirect URI", function*() {
    const http = FakeOAuthHttp.always(answer({}))
    yield* register(registration).pipe(Effect.provide(http.layer))
    const [sent] = http.sent
    assert.strictEqual(sent!.headers["content-type"], "application/json")
    assert.deepStrictEqual(JSON.parse(sent!.body), {
      client_name: "credsvc",
      application_type: "native",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      scope: "a b"
    })
  })

  effect("requests nothing that the server does not list", function*() {
    const http = FakeOAuthHttp.always(
      answer({ client_secret: "s", token_endpoint_auth_method: "client_secret_basic" })
    )
    const listed = {
      ...server,
      grantTypes: ["authorization_code"],
      tokenEndpointAuthMethods: ["client_secret_basic"]
    }
    yield* register({ ...registration, server: listed }).pipe(Effect.provide(http.layer))
    const sent = JSON.parse(http.sent[0]!.body) as Record<string, unknown>
    assert.deepStrictEqual(sent["grant_types"], ["authorization_code"])
    assert.strictEqual(sent["token_endpoint_auth_method"], "client_secret_basic")
  })

  for (const status of [200, 201]) {
    effect(`accepts ${status}`, function*() {
      const client = yield* registered(answer({ redirect_uris: [redirectUri] }, status))
      assert.deepStrictEqual(client, {
        clientId: "dyn-1",
        clientSecret: undefined,
        authentication: "none",
        secretExpiresAtMillis: null,
        management: null
      })
    })
  }

  for (const empty of [undefined, null, ""]) {
    effect(`reads optional members that are ${JSON.stringify(empty)} as absent`, function*() {
      const members = ["client_secret", "client_secret_expires_at", "redirect_uris", "token_endpoint_auth_method"]
      const client = yield* registered(answer(Object.fromEntries(members.map((name) => [name, empty]))))
      assert.deepInclude(client, { clientId: "dyn-1", authentication: "none", secretExpiresAtMillis: null })
    })
  }

  const unusual: ReadonlyArray<readonly [body: object, client: object]> = [
    [{ client_id: 12 }, { clientId: "12" }],
    [{ client_secret: "s", client_secret_expires_at: "0" }, { secretExpiresAtMillis: null }],
    [{ client_secret: "s", client_secret_expires_at: Number.MAX_SAFE_INTEGER }, { secretExpiresAtMillis: null }],
    [{ redirect_uris: ["http://127.0.0.1/auth/callback/oauth"] }, { clientId: "dyn-1" }],
    [{ application_type: "mcp", scope: "all", grant_types: ["authorization_code"] }, { clientId: "dyn-1" }]
  ]
  for (const [body, client] of unusual) {
    it.effect(`accepts ${JSON.stringify(body)}`, () =>
      Effect.map(registered(answer(body)), (result) => assert.deepInclude(result, client)))
  }

  effect("uses no authentication without a secret, whatever method the server states", function*() {
    const client = yield* registered(answer({ token_endpoint_auth_method: "client_secret_basic" }))
    assert.strictEqual(client.authentication, "none")
  })

  const withSecret: ReadonlyArray<readonly [object, ReadonlyArray<string> | undefined, string]> = [
    [{ token_endpoint_auth_method: "client_secret_post" }, undefined, "client_secret_post"],
    [{ token_endpoint_auth_method: "client_secret_basic" }, undefined, "client_secret_basic"],
    [{}, undefined, "client_secret_basic"],
    [{}, ["client_secret_post"], "client_secret_post"]
  ]
  for (const [body, methods, expected] of withSecret) {
    effect(`uses ${expected} after ${JSON.stringify(body)} from a server with ${methods ?? "no list"}`, function*() {
      const client = yield* registered(
        answer({ client_secret: "CANARY", ...body }),
        methods === undefined ? {} : { tokenEndpointAuthMethods: methods }
      )
      assert.strictEqual(client.authentication, expected)
      assert.strictEqual(Redacted.value(client.clientSecret!), "CANARY")
      assert.notInclude(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client), "CANARY")
    })
  }

  effect("keeps no secret of a public client", function*() {
    const client = yield* registered(answer({ client_secret: "s", token_endpoint_auth_method: "none" }))
    assert.isUndefined(client.clientSecret)
  })

  const refused: ReadonlyArray<readonly [string, object, string]> = [
    ["redirect URIs that are not a list", { redirect_uris: redirectUri }, "OAuthUnsafe"],
    ["another redirect URI", { redirect_uris: ["https://evil.test/"] }, "OAuthUnsafe"],
    ["a method with a key", { client_secret: "s", token_endpoint_auth_method: "private_key_jwt" }, "OAuthUnsafe"],
    ["an empty id", { client_id: "" }, "OAuthUnavailable"],
    ["an id with a line feed", { client_id: "a\nb" }, "OAuthUnavailable"],
    ["a secret with a line feed", { client_secret: "CANARY\n" }, "OAuthUnavailable"],
    ["a secret that is an object", { client_secret: {} }, "OAuthUnavailable"]
  ]
  for (const [what, body, expected] of refused) {
    effect(`rejects ${what}`, function*() {
      const error = yield* Effect.flip(registered(answer(body)))
      assert.strictEqual(error._tag, expected)
      assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "CANARY")
    })
  }

  effect("reports that registration is closed", function*() {
    for (const status of [401, 403, 404, 405]) {
      assert.strictEqual(
        yield* errorOf(registered({ status, body: "no", headers: { "www-authenticate": "Bearer" } })),
        "access_denied"
      )
    }
    assert.strictEqual(
      yield* errorOf(registered({ status: 400, body: { error: "invalid_redirect_uri" } })),
      "invalid_redirect_uri"
    )
  })

  const managed = (registration_client_uri: unknown) =>
    Effect.map(
      registered(answer({ registration_client_uri, registration_access_token: "CANARY-rat" })),
      ({ management }) => management
    )

  effect("stores the management URI of the registration only if it has the server's origin", function*() {
    const kept = yield* managed("https://as.example/register/dyn-1")
    assert.strictEqual(kept?.uri, "https://as.example/register/dyn-1")
    assert.strictEqual(Redacted.value(kept!.accessToken), "CANARY-rat")
    for (
      const uri of ["https://evil.example/x", "https://as.example:8443/x", "http://as.example/x", "x", 7, undefined]
    ) {
      assert.isNull(yield* managed(uri))
    }
  })
})

describe("deregister (RFC 7592)", () => {
  const management = { uri: "https://as.example/register/dyn-1", accessToken: Redacted.make("CANARY-rat") }

  effect("deletes the registration with its access token", function*() {
    const http = FakeOAuthHttp.always({ status: 204 })
    yield* deregister(server, management).pipe(Effect.provide(http.layer))
    assert.deepStrictEqual(http.sent.map(({ authorization, method, url }) => [method, url, authorization]), [
      ["DELETE", "https://as.example/register/dyn-1", "Bearer CANARY-rat"]
    ])
  })

  effect("succeeds if the registration no longer exists, and fails otherwise", function*() {
    const after = (status: number) =>
      deregister(server, management).pipe(Effect.provide(FakeOAuthHttp.always({ status }).layer))
    for (const status of [200, 204, 401, 404]) yield* after(status)
    for (const status of [400, 403, 405, 500, 429, 302]) {
      const error = yield* Effect.flip(after(status))
      assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "CANARY")
    }
  })
})
