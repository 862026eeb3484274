import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as crypto from "node:crypto"
import { ClientCredentialsRepo } from "../../src/connections/ClientCredentialsRepo.ts"
import type { AuthSession, StartLogin } from "../../src/domain/AuthSession.ts"
import type { ConnectionName } from "../../src/domain/Connection.ts"
import type { ProviderName } from "../../src/domain/Provider.ts"
import { OAuthHttp, type OAuthRequest, type Reach } from "../../src/oauth/OAuthHttp.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { acme, main } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { type FakeOAuthHttp, type Reply, type Script, scripted, suspended } from "../support/FakeOAuthHttp.ts"
import { loginContext } from "../support/Logins.ts"
import { contentOf, dropIn, logins, origin, withHome } from "../support/Services.ts"
import { redacted } from "../support/StoredConnections.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"

const redirectUri = `${origin}/auth/callback/oauth`

const authorization = "https://as.acme.example/authorize"
const token = "https://as.acme.example/token"
const device = "https://as.acme.example/device"

const definition = (oauth: object = {}, overrides: object = {}) => ({
  schema_version: 1,
  name: "acme",
  display_name: "Acme",
  auth_type: "oauth2",
  flow: "pkce",
  flows: ["pkce", "device_code", "dcr_pkce"],
  api_url: "https://api.acme.example",
  credentials_url: "https://acme.example/apps",
  oauth: {
    authorization_url: authorization,
    token_url: token,
    device_authorization_url: device,
    scopes: ["read", "write"],
    ...oauth
  },
  ...overrides
})

/** An MCP server and its authorization server, discovered through their metadata. */
const resource = "https://mcp.acme.example/mcp"
const issuer = "https://login.acme.example"
const mcp = definition({
  authorization_url: null,
  token_url: null,
  device_authorization_url: null,
  scopes: [],
  resource
}, { flow: "dcr_pkce", flows: ["dcr_pkce"], api_url: resource })

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
    headers: {
      "www-authenticate":
        "Bearer resource_metadata=\"https://mcp.acme.example/.well-known/oauth-protected-resource/mcp\""
    }
  },
  "https://mcp.acme.example/.well-known/oauth-protected-resource/mcp": {
    body: { resource, authorization_servers: [issuer], scopes_supported: ["tools"] }
  },
  [`${issuer}/.well-known/oauth-authorization-server`]: { body: { ...metadata, ...change } },
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

const otherUser = ["--reuid=65534", "--regid=65534", "--clear-groups"]
const canBeOthers = process.platform === "linux" && process.getuid?.() === 0 &&
  builtins.childProcess.spawnSync("setpriv", [...otherUser, "true"]).status === 0
if (!canBeOthers) console.warn("SKIPPED: a test with another user needs root and setpriv")

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
  const stored = Effect.map(clients.list(profile, acme), (all) => all.map(({ credentials }) => credentials))
  return { ...context, toBrowser, stored }
})

type Context = Effect.Success<typeof setUp>

const started = <A>(
  home: string,
  provider: FakeOAuthHttp,
  body: (context: Context) => Returned<A>,
  at?: string
) => Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(Effect.provide(logins(home, provider.layer, at)))

const inHome = <A>(
  script: Script,
  body: (context: Context, provider: FakeOAuthHttp, home: string) => Returned<A>,
  document: { readonly name: string } = definition()
) =>
  withHome((home) => {
    const provider = scripted(script)
    return started(home, provider, (context) => body(context, provider, home))
  }, document)

/** The URL that the browser is sent to. */
const addressOf = ({ nextAction }: AuthSession): URL => {
  if (nextAction.type !== "open_url") throw new Error(`the next action is ${nextAction.type}`)
  return new URL(nextAction.url)
}

const callbackTo = (session: AuthSession, more = "code=c-1") =>
  `?state=${addressOf(session).searchParams.get("state") ?? ""}&${more}`

const settle = Effect.gen(function*() {
  for (let turn = 0; turn < 200; turn++) yield* Effect.yieldNow
})

