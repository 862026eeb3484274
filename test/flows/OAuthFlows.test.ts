import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { ClientCredentialsRepo } from "../../src/connections/oauth/ClientCredentialsRepo.ts"
import type { ProviderName } from "../../src/domain/definition/Provider.ts"
import type { AuthSession, StartLogin } from "../../src/domain/wire/AuthSession.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { acme, main, oauthDocument } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { lost } from "../support/FakeIssuer.ts"
import {
  type FakeOAuthHttp,
  type Outcome,
  type Reply,
  type Script,
  scripted,
  suspended
} from "../support/FakeOAuthHttp.ts"
import { loginContext } from "../support/Logins.ts"
import { canBeOthers, otherUser } from "../support/OtherUser.ts"
import { logins, origin, withHome } from "../support/Services.ts"
import { redacted } from "../support/StoredConnections.ts"
import { type Returned, settle, toEffect } from "../support/TestBody.ts"
import { onPostgres } from "../support/TestStore.ts"

const redirectUri = `${origin}/auth/callback/oauth`

const authorization = "https://as.acme.example/authorize"
const token = "https://as.acme.example/token"
const device = "https://as.acme.example/device"

const definition = (oauth: object = {}, changes: object = {}) =>
  oauthDocument({
    display_name: "Acme",
    flows: ["pkce", "device_code", "dcr_pkce"],
    credentials_url: "https://acme.example/apps",
    ...changes,
    oauth: {
      authorization_url: authorization,
      token_url: token,
      device_authorization_url: device,
      revocation_url: null,
      scopes: ["read", "write"],
      ...oauth
    }
  })

/** An MCP server and its authorization server, discovered through their metadata. */
const resource = "https://mcp.acme.example/mcp"
const issuer = "https://login.acme.example"
const undefinedEndpoints = { authorization_url: null, token_url: null, device_authorization_url: null }
const mcp = (oauth: object = {}, changes: object = {}) =>
  definition(
    { ...undefinedEndpoints, scopes: [], resource, ...oauth },
    { flow: "dcr_pkce", flows: ["dcr_pkce"], api_url: resource, ...changes }
  )
const issuerOnly = definition({ ...undefinedEndpoints, issuer }, { flows: ["pkce"] })
const metadataUrl = `${issuer}/.well-known/oauth-authorization-server`
const resourceMetadataUrl = "https://mcp.acme.example/.well-known/oauth-protected-resource/mcp"

const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  revocation_endpoint: `${issuer}/revoke`,
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
  authorization_response_iss_parameter_supported: true
}

const mcpScript = (more: Script = {}, change: object = {}): Script => ({
  [resource]: {
    status: 401,
    headers: { "www-authenticate": `Bearer resource_metadata="${resourceMetadataUrl}"` }
  },
  [resourceMetadataUrl]: {
    body: { resource, authorization_servers: [issuer], scopes_supported: ["tools"] }
  },
  [metadataUrl]: { body: { ...metadata, ...change } },
  [`${issuer}/register`]: ({ fields }, count) => ({
    status: 201,
    body: { client_id: `client-${count}`, redirect_uris: fields["redirect_uris"], token_endpoint_auth_method: "none" }
  }),
  [`${issuer}/token`]: tokens(),
  ...more
})

const tokens = (change: object = {}): Reply => ({
  body: {
    access_token: "at-1",
    token_type: "Bearer",
    refresh_token: "rt-CANARY",
    expires_in: 3600,
    scope: "read write",
    ...change
  }
})

const rejected = (error: string, status = 400): Reply => ({ status, body: { error } })

const client = redacted({ client_id: "cid", client_secret: "CANARY-SECRET" })

/** The URL that the browser is sent to. */
const addressOf = ({ nextAction }: AuthSession): URL => {
  if (nextAction.type !== "open_url") throw new Error(`the next action is ${nextAction.type}`)
  return new URL(nextAction.url)
}

