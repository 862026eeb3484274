import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { ConnectionRepo } from "../../src/connections/ConnectionRepo.ts"
import type { StartLogin } from "../../src/domain/wire/AuthSession.ts"
import { acme, main } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { type FakeOAuthHttp, type Script, scripted, type Sent } from "../support/FakeOAuthHttp.ts"
import { loginContext } from "../support/Logins.ts"
import { contentOf, logins, withHome } from "../support/Services.ts"
import { redacted } from "../support/StoredConnections.ts"
import {
  assertionOf,
  byAssertion,
  byClient,
  byKeyFile,
  byRequest,
  keyCanary,
  keyFile,
  privateKey,
  tokenUrl
} from "../support/StoredGrants.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"

const token = (change: object = {}) => ({
  body: { access_token: "at-1", token_type: "Bearer", expires_in: 3600, ...change }
})

const setUp = Effect.gen(function*() {
  const context = yield* loginContext
  const enter = (data: Readonly<Record<string, string>>, login: Partial<StartLogin> = {}) =>
    Effect.flatMap(context.start(login), ({ sessionId }) => context.runner.resume(sessionId, redacted(data)))
  return { ...context, enter, repo: yield* ConnectionRepo }
})

type Context = Effect.Success<typeof setUp>

const inHome = <A>(
  document: { readonly name: string },
  script: Script,
  body: (context: Context, http: FakeOAuthHttp, home: string) => Returned<A>
) =>
  withHome((home) => {
    const http = scripted(script)
    return Effect.flatMap(setUp, (context) => toEffect(body(context, http, home))).pipe(
      Effect.provide(logins(home, http.layer))
    )
  }, document)

const client = { client_id: "cid:/ä", client_secret: "CANARY secret+:" }

const basicOf = ({ authorization }: Sent): ReadonlyArray<string> =>
  atob((authorization ?? "").replace(/^Basic /, "")).split(":")

describe("The flow client_credentials", () => {
  it.effect("sends what the definition declares: a JSON body, the secret in it, parameters, another grant type", () =>
    inHome(
      byClient({
        grant_type: "account_credentials",
        client_authentication: "client_secret_post",
        fields: [{ name: "account_id", secret: false }, { name: "audience", secret: false, required: false }],
        params: { account: "acc-{account_id}", audience: "{audience}" }
      }, { token_request_format: "json", token_params: { of: "other flows" } }),
      { [tokenUrl]: token() },
      function*({ enter }, http) {
        yield* enter({ client_id: "cid", client_secret: "cs", account_id: "7" })
        assert.isUndefined(http.sent[0]!.authorization)
        assert.deepStrictEqual(http.sent[0]!.fields, {
          grant_type: "account_credentials",
          client_id: "cid",
          client_secret: "cs",
          account: "acc-7"
        })
        yield* enter({ client_id: "cid", client_secret: "cs", account_id: "7", audience: "b" }, { force: true })
        assert.strictEqual(http.sent[1]!.fields["audience"], "b")
      }
    ))

  it.effect("sends the request to the URL of the tenant, and keeps a value within its path segment", () =>
    inHome(
      byClient({
        token_url: "https://login.acme.example/{tenant}/token",
        fields: [{ name: "tenant", secret: false }]
      }),
      { "https://login.acme.example/..%2Fother%3Fx/token": token() },
      function*({ enter }, http) {
        const values = { client_id: "cid", client_secret: "cs" }
        assert.strictEqual((yield* enter({ ...values, tenant: "../other?x" })).status, "completed")
        yield* failsWith(enter({ ...values, tenant: ".." }, { force: true }), "OperationNotAllowedError")
        assert.lengthOf(http.sent, 1)
      }
    ))

  it.effect("requires the address of the tenant if the token endpoint contains it", () =>
    inHome(
      byClient({ token_url: "{base_url}/token" }, {
        base_url: "https://{tenant}.acme.example",
        token_response: { base_url: "/instance_url" }
      }),
      {},
      function*({ start }) {
        const { problems } = yield* failsWith(start(), "InvalidRequestError")
        assert.strictEqual(problems[0]?.path, "/base_url")
      }
    ))

  it.effect("ignores a refresh token in the response", () =>
    inHome(byClient(), { [tokenUrl]: token({ refresh_token: "rt-1" }) }, function*({ connection, enter }) {
      yield* enter(client)
      assert.isFalse((yield* connection).hasRefreshToken)
    }))
})

