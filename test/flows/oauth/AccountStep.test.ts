import { assert, describe, it } from "@effect/vitest"
import * as TestClock from "effect/testing/TestClock"
import { acme } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import type { Reply } from "../../support/FakeOAuthHttp.ts"
import { effect } from "../../support/Fixture.ts"
import { definition as definitionOf, inHomeOf, started, token, tokens } from "../../support/OAuthLogins.ts"
import { contentOf, copyOf, define } from "../../support/Services.ts"
import { redacted } from "../../support/StoredConnections.ts"
import { settle } from "../../support/TestBody.ts"

const revoke = "https://login.acme.example/revoke"
const accounts = "https://api.acme.example/accounts"

const definition = (oauth: object = {}, changes: object = {}) =>
  definitionOf({ client_id: "acme-cli", revocation_url: revoke, scopes: [], ...oauth }, changes)

describe("AccountStep", () => {
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
        const { exists, signIn, stored } = context
        const session = yield* signIn()
        yield* settle
        assert.strictEqual(session.status, "failed")
        assert.include(session.error?.message, "was stopped and nothing was stored: the request for your accounts to")
        assert.notInclude(session.error?.message, "CANARY")
        assert.isFalse(yield* exists)
        assert.lengthOf(yield* stored, 0)
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
