/** Logins with declared fields, renamed parameters and a lookup of the account. */
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as crypto from "node:crypto"
import { ClientCredentialsRepo } from "../../../src/connections/oauth/ClientCredentialsRepo.ts"
import { PLACEHOLDER } from "../../../src/domain/injection/Placeholder.ts"
import type { AuthSession, StartLogin } from "../../../src/domain/wire/AuthSession.ts"
import { acme, main, oauthDocument } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { type FakeOAuthHttp, type Reply, type Script, scripted } from "../../support/FakeOAuthHttp.ts"
import { effect } from "../../support/Fixture.ts"
import { loginContext } from "../../support/Logins.ts"
import { contentOf, copyOf, define, logins, withHome } from "../../support/Services.ts"
import { redacted } from "../../support/StoredConnections.ts"
import { type Returned, settle, toEffect } from "../../support/TestBody.ts"

const token = "https://login.acme.example/token"
const revoke = "https://login.acme.example/revoke"
const accounts = "https://api.acme.example/accounts"

const definition = (oauth: object = {}, changes: object = {}) =>
  oauthDocument({ display_name: "Acme", ...changes, oauth: { client_id: "acme-cli", ...oauth } })

const tokens = (change: object = {}): Reply => ({
  body: { access_token: "at-1", token_type: "Bearer", refresh_token: "rt-CANARY", expires_in: 3600, ...change }
})

const addressOf = ({ nextAction }: AuthSession): URL => {
  if (nextAction.type !== "open_url") throw new Error(`the next action is ${nextAction.type}`)
  return new URL(nextAction.url)
}

const fieldsOf = ({ nextAction }: AuthSession) => nextAction.type === "enter_input" ? nextAction.fields : []

const setUp = Effect.gen(function*() {
  const context = yield* loginContext
  const clients = yield* ClientCredentialsRepo
  const { connections, profile, runner, start } = context
  const finish = (session: AuthSession, query = "code=c-1") =>
    Effect.map(
      runner.callback(`state=${addressOf(session).searchParams.get("state")}&${query}`),
      ({ session }) => session
    )
  const signIn = (login: Partial<StartLogin> = {}) => Effect.flatMap(start({ force: true, ...login }), finish)
  const resolve = Effect.map(
    context.resolve(),
    ({ defaults, headers, path, query }) => {
      const open = (record: Readonly<Record<string, Redacted.Redacted<string>>> = {}) =>
        Object.fromEntries(Object.entries(record).map(([name, value]) => [name, Redacted.value(value)]))
      return { headers: open(headers), query: open(query), path: open(path), defaults: open(defaults) }
    }
  )
  const refresh = Effect.flatMap(DateTime.now, (rejected) => context.resolve({ rejected }))
  const exists = connections.exists(profile, acme, main)
  return { ...context, clients, exists, finish, refresh, resolve, signIn }
})

type Context = Effect.Success<typeof setUp>

const started = <A>(home: string, http: FakeOAuthHttp, body: (context: Context) => Returned<A, Scope.Scope>) =>
  Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(
    Effect.provide(logins(home, http.layer), { local: true })
  )

const inHomeOf =
  (document: { readonly name: string; readonly [field: string]: unknown }) =>
  <A>(script: Script, body: (context: Context, http: FakeOAuthHttp, home: string) => Returned<A, Scope.Scope>) =>
    withHome((home) => {
      const http = scripted(script)
      return started(home, http, (context) => body(context, http, home))
    }, document)