describe("PkceFlow", () => {
  it.effect("asks for the client first, with the redirect URI to register and the page where apps are created", () =>
    inHome({}, function*({ runner, start }) {
      const session = yield* start()
      assert.strictEqual(session.nextAction.type, "enter_input")
      assert.include(session.message, redirectUri)
      assert.include(session.message, "https://acme.example/apps")
      if (session.nextAction.type !== "enter_input") return
      assert.deepStrictEqual(
        session.nextAction.fields.map(({ name, required, secret }) => ({ name, required, secret })),
        [
          { name: "client_id", required: true, secret: false },
          { name: "client_secret", required: false, secret: true }
        ]
      )
      assert.deepInclude(yield* runner.form(session.sessionId), { redirectUri, recipient: "as.acme.example" })
    }))

  it.live.runIf(canBeOthers)(
    "stops if another user listens on localhost and could receive the code",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const child = builtins.childProcess.spawn("setpriv", [
          ...otherUser,
          process.execPath,
          "-e",
          "const s = require('net').createServer().listen(0, '::1', () => console.log(s.address().port))"
        ], { stdio: ["ignore", "pipe", "ignore"] })
        yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
        const port = yield* Effect.callback<string>((resume) =>
          void child.stdout.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk.toString().trim())))
        )
        yield* withHome((home) =>
          Effect.suspend(() => {
            dropIn(home, definition({ redirect_host: "localhost" }))
            const begun = (at: string) => started(home, scripted({}), ({ toBrowser }) => Effect.exit(toBrowser()), at)
            return Effect.gen(function*() {
              const refused = yield* begun(`http://127.0.0.1:${port}`)
              assert.include(String(refused), `Another user of this machine listens on [::1]:${port}`)
              assert.isTrue(Exit.isSuccess(yield* begun("http://127.0.0.1:1")))
            })
          })
        )
      }))
  )

  for (
    const [authentication, fields] of [
      ["none", ["client_id"]],
      ["client_secret_basic", ["client_id", "client_secret!"]],
      ["client_secret_post", ["client_id", "client_secret!"]]
    ] as const
  ) {
    it.effect(`asks for the fields of a client with ${authentication}`, () =>
      inHome({}, function*({ start }) {
        const { nextAction } = yield* start()
        assert.strictEqual(nextAction.type, "enter_input")
        if (nextAction.type !== "enter_input") return
        assert.deepStrictEqual(
          nextAction.fields.map(({ name, required }) => name === "client_secret" && required ? `${name}!` : name),
          [...fields]
        )
      }, definition({ client_authentication: authentication })))
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
      dropIn(home, definition())
      const provider = scripted({ [token]: tokens() })
      const layer = suspended(provider, "10 minutes")
      yield* started(home, { ...provider, layer }, function*({ connection, runner, toBrowser }) {
        const before = yield* DateTime.now
        yield* runner.callback(callbackTo(yield* toBrowser()))
        assert.deepInclude(yield* connection, {
          obtainedAt: before,
          expiresAt: DateTime.add(before, { hours: 1 })
        })
      })
    }))

  it.effect("sends the browser to consent and the code to the token endpoint, with S256", () =>
    inHome({ [token]: tokens() }, function*({ connection, runner, toBrowser }, { at, sent }, home) {
      const session = yield* toBrowser()
      assert.strictEqual(session.message, "Log in to Acme at as.acme.example.")
      const { origin: server, pathname, searchParams } = addressOf(session)
      assert.strictEqual(`${server}${pathname}`, authorization)
      const challenge = searchParams.get("code_challenge")
      assert.deepStrictEqual(Object.fromEntries(searchParams), {
        response_type: "code",
        client_id: "cid",
        redirect_uri: redirectUri,
        scope: "read write",
        state: searchParams.get("state")!,
        code_challenge: challenge!,
        code_challenge_method: "S256"
      })
      assert.match(searchParams.get("state")!, /^[\w-]{43}$/)
      assert.lengthOf(sent, 0)
      const done = yield* runner.callback(callbackTo(session))
      assert.deepInclude(done.session, { status: "completed", message: "Acme is connected." })
      const { code_verifier: verifier = "", ...fields } = at(token)[0]!.fields
      assert.strictEqual(crypto.createHash("sha256").update(verifier).digest("base64url"), challenge)
      assert.notStrictEqual(verifier, searchParams.get("state"))
      assert.deepStrictEqual(fields, {
        grant_type: "authorization_code",
        code: "c-1",
        redirect_uri: redirectUri,
        client_id: "cid",
        client_secret: "CANARY-SECRET"
      })
      const record = yield* connection
      assert.strictEqual(Redacted.value(record.accessToken!), "at-1")
      assert.deepInclude(record, {
        flow: "pkce",
        status: "connected",
        scopes: ["read", "write"],
        tokenType: "Bearer",
        hasRefreshToken: true
      })
      for (const canary of ["CANARY-SECRET", "rt-CANARY", verifier]) assert.notInclude(contentOf(home), canary)
    }))

  it.effect("stores a client once a login has succeeded, and does not ask again", () =>
    inHome({ [token]: tokens() }, function*({ runner, start, stored, toBrowser }) {
      const session = yield* toBrowser()
      assert.deepStrictEqual(yield* stored, [])
      yield* runner.callback(callbackTo(session))
      assert.deepInclude((yield* stored)[0], { clientId: "cid", source: "entered", redirectUri })
      const second = yield* start({ force: true })
      assert.strictEqual(addressOf(second).searchParams.get("client_id"), "cid")
    }))

  it.effect("asks again for a client that the provider rejects, in the same login and in the next one", () =>
    inHome({
      [token]: (_, count) => count === 2 ? rejected("invalid_client", 401) : tokens()
    }, function*({ connection, runner, start, stored, toBrowser }) {
      yield* runner.callback(callbackTo(yield* toBrowser()))
      const second = yield* start({ force: true })
      const { session: asked } = yield* runner.callback(callbackTo(second))
      assert.strictEqual(asked.nextAction.type, "enter_input")
      assert.include(asked.message, "the client ID or the client secret is invalid (invalid_client)")
      assert.strictEqual((yield* start({ force: true })).nextAction.type, "enter_input")
      const again = yield* runner.resume(asked.sessionId, redacted({ client_id: "cid-2" }))
      assert.strictEqual((yield* runner.callback(callbackTo(again))).session.status, "completed")
      assert.deepInclude((yield* stored)[0], { clientId: "cid-2", refusedAt: null })
      assert.strictEqual((yield* connection).status, "connected")
    }))

  it.effect("uses the client of the definition, and fails if the provider rejects it", () =>
    inHome({ [token]: (_, count) => count === 1 ? tokens() : rejected("invalid_client", 401) }, function*(
      { runner, start },
      { at }
    ) {
      yield* runner.callback(callbackTo(yield* start()))
      assert.deepInclude(at(token)[0]!.fields, { client_id: "acme-cli" })
      assert.notProperty(at(token)[0]!.fields, "client_secret")
      const { session } = yield* runner.callback(callbackTo(yield* start({ force: true })))
      assert.deepInclude(session, { status: "failed" })
    }, definition({ client_id: "acme-cli" })))

  it.effect("redirects to localhost if the definition says so", () =>
    inHome({ [token]: tokens() }, function*({ runner, toBrowser }, { at }) {
      const session = yield* toBrowser()
      const uri = "http://localhost:7998/auth/callback/oauth"
      assert.strictEqual(addressOf(session).searchParams.get("redirect_uri"), uri)
      yield* runner.callback(callbackTo(session))
      assert.strictEqual(at(token)[0]!.fields["redirect_uri"], uri)
    }, definition({ redirect_host: "localhost" })))

  it.effect("follows the provider's conventions: separators, parameters, JSON, Basic, pointers", () =>
    inHome(
      {
        [token]: { body: { ok: true, authed_user: { access_token: "at-user", id: "U1" }, scope: "read,write" } }
      },
      function*({ connection, runner, toBrowser }, { at }) {
        const session = yield* toBrowser()
        const { searchParams } = addressOf(session)
        assert.strictEqual(searchParams.get("scope"), "read,write")
        assert.strictEqual(searchParams.get("access_type"), "offline")
        assert.isNull(searchParams.get("code_challenge"))
        yield* runner.callback(callbackTo(session))
        const [request] = at(token)
        assert.strictEqual(request?.authorization, `Basic ${btoa("cid:CANARY-SECRET")}`)
        assert.deepInclude(request?.fields, { audience: "api", code: "c-1" })
        const record = yield* connection
        assert.strictEqual(Redacted.value(record.accessToken!), "at-user")
        assert.deepStrictEqual(record.account, { id: "U1", label: null })
      },
      definition({
        scope_separator: ",",
        pkce: false,
        authorization_params: { access_type: "offline" },
        token_params: { audience: "api" },
        token_request_format: "json",
        client_authentication: "client_secret_basic",
        token_response: { access_token: "/authed_user/access_token", account_id: "/authed_user/id" }
      })
    ))

  it.effect("uses the tenant of --base-url, and adopts the one that the token response returns", () =>
    inHome(
      {
        "https://a.acme.example/oauth/token": tokens()
      },
      function*({ connection, runner, toBrowser }) {
        const session = yield* toBrowser({ baseUrl: "https://a.acme.example" })
        assert.strictEqual(addressOf(session).origin, "https://a.acme.example")
        yield* runner.callback(callbackTo(session))
        assert.deepInclude(yield* connection, {
          baseUrl: "https://a.acme.example",
          apiUrl: "https://a.acme.example/api"
        })
      },
      definition({
        base_url: "https://{tenant}.acme.example",
        authorization_url: "{base_url}/oauth/authorize",
        token_url: "{base_url}/oauth/token"
      }, { api_url: "{base_url}/api" })
    ))

  for (
    const [returned, result] of [
      ["https://eu.acme.example", "https://eu.acme.example"],
      ["https://eu.acme.example.evil.test", undefined],
      ["http://eu.acme.example", undefined],
      ["https://user@eu.acme.example", undefined],
      [undefined, undefined]
    ] as const
  ) {
    it.effect(`${result === undefined ? "stops at" : "adopts"} ${returned} as the tenant's address from a token response`, () =>
      inHome(
        { [token]: tokens(returned === undefined ? {} : { instance_url: returned }) },
        function*(
          { connection, connections, profile, runner, toBrowser }
        ) {
          const { session } = yield* runner.callback(callbackTo(yield* toBrowser()))
          assert.strictEqual(session.status, result === undefined ? "failed" : "completed")
          assert.strictEqual(yield* connections.exists(profile, acme, main), result !== undefined)
          if (result !== undefined) assert.strictEqual((yield* connection).baseUrl, result)
        },
        definition({
          base_url: "https://{tenant}.acme.example",
          token_response: { base_url: "/instance_url" }
        }, { api_url: "{base_url}/api" })
      ))
  }

  for (
    const [provider, token, returned] of [
      [
        "salesforce",
        "https://login.salesforce.com/services/oauth2/token",
        { instance_url: "https://acme.my.salesforce.com" }
      ],
      ["pipedrive-oauth", "https://oauth.pipedrive.com/oauth/token", { api_domain: "https://acme.pipedrive.com" }]
    ] as const
  ) {
    it.effect(`obtains the tenant address of a ${provider} account without --base-url`, () =>
      inHome({ [token]: tokens(returned) }, function*({ connections, profile, runner, start }) {
        const name = provider as ProviderName
        const asked = yield* start({ provider: name })
        const session = yield* runner.resume(asked.sessionId, client)
        assert.strictEqual((yield* runner.callback(callbackTo(session))).session.error, null)
        const { baseUrl } = yield* connections.get(profile, name, main, { reveal: false })
        assert.strictEqual(baseUrl, Object.values(returned)[0])
        // The client is found again, although the login starts without a tenant address.
        assert.strictEqual((yield* start({ provider: name, force: true })).nextAction.type, "open_url")
      }))
  }

  it.effect("reports scopes that were not granted, and scopes that were granted without being requested", () =>
    inHome({ [token]: tokens({ scope: "read admin" }) }, function*({ connection, runner, toBrowser }) {
      const { session } = yield* runner.callback(callbackTo(yield* toBrowser()))
      assert.strictEqual(
        session.warning,
        "The provider did not grant these scopes: write. " +
          "It granted these scopes in addition: admin."
      )
      assert.deepStrictEqual((yield* connection).scopes, ["read", "admin"])
    }))

  it.effect("warns if a login replaces a connection of another account", () =>
    inHome(
      {
        [token]: (_, count) => tokens({ user: { id: `u${Math.ceil(count / 2)}`, name: `Ada ${Math.ceil(count / 2)}` } })
      },
      function*({ runner, start, toBrowser }) {
        yield* runner.callback(callbackTo(yield* toBrowser()))
        const same = (yield* runner.callback(callbackTo(yield* start({ force: true })))).session
        assert.isNull(same.warning)
        const other = (yield* runner.callback(callbackTo(yield* start({ force: true })))).session
        assert.strictEqual(other.warning, "This is another account than before: Ada 2 in place of Ada 1.")
      },
      definition({ token_response: { account_id: "/user/id", account_label: "/user/name" } })
    ))

  it.effect("assumes the requested scopes if the provider returns none", () =>
    inHome({ [token]: tokens({ scope: undefined }) }, function*({ connection, runner, toBrowser }) {
      const { session } = yield* runner.callback(callbackTo(yield* toBrowser({ scopes: ["read"] })))
      assert.isNull(session.warning)
      assert.deepStrictEqual((yield* connection).scopes, ["read"])
    }))

  it.effect("reports a refusal of the provider, with its text escaped, once state and issuer are verified", () =>
    inHome(
      { [`${issuer}/.well-known/oauth-authorization-server`]: { body: metadata } },
      function*({ runner, toBrowser }, { at }) {
        const denied = "error=access_denied&error_description=Not%20today"
        const wrong = yield* toBrowser()
        const refused = (yield* runner.callback(callbackTo(wrong, `${denied}&iss=https%3A%2F%2Fevil.example`))).session
        assert.strictEqual(refused.status, "failed")
        assert.notInclude(refused.error?.message, "Not today")
        const right = yield* toBrowser()
        const returned =
          (yield* runner.callback(callbackTo(right, `${denied}&iss=${encodeURIComponent(issuer)}`))).session
        assert.include(returned.error?.message, "access was denied (access_denied): Not today")
        const missing = yield* toBrowser()
        assert.strictEqual((yield* runner.callback(callbackTo(missing))).session.status, "failed")
        assert.lengthOf(at(`${issuer}/token`), 0)
      },
      definition({ authorization_url: null, token_url: null, device_authorization_url: null, issuer }, {
        flows: ["pkce"]
      })
    ))

  it.effect("sends the code to the server where the login began, even if the metadata has changed", () =>
    inHome(
      {
        [`${issuer}/.well-known/oauth-authorization-server`]: (_, count) => ({
          body: count === 1 ? metadata : { ...metadata, token_endpoint: "https://evil.example/token" }
        }),
        [`${issuer}/token`]: tokens()
      },
      function*({ runner, start, toBrowser }, { at }) {
        const session = yield* toBrowser()
        yield* start({ connection: "other" as ConnectionName })
        yield* runner.callback(callbackTo(session, `code=c-1&iss=${encodeURIComponent(issuer)}`))
        assert.lengthOf(at(`${issuer}/token`), 1)
        assert.lengthOf(at("https://evil.example/token"), 0)
      },
      definition({ authorization_url: null, token_url: null, device_authorization_url: null, issuer }, {
        flows: ["pkce"]
      })
    ))

  it.effect("revokes tokens that arrive too late to be stored", () => {
    const revocation = "https://as.acme.example/revoke"
    return Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<void>()
      const { layer, ...provider } = scripted({ [token]: tokens(), [revocation]: { status: 200 } })
      const slow = Layer.effect(
        OAuthHttp,
        Effect.map(OAuthHttp, ({ request }) => ({
          request: (reach: Reach, message: OAuthRequest) =>
            message.url !== token ? request(reach, message) : Deferred.succeed(asked, undefined).pipe(
              Effect.andThen(Deferred.await(answer)),
              Effect.andThen(request(reach, message))
            )
        }))
      ).pipe(Layer.provide(layer))
      yield* withHome((home) => {
        dropIn(home, definition({ revocation_url: revocation, client_id: "acme-cli" }))
        return started(
          home,
          { ...provider, layer: slow },
          function*({ connections, profile, runner, start }) {
            const session = yield* start()
            const fiber = yield* Effect.forkChild(runner.callback(callbackTo(session)))
            yield* Deferred.await(asked)
            yield* runner.cancel(session.sessionId)
            yield* Deferred.succeed(answer, undefined)
            yield* Fiber.join(fiber)
            yield* settle
            assert.isFalse(yield* connections.exists(profile, acme, main))
            assert.deepStrictEqual(
              provider.at(revocation).map(({ fields }) => [fields["token"], fields["token_type_hint"]]),
              [["rt-CANARY", "refresh_token"], ["at-1", "access_token"]]
            )
          }
        )
      })
    })
  })

  it.effect("ends with the provider's failure and stores nothing", () =>
    inHome({
      [token]: { status: 500, body: { access_token: "CANARY-AT" } }
    }, function*({ connections, profile, runner, stored, toBrowser }, { at }) {
      const session = yield* toBrowser()
      const failed = (yield* runner.callback(callbackTo(session))).session
      assert.strictEqual(failed.error?.error, "EndpointUnreachableError")
      assert.notInclude(JSON.stringify(failed), "CANARY")
      assert.isFalse(yield* connections.exists(profile, acme, main))
      assert.deepStrictEqual(yield* stored, [])
      yield* runner.callback(callbackTo(session))
      assert.lengthOf(at(token), 1)
    }))
})