const callbackTo = (session: AuthSession, more = "code=c-1") =>
  `?state=${addressOf(session).searchParams.get("state") ?? ""}&${more}`

const setUp = Effect.gen(function*() {
  const context = yield* loginContext
  const { profile, runner, start } = context
  const clients = yield* ClientCredentialsRepo
  /** Starts a login, enters the client if asked for it, and continues to the authorization server. */
  const toBrowser = (login: Partial<StartLogin> = {}) =>
    Effect.flatMap(
      start(login),
      (session) =>
        session.nextAction.type === "enter_input" ? runner.resume(session.sessionId, client) : Effect.succeed(session)
    )
  /** Does what the browser does when the provider redirects it back. */
  const finish = (session: AuthSession, more?: string) =>
    Effect.map(runner.callback(callbackTo(session, more)), ({ session }) => session)
  const stored = Effect.map(clients.list(profile, acme), (all) => all.map(({ credentials }) => credentials))
  return { ...context, toBrowser, finish, stored }
})

type Context = Effect.Success<typeof setUp>

const started = <A>(
  home: string,
  provider: FakeOAuthHttp,
  body: (context: Context) => Returned<A>,
  at?: string
) => Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(Effect.provide(logins(home, provider.layer, at)))

const inHomeOf =
  (document: { readonly name: string }) =>
  <A>(script: Script, body: (context: Context, http: FakeOAuthHttp, home: string) => Returned<A>) =>
    withHome((home) => {
      const http = scripted(script)
      return started(home, http, (context) => body(context, http, home))
    }, document)

const inHome = inHomeOf(definition())

