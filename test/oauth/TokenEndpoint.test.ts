import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { inspect } from "node:util"
import { OAuthUnavailable } from "../../src/oauth/OAuthErrors.ts"
import {
  type CodeGrant,
  exchangeCode,
  refresh,
  type RefreshGrant,
  standardStyle,
  type TokenRequestStyle
} from "../../src/oauth/TokenEndpoint.ts"
import { endedTokens } from "../support/Behaviors.ts"
import { failsWith } from "../support/Failures.ts"
import * as FakeOAuthHttp from "../support/FakeOAuthHttp.ts"
import { effect } from "../support/Fixture.ts"
import { confidentialClient, errorOf, idToken, publicClient, secret, server } from "./Fixtures.ts"

const codeGrant: CodeGrant = {
  server,
  client: publicClient,
  style: standardStyle,
  code: Redacted.make("CANARY-code"),
  redirectUri: "http://127.0.0.1:7998/auth/callback/oauth",
  codeVerifier: Redacted.make("CANARY-verifier")
}

const refreshGrant: RefreshGrant = {
  server,
  client: publicClient,
  style: standardStyle,
  refreshToken: Redacted.make("CANARY-refresh")
}

const good = { access_token: "CANARY-access", token_type: "Bearer", expires_in: 3600, refresh_token: "CANARY-next" }

const exchanged = (reply: FakeOAuthHttp.Reply, changes: Partial<CodeGrant> = {}) =>
  exchangeCode({ ...codeGrant, ...changes }).pipe(Effect.provide(FakeOAuthHttp.always(reply).layer))

const refreshed = (reply: FakeOAuthHttp.Outcome, changes: Partial<RefreshGrant> = {}) =>
  refresh({ ...refreshGrant, ...changes }).pipe(Effect.provide(FakeOAuthHttp.always(reply).layer))

const style = (changes: Partial<TokenRequestStyle>): TokenRequestStyle => ({ ...standardStyle, ...changes })