describe("DcrPkceFlow", () => {
  const iss = `code=c-1&iss=${encodeURIComponent(issuer)}`

  it.effect("discovers the server, registers a native public client, and sends the resource in every request", () =>
    inHome(mcpScript(), function*({ connection, runner, start, stored }, { at }) {
      const session = yield* start()
      assert.strictEqual(session.message, "Log in to Acme at login.acme.example.")
      const registration = at(`${issuer}/register`)[0]!.fields as unknown as Record<string, unknown>
      assert.deepInclude(registration, {
        application_type: "native",
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "none"
      })
      const { searchParams } = addressOf(session)
      assert.strictEqual(searchParams.get("client_id"), "client-1")
      assert.strictEqual(searchParams.get("resource"), resource)
      assert.strictEqual(searchParams.get("scope"), "tools")
      assert.strictEqual((yield* runner.callback(callbackTo(session, iss))).session.status, "completed")
      assert.deepInclude(at(`${issuer}/token`)[0]!.fields, { resource, client_id: "client-1" })
      assert.deepInclude((yield* stored)[0], { clientId: "client-1", source: "registered", redirectUri })
      assert.strictEqual((yield* connection).flow, "dcr_pkce")
    }, mcp))

  it.effect("sends a client's secret only to the host that the definition states", () =>
    inHome(
      mcpScript({ [token]: tokens() }, {
        pushed_authorization_request_endpoint: `${issuer}/par`,
        require_pushed_authorization_requests: false
      }),
      function*({ connection, runner, toBrowser }, { at }) {
        const session = yield* toBrowser()
        assert.lengthOf(at(`${issuer}/par`), 0)
        assert.strictEqual((yield* runner.callback(callbackTo(session, iss))).session.status, "completed")
        assert.lengthOf(at(token), 1)
        assert.strictEqual((yield* connection).status, "connected")
      },
      { ...mcp, oauth: { ...mcp.oauth, token_url: token } } as typeof mcp
    ))

  it.effect("registers at the endpoint of a definition that states all endpoints", () =>
    inHome(
      { "https://as.acme.example/register": mcpScript()[`${issuer}/register`]!, [token]: tokens() },
      function*({ runner, start }, { at }) {
        const session = yield* start()
        assert.strictEqual(session.message, "Log in to Acme at as.acme.example.")
        assert.strictEqual(addressOf(session).searchParams.get("code_challenge_method"), "S256")
        assert.strictEqual((yield* runner.callback(callbackTo(session))).session.status, "completed")
        assert.strictEqual(at(token)[0]!.fields["client_id"], "client-1")
      },
      definition({ registration_url: "https://as.acme.example/register" }, { flow: "dcr_pkce" })
    ))

  it.effect("registers once, and again if the redirect URI changes", () =>
    withHome(function*(home) {
      dropIn(home, mcp)
      const provider = scripted(mcpScript())
      yield* started(home, provider, ({ start }) => Effect.andThen(start(), start()))
      assert.lengthOf(provider.at(`${issuer}/register`), 1)
      const moved = yield* started(home, provider, ({ start }) => start(), "http://127.0.0.1:9000")
      assert.lengthOf(provider.at(`${issuer}/register`), 2)
      assert.strictEqual(addressOf(moved).searchParams.get("client_id"), "client-2")
    }))

  it.effect("registers again if the server has forgotten the client, and continues the login", () =>
    inHome(
      mcpScript({ [`${issuer}/token`]: (_, count) => count === 1 ? rejected("invalid_client", 401) : tokens() }),
      function*({ runner, start }, { at }) {
        const session = yield* start()
        const again = (yield* runner.callback(callbackTo(session, iss))).session
        assert.strictEqual(addressOf(again).searchParams.get("client_id"), "client-2")
        assert.strictEqual((yield* runner.callback(callbackTo(again, iss))).session.status, "completed")
        assert.lengthOf(at(`${issuer}/register`), 2)
      },
      mcp
    ))

  for (
    const [what, script] of [
      ["does not support registration", mcpScript({}, { registration_endpoint: undefined })],
      ["rejects this client", mcpScript({ [`${issuer}/register`]: rejected("invalid_client_metadata") })]
    ] as const
  ) {
    it.effect(`asks for a client when the server ${what}`, () =>
      inHome(script, function*({ runner, start, stored }) {
        const session = yield* start()
        assert.strictEqual(session.nextAction.type, "enter_input")
        assert.include(session.message, redirectUri)
        const next = yield* runner.resume(session.sessionId, client)
        yield* runner.callback(callbackTo(next, iss))
        assert.deepInclude((yield* stored)[0], { clientId: "cid", source: "entered" })
      }, mcp))
  }

  it.effect("uses the metadata document of the definition if the server supports it, otherwise registers", () => {
    const clientId = "https://client.example/credsvc.json"
    const document = { ...mcp, oauth: { ...mcp.oauth, client_id: clientId } }
    return inHome(
      mcpScript({}, { client_id_metadata_document_supported: true }),
      function*({ start }, { at }) {
        assert.strictEqual(addressOf(yield* start()).searchParams.get("client_id"), clientId)
        assert.lengthOf(at(`${issuer}/register`), 0)
      },
      document
    ).pipe(Effect.andThen(
      inHome(mcpScript(), function*({ start }) {
        assert.strictEqual(addressOf(yield* start()).searchParams.get("client_id"), "client-1")
      }, document)
    ))
  })

  for (const methods of [undefined, [], ["plain"]]) {
    it.effect(`rejects a server that announces ${JSON.stringify(methods)} as its PKCE methods`, () =>
      inHome(
        mcpScript({}, { code_challenge_methods_supported: methods }),
        function*({ start }, { at }) {
          const error = yield* failsWith(start(), "AuthenticationFailedError")
          assert.include(error.message, "does not support PKCE with S256")
          assert.lengthOf(at(`${issuer}/register`), 0)
        },
        mcp
      ))
  }

  for (
    const [what, change, missing] of [
      ["no token endpoint", { token_endpoint: undefined }, "token endpoint"],
      ["no authorization endpoint", { authorization_endpoint: undefined }, "authorization endpoint"],
      ["a token endpoint over http", { token_endpoint: "http://login.acme.example/token" }, "token endpoint"],
      [
        "no endpoint for the pushed requests that they require",
        { require_pushed_authorization_requests: true },
        "pushed authorization request endpoint"
      ]
    ] as const
  ) {
    it.effect(`does not register a client if the metadata has ${what} (RFC 8414)`, () =>
      inHome(mcpScript({}, change), function*({ start, stored }, { at }) {
        const error = yield* failsWith(start(), "AuthenticationFailedError")
        assert.include(error.message, missing)
        assert.lengthOf(at(`${issuer}/register`), 0)
        assert.lengthOf(yield* stored, 0)
      }, mcp))
  }

  it.effect("does not register a client if a stated token endpoint is not allowed", () =>
    inHome(
      mcpScript({
        [`${issuer}/.well-known/oauth-authorization-server`]: { body: metadata, publicPeer: true }
      }),
      function*({ start }, { at }) {
        assert.include((yield* Effect.flip(start())).message, "token endpoint")
        assert.lengthOf(at(`${issuer}/register`), 0)
      },
      definition(
        {
          authorization_url: null,
          token_url: "http://127.0.0.1:9/token",
          device_authorization_url: null,
          scopes: [],
          resource
        },
        { flow: "dcr_pkce", flows: ["dcr_pkce"], api_url: resource, allow_insecure_loopback: true }
      )
    ))

  it.effect("says who receives the access if consent is given at another server", () =>
    inHome(
      mcpScript({}, { authorization_endpoint: "https://login.bank.example/authorize" }),
      function*({ start }) {
        assert.strictEqual(
          (yield* start()).message,
          "Log in to Acme at login.bank.example. What you allow there is granted to login.acme.example: continue only if both " +
            "belong to Acme."
        )
      },
      mcp
    ))

  it.effect("rejects metadata of another resource or of another issuer", () =>
    inHome(
      mcpScript({
        "https://mcp.acme.example/.well-known/oauth-protected-resource/mcp": {
          body: { resource: "https://mcp.bank.example/mcp", authorization_servers: [issuer] }
        }
      }),
      function*({ start }, { at }) {
        yield* failsWith(start(), "AuthenticationFailedError")
        assert.lengthOf(at(`${issuer}/register`), 0)
      },
      mcp
    ).pipe(Effect.andThen(
      inHome(mcpScript({}, { issuer: `${issuer}/` }), function*({ start }, { at }) {
        yield* failsWith(start(), "AuthenticationFailedError")
        assert.lengthOf(at(`${issuer}/register`), 0)
      }, mcp)
    )))

  it.effect("is finished by the next daemon", () =>
    withHome(function*(home) {
      dropIn(home, mcp)
      const provider = scripted(mcpScript())
      const session = yield* started(home, provider, ({ start }) => start())
      yield* started(home, provider, function*({ connection, runner }) {
        yield* runner.callback(callbackTo(session, iss))
        assert.strictEqual((yield* connection).status, "connected")
      })
    }))
})