describe("PkceFlow", () => {
  it.live("names the profile that gets the access if the daemon is hosted: another person may have sent the link", () =>
    withHome(function*(home) {
      const body = { device_code: "CANARY", user_code: "WDJB-MJHT", verification_uri: "https://acme.example/device" }
      for (const [index, at] of [origin, "http://[::1]:7998", "https://creds.example"].entries()) {
        for (const flow of ["pkce", "device_code"] as const) {
          const connection = `${flow.slice(0, 4)}-${index}` as ConnectionName
          const begin = ({ profile, start }: Context) =>
            Effect.map(
              start({ flow, connection }),
              ({ message }) => message.includes(` The profile ${profile} gets this access`)
            )
          assert.strictEqual(
            yield* started(home, scripted({ [device]: { body } }), begin, at),
            at.startsWith("https"),
            at
          )
        }
      }
    }, definition({ client_id: "acme-cli" })))

  it.live.runIf(canBeOthers)(
    "stops if another user listens on localhost and could receive the code",
    () =>
      withHome(function*(home) {
        const listen = "const s = require('net').createServer().listen(0, '::1', () => console.log(s.address().port))"
        const child = builtins.childProcess.spawn("setpriv", [...otherUser(), process.execPath, "-e", listen], {
          stdio: ["ignore", "pipe", "ignore"]
        })
        yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
        const port = yield* Effect.callback<string>((resume) =>
          void child.stdout.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk.toString().trim())))
        )
        const begin = (at: string) => started(home, scripted({}), ({ toBrowser }) => Effect.exit(toBrowser()), at)
        const refused = yield* begin(`http://127.0.0.1:${port}`)
        assert.include(String(refused), `Another user of this machine listens on [::1]:${port}`)
        assert.isTrue(Exit.isSuccess(yield* begin("http://127.0.0.1:1")))
      }, definition({ redirect_host: "localhost" }))
  )

  const cases = [
    ["none", false, undefined],
    ["client_secret_basic", false, "sec"],
    ["client_secret_post", false, "sec"],
    ["client_secret_basic", true, "sec"],
    ["client_secret_basic", true, undefined]
  ] as const
  for (const [method, public_clients, secret] of cases) {
    const what = `${method}${public_clients ? " or not at all" : ""}, and sends ${
      secret === undefined ? "none if none was entered" : "the secret"
    }`
    it.effect(`asks for the secret of a client that authenticates by ${what}`, () =>
      inHomeOf(definition({ client_authentication: method, public_clients }))(
        { [token]: tokens() },
        function*({ finish, runner, start }, { at }) {
          const { message, nextAction, sessionId } = yield* start()
          assert.include(message, "limits the scopes of the app, allow read, write.")
          const asked = nextAction.type === "enter_input" ? nextAction.fields.map(({ required }) => required) : []
          assert.deepStrictEqual(asked, method === "none" ? [true] : [true, !public_clients])
          const entered = { client_id: "cid", ...(secret === undefined ? {} : { client_secret: secret }) }
          yield* finish(yield* runner.resume(sessionId, redacted(entered)))
          const basic = method === "client_secret_basic" && secret !== undefined
          assert.strictEqual(at(token)[0]?.authorization, basic ? `Basic ${btoa("cid:sec")}` : undefined)
          assert.strictEqual(at(token)[0]?.fields["client_id"], basic ? undefined : "cid")
        }
      ))
  }

  it.effect("rejects invalid client credentials at their field without repeating them", () =>
    inHome({}, function*({ runner, start }) {
      const { sessionId } = yield* start()
      const error = yield* failsWith(
        runner.resume(sessionId, redacted({ client_id: " ", client_secret: "CANARY\u0000", other: "x" })),
        "InvalidRequestError"
      )
      assert.sameMembers(error.problems.map(({ path }) => path), [
        "/data/client_id",
        "/data/client_secret",
        "/data/other"
      ])
      assert.notInclude(JSON.stringify(error), "CANARY")
      assert.strictEqual((yield* runner.get(sessionId)).status, "waiting_for_user")
    }))

  it.effect("counts the lifetime of the tokens from the request if the daemon was suspended in the meantime", () =>
    withHome(function*(home) {
      const provider = scripted({ [token]: tokens() })
      const layer = suspended(provider, "10 minutes")
      yield* started(home, { ...provider, layer }, function*({ connection, finish, toBrowser }) {
        const before = yield* DateTime.now
        yield* finish(yield* toBrowser())
        assert.deepInclude(yield* connection, {
          obtainedAt: before,
          expiresAt: DateTime.add(before, { hours: 1 })
        })
      })
    }, definition()))

  it.effect("stores client credentials once a login has succeeded, and does not ask for them again", () =>
    inHome({ [token]: tokens() }, function*({ finish, start, stored, toBrowser }) {
      const session = yield* toBrowser()
      assert.deepStrictEqual(yield* stored, [])
      yield* finish(session)
      assert.deepInclude((yield* stored)[0], { clientId: "cid", source: "entered", redirectUri })
      const second = yield* start({ force: true })
      assert.strictEqual(addressOf(second).searchParams.get("client_id"), "cid")
    }))

  it.effect("asks again for client credentials that the provider rejects, in the same login and in the next one", () =>
    inHome({
      [token]: (_, count) => count === 2 ? rejected("invalid_client", 401) : tokens()
    }, function*({ connection, finish, runner, start, stored, toBrowser }) {
      yield* finish(yield* toBrowser())
      const second = yield* start({ force: true })
      const form = yield* finish(second)
      assert.strictEqual(form.nextAction.type, "enter_input")
      assert.include(form.message, "the client ID or the client secret is invalid (invalid_client)")
      assert.strictEqual((yield* start({ force: true })).nextAction.type, "enter_input")
      const again = yield* runner.resume(form.sessionId, redacted({ client_id: "cid-2" }))
      assert.strictEqual((yield* finish(again)).status, "completed")
      assert.deepInclude((yield* stored)[0], { clientId: "cid-2", refusedAt: null })
      assert.strictEqual((yield* connection).status, "connected")
    }))

  it.effect("uses the client of the definition, and fails if the provider rejects it", () =>
    inHomeOf(definition({ client_id: "acme-cli" }))({
      [token]: (_, count) => count === 1 ? tokens() : rejected("invalid_client", 401)
    }, function*({ finish, start }, { at }) {
      yield* finish(yield* start())
      assert.deepInclude(at(token)[0]!.fields, { client_id: "acme-cli" })
      assert.notProperty(at(token)[0]!.fields, "client_secret")
      const session = yield* finish(yield* start({ force: true }))
      assert.deepInclude(session, { status: "failed" })
    }))

  it.effect("redirects to localhost if the definition says so", () =>
    inHomeOf(definition({ redirect_host: "localhost" }))(
      { [token]: tokens() },
      function*({ finish, toBrowser }, { at }) {
        const session = yield* toBrowser()
        const uri = "http://localhost:7998/auth/callback/oauth"
        assert.strictEqual(addressOf(session).searchParams.get("redirect_uri"), uri)
        yield* finish(session)
        assert.strictEqual(at(token)[0]!.fields["redirect_uri"], uri)
      }
    ))

  it.effect("follows the provider's conventions: separators, parameters, JSON, Basic, pointers", () =>
    inHomeOf(definition({
      scope_separator: ",",
      pkce: false,
      authorization_params: { access_type: "offline" },
      token_params: { audience: "api" },
      token_request_format: "json",
      client_authentication: "client_secret_basic",
      token_response: { access_token: "/authed_user/access_token", account_id: "/authed_user/id" }
    }))({
      [token]: { body: { ok: true, authed_user: { access_token: "at-user", id: "U1" }, scope: "read,write" } }
    }, function*({ connection, finish, toBrowser }, { at }) {
      const session = yield* toBrowser()
      const { searchParams } = addressOf(session)
      assert.strictEqual(searchParams.get("scope"), "read,write")
      assert.strictEqual(searchParams.get("access_type"), "offline")
      assert.isNull(searchParams.get("code_challenge"))
      yield* finish(session)
      const [request] = at(token)
      assert.strictEqual(request?.authorization, `Basic ${btoa("cid:CANARY-SECRET")}`)
      assert.deepInclude(request?.fields, { audience: "api", code: "c-1" })
      const record = yield* connection
      assert.strictEqual(Redacted.value(record.accessToken!), "at-user")
      assert.deepStrictEqual(record.account, { id: "U1", label: null })
    }))

  it.effect("uses the base URL of the login, or the one that the token response returns", () =>
    inHomeOf(definition({
      base_url: "https://{tenant}.acme.example",
      authorization_url: "{base_url}/oauth/authorize",
      token_url: "{base_url}/oauth/token"
    }, { api_url: "{base_url}/api" }))({
      "https://a.acme.example/oauth/token": tokens()
    }, function*({ connection, finish, toBrowser }) {
      const session = yield* toBrowser({ baseUrl: "https://a.acme.example" })
      assert.strictEqual(addressOf(session).origin, "https://a.acme.example")
      yield* finish(session)
      assert.deepInclude(yield* connection, {
        baseUrl: "https://a.acme.example",
        apiUrl: "https://a.acme.example/api"
      })
    }))

  const allCases = [
    [
      "salesforce",
      "https://login.salesforce.com/services/oauth2/token",
      { instance_url: "https://acme.my.salesforce.com" }
    ],
    ["pipedrive-oauth", "https://oauth.pipedrive.com/oauth/token", { api_domain: "https://acme.pipedrive.com" }]
  ] as const
  for (const [provider, token, returned] of allCases) {
    it.effect(`obtains the base URL of a ${provider} account without --base-url`, () =>
      inHome({ [token]: tokens(returned) }, function*({ connections, finish, profile, runner, start }) {
        const name = provider as ProviderName
        const form = yield* start({ provider: name })
        const session = yield* runner.resume(form.sessionId, client)
        assert.strictEqual((yield* finish(session)).error, null)
        const { baseUrl } = yield* connections.get(profile, name, main, { reveal: false })
        assert.strictEqual(baseUrl, Object.values(returned)[0])
        // The client is found again, although the login starts without a base URL.
        assert.strictEqual((yield* start({ provider: name, force: true })).nextAction.type, "open_url")
      }))
  }

  it.effect("reports scopes that were not granted, and scopes that were granted without being requested", () =>
    inHome({ [token]: tokens({ scope: "read admin" }) }, function*({ connection, finish, toBrowser }) {
      const session = yield* finish(yield* toBrowser())
      assert.strictEqual(
        session.warning,
        "The provider did not grant these scopes: write. " +
          "The provider granted additional scopes: admin."
      )
      assert.deepStrictEqual((yield* connection).scopes, ["read", "admin"])
    }))

  it.effect("warns if a login replaces a connection of another account", () =>
    inHomeOf(definition({ token_response: { account_id: "/user/id", account_label: "/user/name" } }))({
      [token]: (_, count) => tokens({ user: { id: `u${Math.ceil(count / 2)}`, name: `Ada ${Math.ceil(count / 2)}` } })
    }, function*({ finish, start, toBrowser }) {
      yield* finish(yield* toBrowser())
      const same = yield* finish(yield* start({ force: true }))
      assert.isNull(same.warning)
      const other = yield* finish(yield* start({ force: true }))
      assert.strictEqual(other.warning, "The login belongs to another account than before: Ada 2 instead of Ada 1.")
    }))

  it.effect("assumes the requested scopes if the provider returns none", () =>
    inHome({ [token]: tokens({ scope: undefined }) }, function*({ connection, finish, toBrowser }) {
      const session = yield* finish(yield* toBrowser({ scopes: ["read"] }))
      assert.isNull(session.warning)
      assert.deepStrictEqual((yield* connection).scopes, ["read"])
    }))

  it.effect("reports a refusal of the provider, with its text escaped, once state and issuer are verified", () =>
    inHomeOf(issuerOnly)(
      { [metadataUrl]: { body: metadata } },
      function*({ finish, toBrowser }, { at }) {
        const denied = "error=access_denied&error_description=Not%20today"
        const wrong = yield* toBrowser()
        const refused = yield* finish(wrong, `${denied}&iss=https%3A%2F%2Fevil.example`)
        assert.strictEqual(refused.status, "failed")
        assert.notInclude(refused.error?.message, "Not today")
        const right = yield* toBrowser()
        const returned = yield* finish(right, `${denied}&iss=${encodeURIComponent(issuer)}`)
        assert.include(returned.error?.message, "access was denied (access_denied): Not today")
        const missing = yield* toBrowser()
        assert.strictEqual((yield* finish(missing)).status, "failed")
        assert.lengthOf(at(`${issuer}/token`), 0)
      }
    ))

  it.effect("sends the code to the server where the login began, even if the metadata has changed", () =>
    inHomeOf(issuerOnly)({
      [metadataUrl]: (_, count) => ({
        body: count === 1 ? metadata : { ...metadata, token_endpoint: "https://evil.example/token" }
      }),
      [`${issuer}/token`]: tokens()
    }, function*({ finish, start, toBrowser }, { at }) {
      const session = yield* toBrowser()
      yield* start({ connection: "other" as ConnectionName })
      yield* finish(session, `code=c-1&iss=${encodeURIComponent(issuer)}`)
      assert.lengthOf(at(`${issuer}/token`), 1)
      assert.lengthOf(at("https://evil.example/token"), 0)
    }))

  it.effect("revokes tokens that arrive too late to be stored", () => {
    const revocation = "https://as.acme.example/revoke"
    const requested = Deferred.makeUnsafe<void>()
    const response = Deferred.makeUnsafe<Reply>()
    return inHomeOf(definition({ revocation_url: revocation, client_id: "acme-cli" }))({
      [token]: Effect.andThen(Deferred.succeed(requested, undefined), Deferred.await(response)),
      [revocation]: { status: 200 }
    }, function*({ connections, finish, profile, runner, start }, { at }) {
      const session = yield* start()
      const fiber = yield* Effect.forkChild(finish(session))
      yield* Deferred.await(requested)
      yield* runner.cancel(session.sessionId)
      yield* Deferred.succeed(response, tokens())
      yield* Fiber.join(fiber)
      yield* settle
      assert.isFalse(yield* connections.exists(profile, acme, main))
      assert.deepStrictEqual(
        at(revocation).map(({ fields }) => [fields["token"], fields["token_type_hint"]]),
        [["rt-CANARY", "refresh_token"], ["at-1", "access_token"]]
      )
    })
  })
})