describe("The flow jwt_bearer", () => {
  it.effect("signs a new assertion with the declared claims, and never sends or shows the private key", () =>
    inHome(
      byAssertion({
        header: { kid: "k-{client_id}" },
        assertion_lifetime: 240,
        params: { extra: "1" },
        scopes: ["read"]
      }),
      { [tokenUrl]: token() },
      function*({ connection, enter, events }, http, home) {
        yield* TestClock.setTime(1_000_000_000_000)
        const session = yield* enter({ client_id: "cid", private_key: privateKey })
        assert.strictEqual(session.status, "completed", session.error?.message)
        const { claims, head } = yield* assertionOf(http.sent[0]!)
        assert.deepStrictEqual(head, { kid: "k-cid", alg: "RS256", typ: "JWT" })
        const { jti, ...others } = claims
        assert.deepStrictEqual(others, { iss: "cid", aud: tokenUrl, iat: 999_999_940, exp: 1_000_000_180 })
        assert.match(jti, /^[0-9a-f]{32}$/)
        assert.deepInclude(http.sent[0]!.fields, {
          grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
          extra: "1",
          scope: "read"
        })
        assert.isUndefined(http.sent[0]!.authorization)
        const seen = JSON.stringify([http.sent, session, yield* connection, yield* events])
        assert.notInclude(seen, keyCanary)
        assert.isFalse(contentOf(home).includes(keyCanary))
      }
    ))

  it.effect("reads the members of a key file, and nothing else from it", () =>
    inHome(byKeyFile(), { [tokenUrl]: token() }, function*({ connection, enter }, http) {
      const session = yield* enter({
        key_file: keyFile({ aud: "x", universe_domain: "evil.example" }),
        subject: "ada@acme.example"
      })
      assert.strictEqual(session.status, "completed", session.error?.message)
      const { claims } = yield* assertionOf(http.sent[0]!)
      assert.deepInclude(claims, { iss: "robot@acme.example", sub: "ada@acme.example", aud: tokenUrl, scope: "read" })
      assert.notProperty(http.sent[0]!.fields, "scope")
      assert.deepStrictEqual((yield* connection).account, { id: null, label: "ada@acme.example" })
      yield* enter({ key_file: keyFile() }, { force: true })
      assert.deepStrictEqual((yield* connection).account, { id: null, label: "robot@acme.example" })
    }))

  it.effect("omits the claim of a value that was not entered", () =>
    inHome(byKeyFile(), { [tokenUrl]: token() }, function*({ enter }, http) {
      yield* enter({ key_file: keyFile({ token_uri: "https://login.acme.example/old" }) })
      const { claims } = yield* assertionOf(http.sent[0]!)
      assert.notProperty(claims, "sub")
      assert.strictEqual(claims.aud, tokenUrl)
    }))

  const files: ReadonlyArray<readonly [what: string, file: string, message: string]> = [
    ["that names another token endpoint", keyFile({ token_uri: "https://evil.example/CANARY" }), "/token_uri must be"],
    ["without a token endpoint", keyFile({ token_uri: undefined }), "/token_uri must be"],
    ["of another type", keyFile({ type: "authorized_user" }), "/type must be service_account"],
    [
      "with two token endpoints",
      keyFile().replace("{", "{\"token_uri\":\"https://evil.example\","),
      "is not a JSON file"
    ],
    ["without an address", keyFile({ client_email: undefined }), "/client_email is missing"],
    ["with an address on two lines", keyFile({ client_email: "CANARY\nx" }), "contains a line break"],
    ["with a public key", keyFile({ private_key: privateKey.replaceAll("PRIVATE", "PUBLIC") }), "is a public key"],
    ["with half a key", keyFile({ private_key: privateKey.slice(0, 900) }), "is not a private key in PEM"],
    ["that is not JSON", `CANARY ${privateKey}`, "is not a JSON file"],
    ["that is too large", keyFile({ more: "CANARY".repeat(8000) }), "is longer than"]
  ]
  for (const [what, file, message] of files) {
    it.effect(`rejects a key file ${what}, and sends nothing`, () =>
      inHome(byKeyFile(), { [tokenUrl]: token() }, function*({ enter }, http) {
        const { problems } = yield* failsWith(enter({ key_file: file }), "InvalidRequestError")
        assert.deepStrictEqual(problems.map(({ path }) => path), ["/data/key_file"])
        assert.include(problems[0]!.message, message)
        assert.notInclude(problems[0]!.message, "CANARY")
        assert.notInclude(problems[0]!.message, keyCanary)
        assert.lengthOf(http.sent, 0)
      }))
  }

  it.effect("accepts a key whose line breaks are written as \\n", () =>
    inHome(byAssertion(), { [tokenUrl]: token() }, function*({ enter }) {
      const session = yield* enter({ client_id: "cid", private_key: privateKey.replaceAll("\n", "\\n") })
      assert.strictEqual(session.status, "completed", session.error?.message)
    }))

  it.effect("sends the assertion in the declared request, with lists and maps as JSON", () => {
    const url = "https://api.acme.example/app/installations/7/access_tokens"
    return inHome(
      byAssertion({
        fields: [
          { name: "app_id", secret: false },
          { name: "installation_id", secret: false, pattern: "[0-9]+" },
          { name: "repositories", secret: false, required: false, kind: "list" },
          { name: "permissions", secret: false, required: false, kind: "map" }
        ],
        claims: { iss: "{app_id}" },
        request: {
          url: "{base_url}/app/installations/{installation_id}/access_tokens",
          headers: { Authorization: "Bearer {assertion}", Accept: "application/vnd.acme+json" },
          body: {
            repositories: "{repositories}",
            permissions: "{permissions}",
            nested: [{ app: "{app_id}" }, "{permissions}"]
          }
        }
      }, {
        base_url: "https://api.acme.example",
        token_response: { access_token: "/token", expires_in: "/expires_at" }
      }),
      { [url]: { status: 201, body: { token: "ghs-1", expires_at: "1970-01-01T01:00:00Z" } } },
      function*({ connection, enter, secret }, http) {
        const values = { app_id: "42", installation_id: "7", private_key: privateKey }
        yield* enter(values)
        assert.strictEqual(yield* secret("accessToken"), "ghs-1")
        assert.strictEqual((yield* connection).expiresAt?.toString(), "DateTime.Utc(1970-01-01T01:00:00.000Z)")
        assert.strictEqual((yield* assertionOf(http.sent[0]!)).claims.iss, "42")
        assert.strictEqual(http.sent[0]!.headers["accept"], "application/vnd.acme+json")
        assert.strictEqual(http.sent[0]!.body, "{\"nested\":[{\"app\":\"42\"}]}")
        yield* enter({ ...values, repositories: "a, b", permissions: "contents=read issues=write" }, { force: true })
        const permissions = { contents: "read", issues: "write" }
        assert.deepStrictEqual(JSON.parse(http.sent[1]!.body), {
          repositories: ["a", "b"],
          permissions,
          nested: [{ app: "42" }, permissions]
        })
      }
    )
  })
})

