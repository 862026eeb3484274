import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as crypto from "node:crypto"
import type { ProviderName } from "../../src/domain/definition/Provider.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { acme, main } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { type Script, scripted, suspended } from "../support/FakeOAuthHttp.ts"
import {
  addressOf,
  client,
  type Context,
  definition,
  device,
  inHomeOf,
  issuer,
  metadata,
  metadataUrl,
  rejected,
  started,
  token,
  tokens,
  undefinedEndpoints
} from "../support/OAuthLogins.ts"
import { canBeOthers, otherUser } from "../support/OtherUser.ts"
import { origin, withHome } from "../support/Services.ts"
import { redacted } from "../support/StoredConnections.ts"

const redirectUri = `${origin}/auth/callback/oauth`
const revoke = "https://login.acme.example/revoke"

/** An MCP server and its authorization server, discovered through their metadata. */
const resource = "https://mcp.acme.example/mcp"
const mcp = (oauth: object = {}, changes: object = {}) =>
  definition(
    { ...undefinedEndpoints, scopes: [], resource, ...oauth },
    { flow: "dcr_pkce", flows: ["dcr_pkce"], api_url: resource, ...changes }
  )
const issuerOnly = definition({ ...undefinedEndpoints, issuer }, { flows: ["pkce"] })
const resourceMetadataUrl = "https://mcp.acme.example/.well-known/oauth-protected-resource/mcp"

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

const inHome = inHomeOf(definition())

describe("CodeFlow, for pkce", () => {
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
          const isNamed = yield* started(home, scripted({ [device]: { body } }), begin, at)
          assert.strictEqual(isNamed, at.startsWith("https"), at)
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
      const paths = error.problems.map(({ path }) => path)
      assert.sameMembers(paths, ["/data/client_id", "/data/client_secret", "/data/other"])
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
        const expiresAt = DateTime.add(before, { hours: 1 })
        assert.deepInclude(yield* connection, { obtainedAt: before, expiresAt })
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
      const warning = "The provider did not grant these scopes: write. The provider granted additional scopes: admin."
      assert.strictEqual(session.warning, warning)
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
})

describe("CodeFlow, for dcr_pkce", () => {
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
    inHomeOf(definition({ registration_url: "https://login.acme.example/register" }, { flow: "dcr_pkce" }))({
      "https://login.acme.example/register": mcpScript()[`${issuer}/register`]!,
      [token]: tokens()
    }, function*({ finish, start }, { at }) {
      const session = yield* start()
      assert.strictEqual(session.message, "Log in to Acme at login.acme.example.")
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
    ["rejects this client", mcpScript({ [`${issuer}/register`]: rejected("invalid_client_metadata") }), "refused"],
    ["fails to register a client", mcpScript({ [`${issuer}/register`]: { status: 500 } }), "internal error"]
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
        const warning =
          " What you allow there is granted to as.acme.example: continue only if Acme owns all of these hosts."
        assert.strictEqual((yield* start()).message, `Log in to Acme at login.bank.example.${warning}`)
      }
    ))
})

describe("CodeFlow › renamed parameters", () => {
  it.effect("are used in the authorization request, the redirect, token requests and revocations", () =>
    inHomeOf(definition({
      revocation_url: revoke,
      scopes: [],
      client_authentication: "client_secret_post",
      authorization_param_names: { client_id: "client_key" },
      token_param_names: { client_id: "app_id", client_secret: "secret", code: "auth_code", refresh_token: "again" },
      code_param: "auth_code",
      token_params: { type: "web_server" },
      refresh_params: { type: "refresh" },
      code_challenge_encoding: "hex"
    }))({ [token]: tokens(), [revoke]: {} }, function*(context, { at }) {
      const { connections, finish, profile, refresh, runner, start } = context
      const { sessionId } = yield* start()
      const session = yield* runner.resume(sessionId, redacted({ client_id: "cid", client_secret: "sec" }))
      const { searchParams } = addressOf(session)
      assert.strictEqual(searchParams.get("client_key"), "cid")
      assert.isFalse(searchParams.has("client_id"))
      assert.strictEqual((yield* finish(session, "auth_code=c-9&code=other")).status, "completed")
      const { code_verifier: verifier = "", ...exchange } = at(token)[0]!.fields
      const challenge = crypto.createHash("sha256").update(verifier).digest("hex")
      assert.strictEqual(challenge, searchParams.get("code_challenge"))
      const own = { app_id: "cid", secret: "sec" }
      assert.deepStrictEqual(exchange, {
        ...own,
        auth_code: "c-9",
        grant_type: "authorization_code",
        redirect_uri: redirectUri,
        type: "web_server"
      })
      yield* refresh
      const refreshed = { ...own, again: "rt-CANARY", grant_type: "refresh_token", type: "refresh" }
      assert.deepStrictEqual(at(token)[1]!.fields, refreshed)
      yield* connections.revoke(profile, acme)
      assert.deepInclude(at(revoke)[0]!.fields, { ...own, token: "rt-CANARY" })
    }))

  const cases = [
    ["has the code only under its standard name", "code=c-9"],
    ["repeats the code", "auth_code=c-9&auth_code=c-8"]
  ] as const
  for (const [what, query] of cases) {
    it.effect(`are required: a login fails if its redirect ${what}`, () =>
      inHomeOf(definition({ client_id: "acme-cli", code_param: "auth_code" }))(
        { [token]: tokens() },
        function*({ finish, start }, { sent }) {
          assert.strictEqual((yield* finish(yield* start(), query)).status, "failed")
          assert.lengthOf(sent, 0)
        }
      ))
  }
})