describe("DcrPkceFlow", () => {
  const iss = `code=c-1&iss=${encodeURIComponent(issuer)}`

  it.effect("sends a client's secret only to the host that the definition states", () =>
    inHomeOf(mcp({ token_url: token }))(
      mcpScript({ [token]: tokens() }, {
        pushed_authorization_request_endpoint: `${issuer}/par`,
        require_pushed_authorization_requests: false
      }),
      function*({ connection, finish, toBrowser }, { at }) {
        const session = yield* toBrowser()
        assert.lengthOf(at(`${issuer}/par`), 0)
        assert.strictEqual((yield* finish(session, iss)).status, "completed")
        assert.lengthOf(at(token), 1)
        assert.strictEqual((yield* connection).status, "connected")
      }
    ))

  it.effect("registers at the endpoint of a definition that states all endpoints", () =>
    inHomeOf(definition({ registration_url: "https://as.acme.example/register" }, { flow: "dcr_pkce" }))({
      "https://as.acme.example/register": mcpScript()[`${issuer}/register`]!,
      [token]: tokens()
    }, function*({ finish, start }, { at }) {
      const session = yield* start()
      assert.strictEqual(session.message, "Log in to Acme at as.acme.example.")
      assert.strictEqual(addressOf(session).searchParams.get("code_challenge_method"), "S256")
      assert.strictEqual((yield* finish(session)).status, "completed")
      assert.strictEqual(at(token)[0]!.fields["client_id"], "client-1")
    }))

  it.effect("registers once, and again if the redirect URI changes", () =>
    withHome(function*(home) {
      const provider = scripted(mcpScript())
      const login = ({ finish, start }: Context, force: boolean) =>
        Effect.flatMap(start({ force }), (session) => finish(session, iss))
      yield* started(home, provider, (context) => Effect.andThen(login(context, false), login(context, true)))
      assert.lengthOf(provider.at(`${issuer}/register`), 1)
      const moved = yield* started(home, provider, ({ start }) => start({ force: true }), "http://127.0.0.1:9000")
      assert.lengthOf(provider.at(`${issuer}/register`), 2)
      assert.strictEqual(addressOf(moved).searchParams.get("client_id"), "client-2")
    }, mcp()))

  const only = { registration_endpoint: undefined, client_id_metadata_document_supported: true }
  const cases = [
    ["does not support registration", mcpScript({}, { registration_endpoint: undefined }), "registration"],
    ["only reads client ID metadata documents", mcpScript({}, only), "--client-id <url>"],
    ["rejects this client", mcpScript({ [`${issuer}/register`]: rejected("invalid_client_metadata") }), "refused"]
  ] as const
  for (const [what, script, message] of cases) {
    it.effect(`asks for client credentials when the server ${what}`, () =>
      inHomeOf(mcp())(script, function*({ finish, runner, start, stored }) {
        const session = yield* start()
        assert.strictEqual(session.nextAction.type, "enter_input")
        assert.include(session.message, redirectUri)
        assert.include(session.message, message)
        const next = yield* runner.resume(session.sessionId, client)
        yield* finish(next, iss)
        assert.deepInclude((yield* stored)[0], { clientId: "cid", source: "entered" })
      }))
  }

  const noS256 = "does not support PKCE with S256"
  const unsuitable: ReadonlyArray<readonly [what: string, script: Script, message: string]> = [
    ["announces no PKCE methods", mcpScript({}, { code_challenge_methods_supported: undefined }), "--flow pkce"],
    ["announces an empty list of PKCE methods", mcpScript({}, { code_challenge_methods_supported: [] }), noS256],
    ["announces only plain PKCE", mcpScript({}, { code_challenge_methods_supported: ["plain"] }), noS256],
    ["has no token endpoint", mcpScript({}, { token_endpoint: undefined }), "token endpoint"],
    ["has no authorization endpoint", mcpScript({}, { authorization_endpoint: undefined }), "authorization endpoint"],
    [
      "has a token endpoint over http",
      mcpScript({}, { token_endpoint: "http://login.acme.example:80/token" }),
      "token endpoint"
    ],
    [
      "has no endpoint for the pushed requests that it requires",
      mcpScript({}, { require_pushed_authorization_requests: true }),
      "pushed authorization request endpoint"
    ]
  ]
  for (const [what, script, message] of unsuitable) {
    it.effect(`does not register a client at a server that ${what} (RFC 8414, RFC 9728)`, () =>
      inHomeOf(mcp())(script, function*({ start, stored }, { at }) {
        const error = yield* failsWith(start(), "AuthenticationFailedError")
        assert.include(error.message, message)
        assert.lengthOf(at(`${issuer}/register`), 0)
        assert.lengthOf(yield* stored, 0)
      }))
  }

  it.effect("does not register a client if a stated token endpoint is not allowed", () =>
    inHomeOf(mcp({ token_url: "http://127.0.0.1:9/token" }, { allow_insecure_loopback: true }))(
      mcpScript({ [metadataUrl]: { body: metadata, publicPeer: true } }),
      function*({ start }, { at }) {
        assert.include((yield* Effect.flip(start())).message, "token endpoint")
        assert.lengthOf(at(`${issuer}/register`), 0)
      }
    ))

  it.effect("names the recipient of the access if the user consents at another server", () =>
    inHomeOf(mcp())(
      mcpScript({}, { authorization_endpoint: "https://login.bank.example/authorize" }),
      function*({ start }) {
        assert.strictEqual(
          (yield* start()).message,
          "Log in to Acme at login.bank.example. What you allow there is granted to login.acme.example: continue only if " +
            "Acme owns all of these hosts."
        )
      }
    ))
})