describe("TokenEndpoint › the token request", () => {
  const sentBy = (changes: Partial<CodeGrant>) =>
    Effect.gen(function*() {
      const http = FakeOAuthHttp.always({ body: good })
      yield* exchangeCode({ ...codeGrant, ...changes }).pipe(Effect.provide(http.layer))
      assert.strictEqual(http.sent.length, 1)
      return http.sent[0]!
    })

  effect("follows RFC 6749 section 4.1.3, with verifier and resource", function*() {
    const sent = yield* sentBy({ resource: "https://mcp.example/mcp" })
    assert.strictEqual(sent.url, "https://as.example/token")
    assert.strictEqual(sent.method, "POST")
    assert.strictEqual(sent.headers["accept"], "application/json")
    assert.strictEqual(sent.authorization, undefined)
    assert.deepStrictEqual(sent.fields, {
      grant_type: "authorization_code",
      client_id: "client-1",
      code: "CANARY-code",
      code_verifier: "CANARY-verifier",
      redirect_uri: "http://127.0.0.1:7998/auth/callback/oauth",
      resource: "https://mcp.example/mcp"
    })
  })

  effect("carries the scopes at the token endpoint of Entra ID", function*() {
    for (const [path, expected] of [["/t/oauth2/v2.0/token", "api://a/x openid"], ["/token", undefined]] as const) {
      const tokenEndpoint = `https://login.example${path}`
      const sent = yield* sentBy({ server: { ...server, tokenEndpoint }, scopes: ["api://a/x", "openid"] })
      assert.strictEqual(sent.fields["scope"], expected)
    }
  })

  effect("carries the client's secret in the header or in the body, never in both", function*() {
    const post = yield* sentBy({ client: confidentialClient })
    assert.strictEqual(post.fields["client_secret"], secret)
    assert.strictEqual(post.authorization, undefined)

    const basic = yield* sentBy({ client: { ...confidentialClient, authentication: "client_secret_basic" } })
    const form = new URLSearchParams(basic.body)
    assert.isFalse(form.has("client_secret"))
    assert.isFalse(form.has("client_id"))
    assert.strictEqual(basic.authorization, `Basic ${btoa(`client-1:${secret}`)}`)
    assert.notInclude(inspect([basic.url, basic.headers]), secret)
  })

  effect("form-encodes ID and secret for Basic, and leaves common characters unchanged", function*() {
    const client = {
      clientId: "a b:c.d-e_f~g",
      clientSecret: Redacted.make("p%q/r+s:ü"),
      authentication: "client_secret_basic"
    } as const
    const { authorization } = yield* sentBy({ client })
    assert.strictEqual(atob(authorization!.slice(6)), "a+b%3Ac.d-e_f~g:p%25q%2Fr%2Bs%3A%C3%BC")
    const { clientSecret: _, ...without } = client
    assert.strictEqual(atob((yield* sentBy({ client: without })).authorization!.slice(6)), "a+b%3Ac.d-e_f~g:")
  })

  effect("adds the definition's parameters, but never in place of its own", function*() {
    const sent = yield* sentBy({ style: style({ params: { type: "web_server", grant_type: "evil" } }) })
    const form = new URLSearchParams(sent.body)
    assert.deepStrictEqual(form.getAll("grant_type"), ["authorization_code"])
    assert.strictEqual(form.get("type"), "web_server")
  })

  effect("is JSON if the server requires it", function*() {
    const sent = yield* sentBy({ style: style({ format: "json" }), client: confidentialClient })
    assert.strictEqual(sent.headers["content-type"], "application/json")
    const body = sent.fields
    assert.strictEqual(body["grant_type"], "authorization_code")
    assert.strictEqual(body["client_secret"], secret)
  })

  effect("repeats the resource in a refresh, and names no scope", function*() {
    const http = FakeOAuthHttp.always({ body: good })
    yield* refresh({ ...refreshGrant, resource: "https://mcp.example/" })
      .pipe(Effect.andThen(refresh(refreshGrant)), Effect.provide(http.layer))
    const [first, second] = http.sent.map(({ fields }) => fields)
    assert.deepStrictEqual(first, {
      grant_type: "refresh_token",
      client_id: "client-1",
      refresh_token: "CANARY-refresh",
      resource: "https://mcp.example/"
    })
    assert.notProperty(second, "scope")
  })

  effect("is not sent to an endpoint that is missing or not allowed", function*() {
    const http = FakeOAuthHttp.always({ body: good })
    for (const tokenEndpoint of ["http://as.example/token", "https://127.0.0.1/token", undefined]) {
      const { tokenEndpoint: _, ...bare } = server
      const changed = tokenEndpoint === undefined ? bare : { ...server, tokenEndpoint }
      const error = yield* exchangeCode({ ...codeGrant, server: changed }).pipe(
        Effect.provide(http.layer),
        Effect.flip
      )
      assert.strictEqual(error._tag, "OAuthUnsafe")
    }
    assert.strictEqual(http.sent.length, 0)
  })
})