describe("The additional fields of an OAuth login", () => {
  const ads = definition({
    fields: [
      { name: "developer_token", pattern: "dev-.+", hint: "It begins with dev-." },
      { name: "manager_id", secret: false }
    ],
    headers: { "developer-token": "{developer_token}" },
    query: { manager: "{manager_id}" }
  }, { export: { env: { developer_token: "ACME_DEVELOPER_TOKEN" } } })
  const inAds = inHomeOf(ads)
  const entered = { developer_token: "dev-CANARY", manager_id: "m-7" }

  it.effect("are asked for before the browser opens, sealed, and placed in requests beside the token", () =>
    inAds({ [token]: tokens() }, function*({ connection, finish, resolve, runner, start }, http, home) {
      const form = yield* start()
      assert.deepStrictEqual(
        fieldsOf(form).map(({ name, required, secret }) => ({ name, required, secret })),
        [
          { name: "developer_token", required: true, secret: true },
          { name: "manager_id", required: true, secret: false }
        ]
      )
      assert.isNull((yield* runner.form(form.sessionId)).recipient)
      const session = yield* finish(yield* runner.resume(form.sessionId, redacted(entered)))
      assert.strictEqual(session.status, "completed")
      assert.deepInclude(yield* resolve, {
        headers: { Authorization: "Bearer at-1", "developer-token": "dev-CANARY" },
        query: { manager: "m-7" }
      })
      assert.deepStrictEqual((yield* connection).fields, { manager_id: "m-7" })
      assert.lengthOf(http.sent, 1)
      assert.notInclude(http.sent[0]!.body, "dev-CANARY")
      assert.notInclude(contentOf(home), "dev-CANARY")
    }))

  it.effect("survive a refresh, get placeholders in a run, and are exported", () =>
    inAds({ [token]: tokens() }, function*({ connections, finish, profile, refresh, resolve, runner, start }) {
      const { sessionId } = yield* start()
      yield* finish(yield* runner.resume(sessionId, redacted(entered)))
      assert.isDefined((yield* refresh).issuedAt)
      assert.strictEqual((yield* resolve).headers["developer-token"], "dev-CANARY")
      const { placeholders } = yield* connections.routes(profile)
      assert.deepInclude(placeholders, { provider: acme, variable: "ACME_DEVELOPER_TOKEN", value: PLACEHOLDER })
      assert.deepInclude(placeholders, { provider: acme, variable: "ACME_MANAGER_ID", value: "m-7" })
      const exported = yield* connections.exportCredential(profile, { provider: acme, format: "env" })
      assert.include(Redacted.value(exported.output), "ACME_DEVELOPER_TOKEN=dev-CANARY\n")
    }))

  it.effect("are asked for together with unknown client credentials, and kept if the server refuses only the client", () =>
    inHomeOf({ ...ads, oauth: { ...ads.oauth, client_id: undefined } })({
      [token]: (_, count) => count === 1 ? { status: 401, body: { error: "invalid_client" } } : tokens()
    }, function*({ finish, resolve, runner, start }) {
      const { sessionId } = yield* start()
      yield* failsWith(runner.resume(sessionId, redacted({ client_id: "cid" })), "InvalidRequestError")
      const again = yield* finish(yield* runner.resume(sessionId, redacted({ client_id: "cid", ...entered })))
      assert.deepStrictEqual(fieldsOf(again).map(({ name }) => name), ["client_id", "client_secret"])
      yield* finish(yield* runner.resume(sessionId, redacted({ client_id: "cid-2" })))
      assert.strictEqual((yield* resolve).headers["developer-token"], "dev-CANARY")
    }))

  const cases = [
    ["a value of another form", { ...entered, developer_token: "CANARY" }, "/data/developer_token"],
    ["a missing value", { developer_token: "dev-CANARY" }, "/data/manager_id"],
    ["a placeholder", { ...entered, developer_token: `dev-CANARY-${PLACEHOLDER}` }, "/data/developer_token"],
    ["a line break", { ...entered, manager_id: "CANARY\nX: y" }, "/data/manager_id"],
    ["a value of OAuth itself", { ...entered, access_token: "CANARY" }, "/data/access_token"]
  ] as const
  for (const [what, data, path] of cases) {
    it.effect(`reject ${what}, without repeating it`, () =>
      inAds({}, function*({ runner, start }) {
        const { sessionId } = yield* start()
        const error = yield* failsWith(runner.resume(sessionId, redacted(data)), "InvalidRequestError")
        assert.deepStrictEqual(error.problems.map((problem) => problem.path), [path])
        assert.notInclude(JSON.stringify(error), "CANARY")
      }))
  }
})