// The clock of tests does not wait for PostgreSQL.
describe.skipIf(onPostgres)("DeviceCodeFlow", () => {
  const authorized: Reply = {
    body: {
      device_code: "CANARY-DEVICE",
      user_code: "WDJB-MJHT",
      verification_uri: "https://acme.example/device",
      expires_in: 900
    }
  }
  const login = { flow: "device_code" } as const
  const pass = (seconds: number) => Effect.andThen(TestClock.adjust(`${seconds} seconds`), settle)

  /** The replies to the polls, one by one. */
  const polling = (...replies: ReadonlyArray<Outcome>): Script => ({
    [device]: authorized,
    [token]: (_, count) => replies[count - 1] ?? rejected("access_denied")
  })

  it.effect("polls as the definition says, and continues after 428", () =>
    inHomeOf(definition({
      client_authentication: "client_secret_post",
      device_client_authentication: "client_secret_basic"
    }))(
      polling({ status: 428, body: { errors: [{ description: "pending" }] } }, tokens()),
      function*({ runner, start }, { at }) {
        const form = yield* start(login)
        const session = yield* runner.resume(form.sessionId, { ...client, client_secret: Redacted.make("sec") })
        yield* settle
        yield* pass(5)
        assert.strictEqual((yield* runner.get(session.sessionId)).status, "waiting_for_user")
        yield* pass(5)
        assert.strictEqual((yield* runner.get(session.sessionId)).status, "completed")
        assert.isUndefined(at(device)[0]!.authorization)
        for (const poll of at(token)) {
          assert.strictEqual(poll.authorization, `Basic ${btoa("cid:sec")}`)
          assert.notProperty(poll.fields, "client_secret")
        }
      }
    ))

  it.effect("continues to poll after the client has disconnected, if the client has received the code", () =>
    inHome(
      polling(tokens()),
      function*({ runner, start }) {
        const { sessionId } = yield* start(login)
        const waiting = yield* Effect.forkChild(runner.get(sessionId, { waitSeconds: 20 }), { startImmediately: true })
        yield* settle
        const resuming = yield* Effect.forkChild(runner.resume(sessionId, client))
        assert.strictEqual((yield* Fiber.join(waiting)).nextAction.type, "show_user_code")
        yield* Fiber.interrupt(resuming)
        yield* settle
        yield* pass(5)
        assert.strictEqual((yield* runner.get(sessionId)).status, "completed")
      }
    ))

  it.effect("does not start at a discovered server without a token endpoint, because refreshes need one", () =>
    inHomeOf(definition({ ...undefinedEndpoints, issuer }, { flow: "device_code", flows: ["device_code"] }))(
      { [metadataUrl]: { body: { ...metadata, device_authorization_endpoint: device, token_endpoint: undefined } } },
      function*({ start }) {
        const error = yield* failsWith(start(login), "AuthenticationFailedError")
        assert.include(error.message, "token endpoint")
      }
    ))

  it.effect("polls five seconds slower after each slow_down, and backs off while the server is unavailable", () => {
    const pending = rejected("authorization_pending")
    const passing = [{ status: 503 }, Effect.fail(lost), rejected("temporarily_unavailable"), rejected("server_error")]
    const script = polling(rejected("slow_down"), pending, ...passing, pending, tokens())
    return inHome(script, function*({ runner, toBrowser }, { at }) {
      const { sessionId } = yield* toBrowser(login)
      yield* settle
      const times: Array<number> = []
      for (let now = 1; now <= 300; now++) {
        const before = at(token).length
        yield* pass(1)
        if (at(token).length > before) times.push(now)
      }
      // 5; slow_down makes it 10; failures double it up to a minute; then 10 again.
      assert.deepStrictEqual(times, [5, 15, 25, 45, 85, 145, 205, 215])
      assert.strictEqual((yield* runner.get(sessionId)).status, "completed")
    })
  })

  it.effect("fails when the person refuses", () =>
    inHome(polling(rejected("access_denied")), function*({ runner, toBrowser }) {
      const { sessionId } = yield* toBrowser(login)
      yield* settle
      yield* pass(5)
      const session = yield* runner.get(sessionId)
      assert.strictEqual(session.status, "failed")
      assert.include(session.error?.message, "access was denied")
    }))

  it.effect("expires when the code expires", () =>
    inHome(polling(rejected("expired_token")), function*({ runner, toBrowser }) {
      const { sessionId } = yield* toBrowser(login)
      yield* settle
      yield* pass(5)
      yield* failsWith(runner.get(sessionId), "SessionExpiredError")
    }))

  it.effect("asks again for client credentials when the provider does not know the client", () =>
    inHome(
      { [device]: (_, count) => count === 1 ? rejected("invalid_client", 401) : authorized },
      function*({ runner, toBrowser }) {
        const form = yield* toBrowser(login)
        assert.strictEqual(form.nextAction.type, "enter_input")
        assert.include(form.message, "invalid_client")
        assert.strictEqual((yield* runner.resume(form.sessionId, client)).nextAction.type, "show_user_code")
      }
    ))

  it.effect("keeps client credentials that the provider rejects for this flow, for use in another flow", () =>
    inHome(
      { [token]: tokens(), [device]: rejected("unauthorized_client") },
      function*({ finish, start, stored, toBrowser }) {
        yield* finish(yield* toBrowser())
        const error = yield* failsWith(start({ ...login, force: true }), "AuthenticationFailedError")
        assert.include(error.message, "this client may not use this login method (unauthorized_client)")
        assert.deepInclude((yield* stored)[0], { clientId: "cid", refusedAt: null })
        assert.strictEqual((yield* start({ force: true })).nextAction.type, "open_url")
      }
    ))
})