describe("The flow token_request", () => {
  const url = "https://login.acme.example/sessions/acc-1"
  const values = { account: "acc-1", user: "ada", password: "CANARY-pass" }
  const session = (change: object = {}) => ({ body: { data: { token: "st-1", expires_at: 7200, ...change } } })

  it.effect("sends the declared request and reads token and expiry by their pointers", () =>
    inHome(byRequest(), { [url]: session() }, function*({ enter, secret }, http, home) {
      assert.strictEqual((yield* enter(values)).status, "completed")
      assert.strictEqual(yield* secret("accessToken"), "st-1")
      assert.deepInclude(http.sent[0]!, { method: "POST", body: "{\"user\":\"ada\",\"password\":\"CANARY-pass\"}" })
      assert.strictEqual(http.sent[0]!.headers["content-type"], "application/json")
      assert.isFalse(contentOf(home).includes("CANARY-pass"))
    }))

  it.effect("uses the lifetime of the definition if the response states none", () =>
    inHome(
      byRequest({ token_lifetime: 600 }),
      { [url]: session({ expires_at: undefined }) },
      function*({ connection, enter }) {
        yield* enter(values)
        assert.strictEqual((yield* connection).expiresAt?.toString(), "DateTime.Utc(1970-01-01T00:10:00.000Z)")
      }
    ))

  it.effect("can be a GET with HTTP Basic and a header, or a form", () =>
    inHome(
      byRequest({
        method: "GET",
        body: null,
        headers: { "X-Account": "{account}" },
        basic: { username: "{user}", password: "{password}" }
      }),
      { [url]: session() },
      function*({ enter }, http) {
        yield* enter(values)
        assert.deepStrictEqual(basicOf(http.sent[0]!), ["ada", "CANARY-pass"])
        assert.deepInclude(http.sent[0]!, { method: "GET", body: "" })
        assert.strictEqual(http.sent[0]!.headers["x-account"], "acc-1")
      }
    ))

  it.effect("rejects a user name that HTTP Basic cannot carry", () =>
    inHome(
      byRequest({ method: "GET", body: null, basic: { username: "{user}", password: "{password}" } }),
      { [url]: session() },
      function*({ enter }, http) {
        const error = yield* failsWith(enter({ ...values, user: "ada:admin" }), "AuthenticationFailedError")
        assert.include(error.message, "contains a colon")
        assert.lengthOf(http.sent, 0)
      }
    ))

  it.effect("asks also for the fields that only requests to the API use, and sends them in no token request", () =>
    inHome(
      byRequest({}, {
        fields: [{ name: "developer_token", pattern: "dev-.+" }],
        headers: { "X-Dev": "{developer_token}" }
      }),
      { [url]: session() },
      function*({ connections, enter, profile, repo, start }, http) {
        const { nextAction } = yield* start()
        const names = nextAction.type === "enter_input" ? nextAction.fields.map(({ name }) => name) : []
        assert.deepStrictEqual(names, ["account", "user", "password", "developer_token"])
        const { problems } = yield* failsWith(enter({ ...values, developer_token: "x" }), "InvalidRequestError")
        assert.deepStrictEqual(problems.map(({ path }) => path), ["/data/developer_token"])
        yield* enter({ ...values, developer_token: "dev-1" })
        assert.notInclude(http.sent[0]!.body, "dev-1")
        const resolved = yield* connections.resolve(profile, { host: "api.acme.example" }, { run: Option.none() })
        assert.strictEqual(Redacted.value(resolved.headers["X-Dev"]!), "dev-1")
        const stored = yield* repo.find({ profile, provider: acme, name: main })
        const { grantValues, values: placed } = yield* repo.openSecrets(stored!)
        assert.sameMembers(Object.keys(placed), ["access_token", "account", "user", "developer_token"])
        assert.sameMembers(Object.keys(grantValues!), ["account", "user", "password"])
      }
    ))

  it.effect("sends a form if the definition says so", () =>
    inHome(byRequest({ format: "form" }), { [url]: session() }, function*({ enter }, http) {
      yield* enter({ ...values, password: "a&b=c" })
      assert.deepStrictEqual(http.sent[0]!.fields, { user: "ada", password: "a&b=c" })
    }))

  it.effect("asks again after a 401 with any text, without repeating a value that the user entered", () =>
    inHome(
      byRequest(),
      { [url]: { status: 401, body: { message: "wrong password CANARY-pass" } } },
      function*({ enter }) {
        const refused = yield* enter(values)
        assert.strictEqual(refused.nextAction.type, "enter_input")
        assert.include(refused.message, "Acme refused the credentials (access_denied).")
        assert.notInclude(refused.message, "CANARY")
      }
    ))

  it.effect("reports the server's message after another error status", () =>
    inHome(byRequest(), { [url]: { status: 422, body: { message: "no such account" } } }, function*({ enter }) {
      const error = yield* failsWith(enter(values), "AuthenticationFailedError")
      assert.include(error.message, "no such account")
    }))
})