describe("Revocation requests", () => {
  const of = (own: object) => definition({ client_id: null, client_authentication: "client_secret_post", ...own })
  const basic = { revocation_client_authentication: "client_secret_basic" }
  const names = { revocation_param_names: { access_token: "accessToken", client_id: "clientId" } }
  const secret = { client_id: "cid", client_secret: "sec" }
  const bodiesWith = (client: object) => [
    { token: "rt-CANARY", token_type_hint: "refresh_token", ...client },
    { token: "at-1", token_type_hint: "access_token", ...client }
  ]
  for (
    const [how, own, authorization, bodies] of [
      ["as the definition says", basic, `Basic ${btoa("cid:sec")}`, bodiesWith({})],
      ["as token requests when it says nothing", {}, undefined, bodiesWith(secret)],
      ["under other names", names, undefined, [{ accessToken: "at-1", clientId: "cid", client_secret: "sec" }]]
    ] as const
  ) {
    it.effect(`authenticate the client ${how}`, () =>
      inHomeOf(of(own))({ [token]: tokens(), [revoke]: {} }, function*(context, { at }) {
        const { connections, finish, profile, runner, start } = context
        yield* finish(yield* runner.resume((yield* start()).sessionId, redacted(secret)))
        yield* connections.revoke(profile, acme)
        assert.isUndefined(at(token)[0]!.authorization)
        assert.deepStrictEqual(at(revoke).map((request) => request.authorization), bodies.map(() => authorization))
        assert.deepStrictEqual(at(revoke).map(({ fields }) => fields), bodies as ReadonlyArray<object>)
      }))
  }
})

