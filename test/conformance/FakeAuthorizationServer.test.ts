import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { FakeAuthorizationServer } from "../../src/conformance/FakeAuthorizationServer.ts"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import type { OAuthProvider } from "../../src/domain/definition/Provider.ts"

const redirectUri = "http://127.0.0.1:7998/auth/callback/oauth"

const serverOf = (oauth: object = {}) =>
  new FakeAuthorizationServer(
    Result.getOrThrow(readDefinition({
      name: "acme",
      auth_type: "oauth2",
      flow: "pkce",
      hosts: ["api.acme.dev"],
      oauth: {
        authorization_url: "https://acme.dev/authorize",
        token_url: "https://acme.dev/token",
        revocation_url: "https://acme.dev/revoke",
        scopes: ["read", "write"],
        ...oauth
      }
    })) as OAuthProvider,
    null
  )

const verifier = "v".repeat(43)
const challenge = createHash("sha256").update(verifier).digest("base64url")

const authorization = (more: Record<string, string> = {}) =>
  `https://acme.dev/authorize?${new URLSearchParams({
    response_type: "code",
    client_id: "client-of-a-person",
    redirect_uri: redirectUri,
    state: "0123456789",
    scope: "read write",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...more
  })}`

const codeOf = (server: FakeAuthorizationServer, more?: Record<string, string>): string => {
  const back = server.consent(authorization(more))
  if (typeof back === "string") throw new Error(back)
  return back.searchParams.get("code")!
}

const post = (server: FakeAuthorizationServer, form: Record<string, string>, address = "https://acme.dev/token") => {
  const answer = server.answer({
    method: "POST",
    url: new URL(address),
    headers: [["content-type", "application/x-www-form-urlencoded"]],
    body: new URLSearchParams({
      client_id: "client-of-a-person",
      client_secret: "secret-of-a-person",
      ...form
    }).toString()
  })!
  return { status: answer.status, body: answer.body === "" ? {} : JSON.parse(answer.body) as Record<string, string> }
}

const exchange = (code: string, more: Record<string, string> = {}) => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: redirectUri,
  code_verifier: verifier,
  ...more
})

describe("FakeAuthorizationServer", () => {
  it("exchanges a code once, for the client, redirect URI and verifier that belong to it", () => {
    const server = serverOf()
    const code = codeOf(server)
    assert.strictEqual(post(server, exchange(code)).status, 200)
    assert.strictEqual(post(server, exchange(code)).body["error"], "invalid_grant")
    for (const wrong of [{ redirect_uri: "http://localhost/" }, { code_verifier: "w".repeat(43) }]) {
      assert.strictEqual(post(server, exchange(codeOf(server), wrong)).body["error"], "invalid_grant")
    }
    assert.strictEqual(
      post(server, exchange(codeOf(server), { client_secret: "other" })).body["error"],
      "invalid_client"
    )
  })

  it("explains what an authorization request lacks", () => {
    const consent = (more: Record<string, string>, oauth?: object) => serverOf(oauth).consent(authorization(more))
    assert.isString(consent({ code_challenge_method: "plain" }))
    assert.isString(consent({ scope: "read" }))
    assert.isString(consent({ state: "short" }))
    assert.isString(consent({ client_id: "stranger" }))
    assert.isString(consent({}, { authorization_params: { audience: "api" } }))
    assert.isString(consent({}, { redirect_host: "localhost" }))
    assert.isString(consent({}, { scope_separator: "," }))
    assert.isString(consent({}, { pkce: false }))
    assert.instanceOf(consent({}), URL)
  })

  it("rotates refresh tokens and accepts each only once", () => {
    const server = serverOf()
    const first = post(server, exchange(codeOf(server))).body
    const refresh = { grant_type: "refresh_token", refresh_token: first["refresh_token"]! }
    const second = post(server, refresh)
    assert.strictEqual(second.status, 200)
    assert.notStrictEqual(second.body["refresh_token"], first["refresh_token"])
    assert.strictEqual(server.accessToken, second.body["access_token"])
    assert.strictEqual(post(server, refresh).body["error"], "invalid_grant")
  })

  it("ends a login when its refresh token is revoked", () => {
    const server = serverOf()
    const { body } = post(server, exchange(codeOf(server)))
    assert.isTrue(server.hasTokens)
    assert.strictEqual(post(server, { token: body["refresh_token"]! }, "https://acme.dev/revoke").status, 200)
    assert.isFalse(server.hasTokens)
  })
})