describe("TokenEndpoint › the token response", () => {
  effect("contains tokens, lifetime and scopes", function*() {
    const tokens = yield* exchanged({ body: { ...good, scope: "read write" } })
    assert.strictEqual(Redacted.value(tokens.accessToken), "CANARY-access")
    assert.strictEqual(Redacted.value(tokens.refreshToken!), "CANARY-next")
    assert.strictEqual(tokens.expiresInSeconds, 3600)
    assert.deepStrictEqual(tokens.scopes, ["read", "write"])
    assert.notInclude(inspect(tokens, { depth: 10 }) + JSON.stringify(tokens), "CANARY")
  })

  effect("omits fields that the server omits or sends as null", function*() {
    const tokens = yield* exchanged({
      body: { access_token: "t", token_type: "bearer", refresh_token: null, scope: null, expires_in: null }
    })
    for (const key of ["refreshToken", "scopes", "expiresInSeconds", "subject"] as const) {
      assert.isUndefined(tokens[key])
    }
  })

  effect("may be a form with comma-separated scopes, as from GitHub", function*() {
    const tokens = yield* exchanged({
      headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
      body: "access_token=gho_x&scope=repo%2Cgist&token_type=bearer"
    })
    assert.strictEqual(Redacted.value(tokens.accessToken), "gho_x")
    assert.deepStrictEqual(tokens.scopes, ["repo", "gist"])
  })

  for (const type of ["application/vnd.acme+json", "text/html; charset=utf-8", "text/plain", "text/javascript", ""]) {
    effect(`may be JSON ${type === "" ? "without a media type" : `as ${type}`}`, function*() {
      const headers: Record<string, string> = type === "" ? {} : { "content-type": type }
      const tokens = yield* exchanged({ headers, body: JSON.stringify(good) })
      assert.strictEqual(Redacted.value(tokens.accessToken), "CANARY-access")
    })
  }

  const scopes: ReadonlyArray<readonly [unknown, string, ReadonlyArray<string>]> = [
    [["a", "b"], " ", ["a", "b"]],
    ["a,b", ",", ["a", "b"]],
    ["a, b", ",", ["a", "b"]],
    ["a  b ", " ", ["a", "b"]],
    ["", " ", []],
    ["ok \u001b[31m", " ", ["ok"]]
  ]
  for (const [scope, separator, expected] of scopes) {
    effect(`has the scopes ${JSON.stringify(scope)} read as ${expected.join(" and ")}`, function*() {
      const tokens = yield* exchanged({ body: { ...good, scope } }, { style: style({ scopeSeparator: separator }) })
      assert.deepStrictEqual(tokens.scopes ?? [], expected)
    })
  }

  const lives: ReadonlyArray<readonly [unknown, number | undefined]> = [
    [1, 1],
    ["3600", 3600],
    ["3600.5", 3600.5],
    [315_360_000, 315_360_000],
    [315_360_001, undefined],
    [1e300, undefined],
    [0, undefined],
    [-1, undefined],
    ["abc", undefined],
    ["12abc", undefined],
    [true, undefined],
    [{}, undefined]
  ]
  for (const [given, expected] of lives) {
    it.effect(`has expires_in ${JSON.stringify(given)} read as ${expected ?? "unknown"}`, () =>
      Effect.map(
        exchanged({ body: { ...good, expires_in: given } }),
        (result) => assert.strictEqual(result.expiresInSeconds, expected)
      ))
  }

  effect("has the expiry time to which the definition points", function*() {
    yield* TestClock.setTime(Date.UTC(2026, 0, 1))
    const pointing = { style: style({ pointers: { expiresIn: "/expires_at" } }) }
    const life = (expires_at: unknown) =>
      Effect.map(exchanged({ body: { ...good, expires_at } }, pointing), (tokens) => tokens.expiresInSeconds)
    assert.strictEqual(yield* life("2026-01-01T01:00:00Z"), 3600)
    assert.strictEqual(yield* life(Date.UTC(2026, 0, 1) / 1000 + 7200), 7200)
    assert.strictEqual(yield* life(600), 600)
    assert.strictEqual(yield* life("2025-01-01T00:00:00Z"), undefined)
  })

  effect("is read at the pointers of a definition, and on a refresh also at the top level", function*() {
    const slack = style({
      pointers: {
        accessToken: "/authed_user/access_token",
        refreshToken: "/authed_user/refresh_token",
        scope: "/authed_user/scope",
        accountId: "/team/id",
        accountLabel: "/team/name"
      },
      scopeSeparator: ","
    })
    const login = yield* exchanged({
      body: {
        ok: true,
        access_token: "xoxb-of-the-bot",
        token_type: "bot",
        authed_user: { access_token: "xoxp-1", refresh_token: "xoxe-1", scope: "chat:write,users:read" },
        team: { id: "T1", name: "A\u0007team" }
      }
    }, { style: slack })
    assert.strictEqual(Redacted.value(login.accessToken), "xoxp-1")
    assert.deepStrictEqual(login.scopes, ["chat:write", "users:read"])
    assert.deepStrictEqual(login.account, { id: "T1", label: "A team" })
    const again = yield* refreshed({
      body: { ok: true, access_token: "xoxp-2", refresh_token: "xoxe-2", token_type: "user" }
    }, { style: slack })
    assert.strictEqual(Redacted.value(again.accessToken), "xoxp-2")
    assert.strictEqual(Redacted.value(again.refreshToken!), "xoxe-2")
    yield* failsWith(exchanged({ body: { access_token: "xoxb-of-the-bot" } }, { style: slack }), "OAuthUnavailable")
  })

  effect("has the base URL at the place to which the definition points", function*() {
    const pointing = { style: style({ pointers: { baseUrl: "/instance_url" } }) }
    const base = (instance_url: unknown) =>
      Effect.map(exchanged({ body: { ...good, instance_url } }, pointing), (tokens) => tokens.baseUrl)
    assert.strictEqual(yield* base("https://eu1.example.com"), "https://eu1.example.com")
    assert.strictEqual(yield* base("www.wrike.com"), "https://www.wrike.com")
    for (const bad of ["http://eu1.example.com", "javascript:x", "https://127.0.0.1", "https://a@b.example", 7]) {
      assert.isUndefined(yield* base(bad))
    }
  })

  const malformed: ReadonlyArray<readonly [string, FakeOAuthHttp.Reply]> = [
    ["a captive portal's page", { body: "<html>CANARY-html</html>", headers: { "content-type": "text/html" } }],
    ["no JSON", { body: "{CANARY-half", headers: { "content-type": "application/json" } }],
    ["an array", { body: [good] }],
    ["no access token", { body: { ...good, access_token: undefined, id: "CANARY-other" } }],
    ["an access token that is a number", { body: { ...good, access_token: 7 } }],
    ["a token with CRLF", { body: { ...good, access_token: "CANARY\r\nx-evil: 1" } }],
    ["a token with a space", { body: { ...good, access_token: "CANARY x" } }],
    ["a token that is not ASCII", { body: { ...good, access_token: "CANARY-ü" } }],
    ["a token of more than 16 KiB", { body: { ...good, access_token: "C".repeat(16_385) } }],
    ["a refresh token with a line feed", { body: { ...good, refresh_token: "CANARY\n" } }],
    ["a refresh token that is an object", { body: { ...good, refresh_token: { a: "CANARY" } } }],
    ["status 400 without an error", { status: 400, body: { code: "CANARY" } }],
    ["an error that repeats a secret", { status: 400, body: { message: "unknown token CANARY-refresh" } }],
    ["status 404 with a page", { status: 404, body: "CANARY", headers: { "content-type": "text/html" } }],
    ["an error of other characters", { status: 400, body: { error: "a\"CANARY" } }],
    ["a list that names another field", { status: 400, body: { errors: [{ field: "client_id", code: "invalid" }] } }],
    ["an error that is an object", { status: 400, body: { error: { code: "CANARY" } } }]
  ]
  for (const [what, reply] of malformed) {
    effect(`is malformed with ${what}, which does not end the grant`, function*() {
      const error = yield* failsWith(refreshed(reply), "OAuthUnavailable")
      assert.strictEqual(error.reason, "malformed")
      // A 4xx status means that the server did nothing.
      assert.strictEqual(error.sent, (reply.status ?? 200) < 400)
      assert.notInclude(inspect(error, { depth: 20, showHidden: true }), "CANARY")
    })
  }

  for (const token_type of ["DPoP", "mac", "N_A", 7]) {
    effect(
      `is rejected with the token type ${token_type}, and a login gets its tokens for revocation`,
      function*() {
        const reply = { body: { ...good, token_type } }
        yield* failsWith(refreshed(reply), "OAuthUnsafe")
        assert.include((yield* exchanged(reply)).refused, "not Bearer")
      }
    )
  }
  const token_types = [
    "bearer",
    "BEARER",
    undefined,
    null,
    "",
    "user",
    "api",
    "urn:ietf:params:oauth:token-type:access_token"
  ]
  for (const token_type of token_types) {
    it.effect(`is accepted with the token type ${token_type}`, () =>
      Effect.map(
        exchanged({ body: { ...good, token_type } }),
        (result) => assert.strictEqual(result.tokenType, "Bearer")
      ))
  }
})