describe("Renamed parameters", () => {
  it.effect("are used in the authorization request, the redirect, token requests and revocations", () =>
    inHomeOf(definition({
      client_id: null,
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
      assert.strictEqual(
        crypto.createHash("sha256").update(verifier).digest("hex"),
        searchParams.get("code_challenge")
      )
      assert.deepStrictEqual(exchange, {
        app_id: "cid",
        secret: "sec",
        auth_code: "c-9",
        grant_type: "authorization_code",
        redirect_uri: "http://127.0.0.1:7998/auth/callback/oauth",
        type: "web_server"
      })
      yield* refresh
      assert.deepStrictEqual(at(token)[1]!.fields, {
        app_id: "cid",
        secret: "sec",
        again: "rt-CANARY",
        grant_type: "refresh_token",
        type: "refresh"
      })
      yield* connections.revoke(profile, acme)
      assert.deepInclude(at(revoke)[0]!.fields, { app_id: "cid", secret: "sec", token: "rt-CANARY" })
    }))

  const cases = [
    ["has the code only under its standard name", "code=c-9"],
    ["repeats the code", "auth_code=c-9&auth_code=c-8"]
  ] as const
  for (const [what, query] of cases) {
    it.effect(`are required: a login fails if its redirect ${what}`, () =>
      inHomeOf(definition({ code_param: "auth_code" }))({ [token]: tokens() }, function*({ finish, start }, { sent }) {
        assert.strictEqual((yield* finish(yield* start(), query)).status, "failed")
        assert.lengthOf(sent, 0)
      }))
  }
})

describe("A lookup", () => {
  const lookup = {
    url: accounts,
    items: "/accounts",
    label: "/name",
    values: { tenant_id: "/id" }
  }
  const tenants = definition({ lookup }, {
    extra_headers: { "Acme-Tenant": "{tenant_id}" },
    export: { env: { tenant_id: "ACME_TENANT_ID" } }
  })
  const two = { body: { accounts: [{ id: 7, name: "Seven" }, { id: "8", name: "Eight\u202e" }] } }
  const inTenants = inHomeOf(tenants)

  it.effect("fills templates and variables with the only account, and inspect shows it", () =>
    inTenants({
      [token]: tokens(),
      [accounts]: { body: { accounts: [{ id: 7, name: "Seven" }, { id: "7", name: "Seven again" }] } }
    }, function*({ connection, connections, profile, resolve, signIn }, { at }) {
      assert.strictEqual((yield* signIn()).error, null)
      assert.deepInclude(at(accounts)[0]!, { method: "GET", authorization: "Bearer at-1", body: "" })
      assert.notProperty(at(accounts)[0]!.headers, "acme-tenant")
      assert.deepStrictEqual((yield* resolve).defaults, { "Acme-Tenant": "7" })
      assert.deepInclude(yield* connection, { fields: { tenant_id: "7" } })
      const { placeholders } = yield* connections.routes(profile)
      assert.deepInclude(placeholders, { provider: acme, variable: "ACME_TENANT_ID", value: "7" })
    }))

  effect("reads a list at the top level, and a single account", function*() {
    for (
      const [items, body] of [["", [{ id: "t-1" }]], [undefined, { id: "t-1" }]] as const
    ) {
      const { items: _, ...others } = lookup
      const changed = { ...others, ...(items === undefined ? {} : { items }) }
      const document = { ...tenants, oauth: { ...tenants.oauth, lookup: changed } } as typeof tenants
      yield* inHomeOf(document)({ [token]: tokens(), [accounts]: { body } }, function*({ resolve, signIn }) {
        yield* signIn()
        assert.deepStrictEqual((yield* resolve).defaults, { "Acme-Tenant": "t-1" })
      })
    }
  })

  const cases = [
    ["https://eu.acme.example", "https://eu.acme.example"],
    ["https://eu.acme.example.evil.test", undefined],
    ["https://evil.test/?https://eu.acme.example", undefined],
    ["http://eu.acme.example", undefined],
    ["https://127.0.0.1", undefined]
  ] as const
  for (const [returned, result] of cases) {
    it.effect(`${result === undefined ? "rejects" : "adopts"} ${returned} as the address of the account`, () =>
      inHomeOf(definition({
        base_url: "https://{server}.acme.example",
        lookup: { url: accounts, values: { base_url: "/base_uri" } }
      }, { api_url: "{base_url}/v2", hosts: ["{base_url}", "api.acme.example"] }))(
        { [token]: tokens(), [revoke]: {}, [accounts]: { body: { base_uri: returned } } },
        function*({ connection, exists, signIn }, { at }) {
          const session = yield* signIn()
          yield* settle
          assert.strictEqual(session.status, result === undefined ? "failed" : "completed")
          assert.strictEqual(yield* exists, result !== undefined)
          if (result === undefined) assert.lengthOf(at(revoke), 2, "the tokens are revoked")
          else assert.strictEqual((yield* connection).baseUrl, result)
        }
      ))
  }

  const hostile: ReadonlyArray<readonly [what: string, reply: Reply]> = [
    ["status 401", { status: 401, body: { error: "CANARY" } }],
    ["status 500", { status: 500 }],
    ["a redirect", { status: 302, headers: { location: "https://evil.test/" } }],
    ["a page", { body: "<html>CANARY</html>" }],
    ["accounts that are not a list", { body: { accounts: { id: 1 } } }],
    ["an empty list", { body: { accounts: [] } }],
    ["1000 accounts", { body: { accounts: Array.from({ length: 1000 }, (_, id) => ({ id })) } }],
    ["an account without the value", { body: { accounts: [{ name: "CANARY" }] } }],
    ["an object in place of the value", { body: { accounts: [{ id: { toString: "CANARY" } }] } }],
    ["a line break in the value", { body: { accounts: [{ id: "CANARY\r\nX: y" }] } }],
    ["an endless value", { body: { accounts: [{ id: "CANARY".padEnd(5000, "x") }] } }],
    ["a member that every object inherits", { body: { __proto__: { accounts: [{ id: "CANARY" }] } } }]
  ]
  for (const [what, reply] of hostile) {
    it.effect(`fails on ${what}: stores nothing, says why, and revokes the tokens`, () =>
      inTenants({ [token]: tokens(), [revoke]: {}, [accounts]: reply }, function*(context, { at, sent }) {
        const { clients, exists, profile, signIn } = context
        const session = yield* signIn()
        yield* settle
        assert.strictEqual(session.status, "failed")
        assert.include(session.error?.message, "was stopped and nothing was stored: the request for your accounts to")
        assert.notInclude(session.error?.message, "CANARY")
        assert.isFalse(yield* exists)
        assert.lengthOf(yield* clients.list(profile, acme), 0)
        assert.deepStrictEqual(at(revoke).map(({ fields }) => fields["token"]), ["rt-CANARY", "at-1"])
        assert.isFalse(sent.some(({ url }) => url.includes("evil.test")))
      }))
  }

  const instance = { token_response: { base_url: "/instance" } }
  const tenant = { api_url: "{base_url}/v2", hosts: ["{base_url}"] }
  for (
    const [what, own, changes, message, urls] of [
      ["that is not one of the hosts", {}, {}, "is not on a host of the definition", [token, revoke, revoke]],
      [
        "from the token response that does not match the definition",
        instance,
        tenant,
        "does not match the provider's definition",
        [
          token,
          revoke,
          revoke
        ]
      ]
    ] as const
  ) {
    it.effect(`sends no token to a base URL ${what}`, () =>
      inHomeOf(definition({
        base_url: "https://{server}.acme.example",
        lookup: { url: "{base_url}/accounts", values: { tenant_id: "/id" } },
        ...own
      }, changes))(
        { [token]: tokens({ instance: "https://eu.acme.example.evil.test" }), [revoke]: {} },
        function*({ exists, signIn }, { sent }) {
          const session = yield* signIn({ baseUrl: "https://eu.acme.example" })
          yield* settle
          assert.include(session.error?.message, message)
          assert.isFalse(yield* exists)
          assert.deepStrictEqual(sent.map(({ url }) => url), [...urls])
        }
      ))
  }

  for (
    const [returned, revoked] of [["eu.acme.example", 0], ["eu.acme.example.evil.test", 2], [undefined, 2]] as const
  ) {
    it.effect(`revokes ${revoked} tokens, as their client, if the token response names the address ${returned}`, () =>
      inHomeOf(definition({
        client_id: null,
        client_authentication: "client_secret_post",
        base_url: "https://{server}.acme.example",
        ...instance
      }, tenant))(
        { [token]: tokens({ instance: returned }), [revoke]: {} },
        function*({ exists, finish, runner, start }, { at }) {
          const { sessionId } = yield* start()
          const entered = redacted({ client_id: "cid", client_secret: "CANARY-SECRET" })
          const session = yield* finish(yield* runner.resume(sessionId, entered))
          yield* settle
          assert.strictEqual(session.status, revoked === 0 ? "completed" : "failed")
          assert.strictEqual(yield* exists, revoked === 0)
          assert.lengthOf(at(token), 1)
          assert.deepStrictEqual(
            at(revoke).map(({ fields }) => [fields["token"], fields["client_secret"]]),
            [["rt-CANARY", "CANARY-SECRET"], ["at-1", "CANARY-SECRET"]].slice(0, revoked)
          )
        }
      ))
  }

  const foreign = `e30.${Buffer.from(JSON.stringify({ iss: "https://evil.test", sub: "1" })).toString("base64url")}.x`
  for (
    const [response, reason] of [
      [{ token_type: "mac" }, "tokens of the type \"mac\", not Bearer"],
      [{ id_token: foreign }, "has another issuer or audience"],
      [{}, undefined]
    ] as const
  ) {
    for (const [where, document] of [["a lookup", tenants], ["no lookup", definition()]] as const) {
      it.effect(`${reason ? `revokes tokens whose ${Object.keys(response)[0]} is refused` : "keeps tokens"}, with ${where}`, () =>
        inHomeOf(document)(
          { [token]: tokens(response), [revoke]: {}, [accounts]: { body: { accounts: [{ id: 7, name: "Seven" }] } } },
          function*({ exists, signIn }, { at }) {
            const session = yield* signIn({ scopes: ["openid"] })
            yield* settle
            assert.strictEqual(yield* exists, reason === undefined)
            assert.deepStrictEqual(
              at(revoke).map(({ fields }) => fields["token"]),
              reason === undefined ? [] : ["rt-CANARY", "at-1"]
            )
            if (reason === undefined) return
            assert.include(session.error?.message, reason)
            assert.lengthOf(at(accounts), 0)
          }
        ))
    }
  }

  it.effect("revokes the tokens at the server that issued them if the definition changes meanwhile", () =>
    inTenants({ [token]: tokens(), [revoke]: {}, [accounts]: two }, function*(context, { at, sent }, home) {
      const { exists, runner, signIn } = context
      const form = yield* signIn()
      yield* define(
        home,
        definition({ lookup, revocation_url: "https://evil.example/revoke" }, { hosts: ["evil.example"] })
      )
      yield* failsWith(runner.resume(form.sessionId, redacted({ account: "8" })), "OperationNotAllowedError")
      yield* settle
      assert.isFalse(yield* exists)
      assert.deepStrictEqual(at(revoke).map(({ fields }) => fields["token"]), ["rt-CANARY", "at-1"])
      assert.isFalse(sent.some(({ url }) => url.includes("evil.example")))
    }))

  it.effect("continues after a crash with the tokens that were stored, without another exchange", () =>
    inTenants({ [token]: tokens(), [revoke]: {}, [accounts]: two }, function*({ signIn }, http, home) {
      const form = yield* signIn()
      assert.notInclude(contentOf(home), "rt-CANARY")
      yield* started(yield* copyOf(home), http, function*({ resolve, runner }) {
        assert.strictEqual((yield* runner.resume(form.sessionId, redacted({ account: "8" }))).status, "completed")
        assert.strictEqual((yield* resolve).headers["Authorization"], "Bearer at-1")
      })
      assert.lengthOf(http.at(token), 1)
    }))

  it.effect("revokes the tokens if the user cancels the login instead of choosing an account", () =>
    inTenants({ [token]: tokens(), [revoke]: {}, [accounts]: two }, function*({ exists, runner, signIn }, { at }) {
      const form = yield* signIn()
      yield* runner.cancel(form.sessionId)
      yield* settle
      assert.isFalse(yield* exists)
      assert.deepStrictEqual(at(revoke).map(({ fields }) => fields["token"]), ["rt-CANARY", "at-1"])
    }))

  it.effect("revokes the tokens if the user chooses no account before the login expires", () =>
    inTenants({ [token]: tokens(), [revoke]: {}, [accounts]: two }, function*({ exists, runner, signIn }, { at }) {
      const form = yield* signIn()
      yield* TestClock.adjust("599 seconds")
      yield* settle
      assert.lengthOf(at(revoke), 0)
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.deepStrictEqual(at(revoke).map(({ fields }) => fields["token"]), ["rt-CANARY", "at-1"])
      yield* failsWith(runner.resume(form.sessionId, redacted({ account: "8" })), "SessionExpiredError")
      assert.isFalse(yield* exists)
      assert.lengthOf(at(revoke), 2)
    }))

  it.effect("revokes nothing when the account was chosen in time", () =>
    inTenants({ [token]: tokens(), [revoke]: {}, [accounts]: two }, function*({ exists, runner, signIn }, { at }) {
      const form = yield* signIn()
      yield* runner.resume(form.sessionId, redacted({ account: "8" }))
      yield* TestClock.adjust("1 hour")
      yield* settle
      assert.isTrue(yield* exists)
      assert.lengthOf(at(revoke), 0)
    }))

  for (const [when, time] of [["expires after", "9 minutes"], ["expired during", "2 hours"]] as const) {
    it.effect(`revokes the tokens of a login that ${when} a restart of the daemon`, () =>
      inTenants({ [token]: tokens(), [revoke]: {}, [accounts]: two }, function*({ signIn }, http, home) {
        yield* signIn()
        const copy = yield* copyOf(home)
        yield* TestClock.adjust(time)
        yield* started(copy, http, function*() {
          yield* TestClock.adjust("1 minute")
          yield* settle
          // Those of the first process, and of the next one.
          assert.lengthOf(http.at(revoke), 4)
        })
      }))
  }
})