describe("DeviceCodeFlow", () => {
  const answer: Reply = {
    body: {
      device_code: "CANARY-DEVICE",
      user_code: "WDJB-MJHT",
      verification_uri: "https://acme.example/device",
      expires_in: 900
    }
  }
  const login = { flow: "device_code" } as const
  const pass = (seconds: number) => Effect.andThen(TestClock.adjust(`${seconds} seconds`), settle)

  /** Times of the polls, in seconds since the first adjustment. */
  const polling = (replies: ReadonlyArray<Reply>) => {
    const script: Script = { [device]: answer, [token]: (_, count) => replies[count - 1] ?? rejected("access_denied") }
    return { script }
  }

  it.effect("shows code and URL, asks for no redirect URI, and stores the result of a poll", () => {
    const { script } = polling([rejected("authorization_pending"), tokens()])
    return inHome(script, function*({ connection, runner, start, stored }, { at }, home) {
      const asked = yield* start(login)
      assert.notInclude(asked.message, redirectUri)
      const session = yield* runner.resume(asked.sessionId, client)
      assert.strictEqual(session.message, "Enter the code for Acme at acme.example.")
      assert.deepInclude(session.nextAction, {
        type: "show_user_code",
        userCode: "WDJB-MJHT",
        verificationUri: "https://acme.example/device",
        interval: 5
      })
      assert.notInclude(JSON.stringify(session), "CANARY")
      assert.notInclude(contentOf(home), "CANARY-DEVICE")
      yield* settle
      yield* pass(5)
      assert.strictEqual((yield* runner.get(session.sessionId)).status, "waiting_for_user")
      yield* pass(5)
      assert.strictEqual((yield* runner.get(session.sessionId)).status, "completed")
      assert.deepInclude(at(token)[1]!.fields, { device_code: "CANARY-DEVICE", client_id: "cid" })
      assert.deepInclude((yield* stored)[0], { clientId: "cid", redirectUri: null })
      assert.strictEqual((yield* connection).flow, "device_code")
    })
  })

  it.effect(
    "polls five seconds slower after each slow_down, and backs off while there is no response",
    () => {
      const { script } = polling([
        rejected("slow_down"),
        rejected("authorization_pending"),
        { status: 503 },
        { status: 503 },
        rejected("authorization_pending"),
        tokens()
      ])
      return inHome(script, function*({ runner, start }, { at }) {
        const { sessionId } = yield* start(login)
        yield* runner.resume(sessionId, client)
        yield* settle
        const times: Array<number> = []
        for (let now = 1; now <= 120; now++) {
          const before = at(token).length
          yield* pass(1)
          if (at(token).length > before) times.push(now)
        }
        // 5; slow_down makes it 10; two failures double it twice; then 10 again.
        assert.deepStrictEqual(times, [5, 15, 25, 45, 85, 95])
        assert.strictEqual((yield* runner.get(sessionId)).status, "completed")
      })
    }
  )

  it.effect("ends when the person refuses and when the code expires", () =>
    inHome(polling([rejected("access_denied")]).script, function*({ runner, start }) {
      const { sessionId } = yield* start(login)
      yield* runner.resume(sessionId, client)
      yield* settle
      yield* pass(5)
      const session = yield* runner.get(sessionId)
      assert.strictEqual(session.status, "failed")
      assert.include(session.error?.message, "access was denied")
    }).pipe(Effect.andThen(
      inHome(polling([rejected("expired_token")]).script, function*({ runner, start }) {
        const { sessionId } = yield* start(login)
        yield* runner.resume(sessionId, client)
        yield* settle
        yield* pass(5)
        yield* failsWith(runner.get(sessionId), "SessionExpiredError")
      })
    )))

  it.effect("asks again for a client that the provider does not know", () =>
    inHome(
      { [device]: (_, count) => count === 1 ? rejected("invalid_client", 401) : answer },
      function*({ runner, start }) {
        const { sessionId } = yield* start(login)
        const asked = yield* runner.resume(sessionId, client)
        assert.strictEqual(asked.nextAction.type, "enter_input")
        assert.include(asked.message, "invalid_client")
        assert.strictEqual((yield* runner.resume(sessionId, client)).nextAction.type, "show_user_code")
      }
    ))

  it.effect("keeps a client that may not use this flow, for the flow that it works with", () =>
    inHome(
      { [token]: tokens(), [device]: rejected("unauthorized_client") },
      function*({ runner, start, stored, toBrowser }) {
        yield* runner.callback(callbackTo(yield* toBrowser()))
        const error = yield* failsWith(start({ ...login, force: true }), "AuthenticationFailedError")
        assert.include(error.message, "this client may not use this login method (unauthorized_client)")
        assert.deepInclude((yield* stored)[0], { clientId: "cid", refusedAt: null })
        assert.strictEqual((yield* start({ force: true })).nextAction.type, "open_url")
      }
    ))

  it.effect("continues polling after a restart", () =>
    withHome(function*(home) {
      dropIn(home, definition())
      const provider = scripted(polling([tokens()]).script)
      const id = yield* started(home, provider, function*({ runner, start }) {
        const { sessionId } = yield* start(login)
        yield* runner.resume(sessionId, client)
        return sessionId
      })
      yield* started(home, provider, function*({ runner }) {
        yield* settle
        yield* pass(5)
        assert.strictEqual((yield* runner.get(id)).status, "completed")
      })
      assert.lengthOf(provider.at(token), 1)
    }))
})