describe("TokenEndpoint › a refusal", () => {
  const rows: ReadonlyArray<readonly [string, FakeOAuthHttp.Reply, string]> = [
    ["status 400", { status: 400, body: { error: "invalid_grant" } }, "invalid_grant"],
    ["status 401 and a body", { status: 401, body: { error: "invalid_client" } }, "invalid_client"],
    [
      "status 401 and WWW-Authenticate beside a body",
      { status: 401, headers: { "www-authenticate": "Basic realm=x" }, body: { error: "invalid_grant" } },
      "invalid_grant"
    ],
    [
      "status 401 and WWW-Authenticate alone",
      { status: 401, headers: { "www-authenticate": "Basic realm=x" } },
      "invalid_client"
    ],
    ["text", { status: 400, headers: { "content-type": "text/plain" }, body: "{\"error\":\"x\"}" }, "x"],
    [
      "an error of Okta",
      { status: 401, body: { errorCode: "invalid_client", errorSummary: "Invalid value." } },
      "invalid_client"
    ],
    ["status 403", { status: 403, body: { error: "unauthorized_client" } }, "unauthorized_client"],
    [
      "a description that is not text",
      { status: 400, body: { error: "invalid_request", error_description: { toString: 1 } } },
      "invalid_request"
    ],
    ...endedTokens.map((body, index) =>
      [JSON.stringify(body), { status: [200, 400, 401, 403][index % 4]!, body }, "invalid_grant"] as const
    ),
    [
      "a form",
      {
        body: "error=incorrect_client_credentials",
        headers: { "content-type": "application/x-www-form-urlencoded" }
      },
      "invalid_client"
    ]
  ]
  for (const [what, reply, expected] of rows) {
    it.effect(`is ${expected} with ${what}`, () =>
      Effect.map(errorOf(refreshed(reply)), (result) => assert.strictEqual(result, expected)))
  }

  effect("is found where the definition points", function*() {
    const reply = { status: 200, body: { data: { "a/b": { error_code: "invalid_grant" } } } }
    yield* failsWith(
      refreshed(reply, { style: style({ pointers: { error: "/data/a~1b/error_code" } }) }),
      "OAuthRejected"
    )
  })

  effect("does not repeat the secrets of the request", function*() {
    const description = "the refresh token CANARY-refresh is not good"
    const error = yield* Effect.flip(
      refreshed({ status: 400, body: { error: "invalid_grant", error_description: description } })
    )
    assert.strictEqual(error.message, "the authorization server responded \"invalid_grant\"")
    yield* failsWith(refreshed({ status: 400, body: { error: "CANARY-refresh" } }), "OAuthUnavailable")
  })

  effect("has a description of one short line", function*() {
    const error_description = `expired\u001b[2J\nnow\u202e ${"x".repeat(999)}`
    const error = yield* failsWith(
      refreshed({ status: 400, body: { error: "invalid_grant", error_description } }),
      "OAuthRejected"
    )
    assert.match(error.description!, /^expired \[2J now x+…$/)
  })
})

describe("TokenEndpoint › a request without a usable response", () => {
  const failure = (reply: FakeOAuthHttp.Outcome) =>
    Effect.map(
      Effect.flip(refreshed(reply)),
      (error) => error._tag === "OAuthUnavailable" ? [error.reason, error.sent, error.retryAfterSeconds] : [error._tag]
    )

  effect("fails as a server error with 5xx, because the server may have processed it", function*() {
    for (const status of [500, 502, 503, 504, 599]) {
      const reply = { status, body: { error: "invalid_grant" } }
      assert.deepStrictEqual(yield* failure(reply), ["server_error", true, undefined])
    }
  })

  effect("fails as rate limited with 429, and honors Retry-After as seconds or as a date", function*() {
    yield* TestClock.setTime(Date.UTC(2026, 0, 1))
    const limited = (value: string) => failure({ status: 429, headers: { "retry-after": value } })
    assert.deepStrictEqual(yield* limited("120"), ["rate_limited", false, 120])
    assert.deepStrictEqual(yield* limited("Thu, 01 Jan 2026 00:05:00 GMT"), ["rate_limited", false, 300])
    assert.deepStrictEqual(yield* limited("Wed, 31 Dec 2025 00:05:00 GMT"), ["rate_limited", false, 0])
    for (const invalid of ["soon", "-1", "0.5"]) {
      assert.deepStrictEqual(yield* limited(invalid), ["rate_limited", false, undefined])
    }
    assert.deepStrictEqual(yield* failure({ status: 503, headers: { "retry-after": "5" } }), [
      "server_error",
      true,
      5
    ])
  })

  effect("fails as unsafe with a redirect, which is not followed", function*() {
    for (const status of [301, 302, 303, 307, 308]) {
      assert.deepStrictEqual(
        yield* failure({ status, headers: { location: "https://evil.example/token" } }),
        ["OAuthUnsafe"]
      )
    }
  })

  effect("fails with the unchanged error of the transport", function*() {
    const reply = new OAuthUnavailable({ reason: "timeout", detail: "as.example took too long", sent: true })
    assert.deepStrictEqual(yield* failure(reply), ["timeout", true, undefined])
  })
})

describe("TokenEndpoint › the ID token", () => {
  const claims = { iss: "https://as.example", sub: "user-1", aud: "client-1", exp: 2_000_000_000, iat: 1 }

  effect("provides account and subject", function*() {
    const tokens = yield* exchanged({ body: { ...good, id_token: idToken({ ...claims, email: "a@b.example" }) } })
    assert.deepStrictEqual(tokens.account, { id: "user-1", label: "a@b.example" })
    assert.deepStrictEqual(tokens.subject, { iss: "https://as.example", sub: "user-1" })
  })

  const wrong: ReadonlyArray<readonly [string, unknown]> = [
    ["not a token", "CANARY-garbage"],
    ["not a string", { a: 1 }],
    ["without claims", idToken({})],
    ["for another client", idToken({ ...claims, aud: "other" })],
    ["of another issuer", idToken({ ...claims, iss: "https://evil.example" })],
    ["not JSON", `a.${btoa("CANARY{")}.c`],
    ["not base64url", "a.***.c"]
  ]
  for (const [what, id_token] of wrong) {
    effect(`is ignored when it is ${what}, unless openid was requested`, function*() {
      const reply = { body: { ...good, id_token } }
      const tokens = yield* exchanged(reply)
      assert.deepStrictEqual(tokens.account, { id: null, label: null })
      assert.include((yield* exchanged(reply, { scopes: ["openid", "read"] })).refused, "another issuer or audience")
      // A rotated token is stored even if its ID token is invalid.
      assert.strictEqual(
        Redacted.value((yield* refreshed(reply)).refreshToken!),
        "CANARY-next"
      )
    })
  }

  effect("may be of any issuer if the definition names none, and for several clients", function*() {
    const id_token = idToken({ ...claims, iss: "https://login.example", aud: ["x", "client-1"] })
    const tokens = yield* exchanged({ body: { ...good, id_token } }, { server: { ...server, issuerKnown: false } })
    assert.strictEqual(tokens.subject?.iss, "https://login.example")
  })
})

describe("TokenEndpoint › the lifetime of a token", () => {
  const http = FakeOAuthHttp.suspended(FakeOAuthHttp.always({ body: good }), "10 minutes")

  it.effect("counts from the request, however late its response is read", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_000_000)
      assert.strictEqual((yield* exchangeCode(codeGrant)).requestedAtMillis, 1_000_000)
      assert.strictEqual((yield* refresh(refreshGrant)).requestedAtMillis, 1_600_000)
    }).pipe(Effect.provide(http)))

  it.effect("is not extended by a clock that went back before the response", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_000_000)
      const { requestedAtMillis } = yield* exchangeCode(codeGrant)
      assert.strictEqual(requestedAtMillis, 400_000)
    }).pipe(
      Effect.provide(FakeOAuthHttp.suspended(FakeOAuthHttp.always({ body: good }), "-10 minutes"))
    ))

  effect("ends at the time that the server states, if it states one", function*() {
    yield* TestClock.setTime(1_800_000_000_000)
    const absolute = FakeOAuthHttp.always({
      body: { ...good, expires_in: undefined, expires_at: 1_800_000_000 + 3600 }
    })
    const tokens = yield* exchangeCode({
      ...codeGrant,
      style: style({ pointers: { expiresIn: "/expires_at" } })
    }).pipe(Effect.provide(FakeOAuthHttp.suspended(absolute, "10 minutes")))
    assert.strictEqual(tokens.requestedAtMillis + tokens.expiresInSeconds! * 1000, (1_800_000_000 + 3600) * 1000)
  })
})
