import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type AuthorizationRequest, authorizationUrl } from "../../src/oauth/AuthorizationRequest.ts"
import { failsWith } from "../support/Failures.ts"
import * as FakeOAuthHttp from "../support/FakeOAuthHttp.ts"
import { effect } from "../support/Fixture.ts"
import { publicClient, server } from "./Fixtures.ts"

const request: AuthorizationRequest = {
  server,
  client: publicClient,
  redirectUri: "http://127.0.0.1:7998/auth/callback/oauth",
  scopes: ["read", "write"],
  scopeSeparator: " ",
  state: Redacted.make("the-state"),
  codeChallenge: "the-challenge",
  resource: "https://mcp.example/mcp",
  extraParams: { access_type: "offline", state: "not ours" }
}

const urlOf = (changes: Partial<AuthorizationRequest>, http = FakeOAuthHttp.always({ status: 500 })) =>
  authorizationUrl({ ...request, ...changes }).pipe(Effect.provide(http.layer))

const pushing = { ...server, pushedAuthorizationRequestEndpoint: "https://as.example/par" }

describe("authorizationUrl", () => {
  const google = "https://accounts.google.com/o/oauth2/v2/auth"
  const offline: ReadonlyArray<readonly [string, string, Record<string, string>, ReadonlyArray<string | null>]> = [
    ["asks Google for a refresh token, with consent", google, {}, ["offline", "consent"]],
    ["keeps the access_type that a definition sets", google, { access_type: "online" }, ["online", null]],
    ["keeps the access_type of the endpoint's query", `${google}?access_type=online`, {}, ["online", null]],
    ["sends access_type and prompt to no other server", "https://accounts.google.com.example/auth", {}, [null, null]],
    ["sends access_type and prompt to no other server of Google", "https://oauth.google.com/auth", {}, [null, null]]
  ]
  for (const [what, authorizationEndpoint, extraParams, expected] of offline) {
    effect(what, function*() {
      const url = new URL(yield* urlOf({ server: { ...server, authorizationEndpoint }, extraParams }))
      assert.deepStrictEqual([url.searchParams.get("access_type"), url.searchParams.get("prompt")], expected)
    })
  }

  effect("builds the request of RFC 6749 with PKCE and the resource", function*() {
    const url = new URL(yield* urlOf({}))
    assert.strictEqual(url.origin + url.pathname, "https://as.example/authorize")
    assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
      access_type: "offline",
      response_type: "code",
      client_id: "client-1",
      redirect_uri: "http://127.0.0.1:7998/auth/callback/oauth",
      scope: "read write",
      state: "the-state",
      code_challenge: "the-challenge",
      code_challenge_method: "S256",
      resource: "https://mcp.example/mcp"
    })
  })

  effect("keeps the query of the endpoint and sets its own parameters once", function*() {
    const endpoint = "https://as.example/authorize?tenant=a%20b&client_id=evil&client_id=worse"
    const url = new URL(yield* urlOf({ server: { ...server, authorizationEndpoint: endpoint } }))
    assert.strictEqual(url.searchParams.get("tenant"), "a b")
    assert.deepStrictEqual(url.searchParams.getAll("client_id"), ["client-1"])
    assert.deepStrictEqual(url.searchParams.getAll("state"), ["the-state"])
  })

  effect("encodes a space as %20 and a plus as %2B", function*() {
    const url = yield* urlOf({ extraParams: { note: "1 + 1" } })
    assert.include(url, "note=1%20%2B%201")
    assert.include(url, "scope=read%20write")
  })

  effect("joins scopes with the defined separator, and omits the parameter if there are no scopes", function*() {
    assert.strictEqual(new URL(yield* urlOf({ scopeSeparator: "," })).searchParams.get("scope"), "read,write")
    assert.isFalse(new URL(yield* urlOf({ scopes: [] })).searchParams.has("scope"))
  })

  for (const scope of ["a b", "a\"b", "a\\b", "a&b\n", "", "ä"]) {
    it.effect(`rejects the scope ${JSON.stringify(scope)}`, () => failsWith(urlOf({ scopes: [scope] }), "OAuthUnsafe"))
  }

  const bad = [
    "http://as.example/authorize",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "smb://as.example/x",
    "https://user:pass@as.example/",
    "https://user@as.example/",
    "https://as.example/#x",
    "https://as.example\\@evil.test/",
    "https://as.example/a b",
    "https://127.0.0.1/authorize",
    "http://localhost/authorize",
    "https:as.example",
    "//as.example/authorize",
    ""
  ]
  for (const endpoint of bad) {
    it.effect(`rejects the endpoint ${JSON.stringify(endpoint)}`, () =>
      failsWith(urlOf({ server: { ...server, authorizationEndpoint: endpoint } }), "OAuthUnsafe"))
  }

  effect("accepts http with literal loopback addresses only if allowed, and never from a public server", function*() {
    const at = (endpoint: string, reach: typeof server.reach) =>
      Effect.isSuccess(urlOf({ server: { ...server, authorizationEndpoint: endpoint, reach } }))
    assert.isTrue(yield* at("http://127.0.0.1:1234/a", { allowLoopback: true, publicOnly: false }))
    assert.isTrue(yield* at("http://[::1]:1234/a", { allowLoopback: true, publicOnly: false }))
    assert.isFalse(yield* at("http://127.0.0.1:1234/a", { allowLoopback: true, publicOnly: true }))
    assert.isFalse(yield* at("http://localhost:1234/a", { allowLoopback: true, publicOnly: false }))
    assert.isFalse(yield* at("http://192.168.1.1/a", { allowLoopback: true, publicOnly: false }))
  })

  effect("falls back to a plain request if an optional push fails, but not if the server requires it", function*() {
    const http = FakeOAuthHttp.always({ status: 400, body: { error: "invalid_request" } })
    assert.include(yield* urlOf({ server: pushing }, http), "code_challenge=the-challenge")
    const required = { ...pushing, requirePushedAuthorizationRequests: true }
    yield* failsWith(urlOf({ server: required }, http), "OAuthRejected")
    const without = { ...server, requirePushedAuthorizationRequests: true }
    yield* failsWith(urlOf({ server: without }, http), "OAuthUnsafe")
  })
})
