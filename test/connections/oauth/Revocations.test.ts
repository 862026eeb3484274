import { assert, describe, it } from "@effect/vitest"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { ClientCredentials } from "../../../src/connections/oauth/ClientCredentialsRepo.ts"
import { acme, main, oauthDefinition, oauthDocument, work } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { unreachable } from "../../support/FakeIssuer.ts"
import { testsIn } from "../../support/Fixture.ts"
import { binding, started, withIssuer } from "../../support/OAuthConnections.ts"
import { definition, inHomeOf, token, tokens } from "../../support/OAuthLogins.ts"
import { copyOf, query, transact } from "../../support/Services.ts"
import { executeOn } from "../../support/TestStore.ts"

const { effect } = testsIn(withIssuer)

const registered: ClientCredentials = {
  clientId: "client-1",
  clientSecret: Redacted.make("secret-1"),
  authentication: "client_secret_basic",
  source: "registered",
  redirectUri: "http://127.0.0.1:7998/auth/callback/oauth",
  secretExpiresAt: null,
  registration: {
    uri: "https://login.acme.example/clients/client-1",
    accessToken: Redacted.make("registration-1")
  },
  refusedAt: null
}

const unsupported = { status: 400, body: { error: "unsupported_token_type" } }

describe("Revocations.revoke", () => {
  effect("revokes tokens, then the client", function*({ clients, connections, events, login, profile }, issuer, home) {
    yield* transact(
      clients.save({ profile, definition: oauthDefinition(), baseUrl: null, issuer: binding.issuer }, registered)
    )
    yield* login({ oauth: { ...binding, clientAuthentication: "client_secret_basic" } })
    yield* login({ connection: work, tokens: ["at-work", "rt-work"] })
    assert.deepStrictEqual(yield* connections.revoke(profile, acme), {
      status: "revoked",
      provider: acme,
      connections: [main, work],
      providerContacted: true,
      failures: []
    })
    const requests = issuer.sent.map(({ fields, method, url }) =>
      `${method} ${url} ${fields["token_type_hint"] ?? ""} ${fields["token"] ?? ""}`.trim()
    )
    const at = (text: string) => requests.findIndex((line) => line.includes(text))
    assert.lengthOf(requests, 5)
    assert.isBelow(at("refresh_token rt-0"), at("access_token at-0"))
    assert.isBelow(at("refresh_token rt-work"), at("access_token at-work"))
    assert.strictEqual(at("DELETE https://login.acme.example/clients/client-1"), 4)
    assert.strictEqual(issuer.sent[4]!.authorization, "Bearer registration-1")
    assert.strictEqual(
      issuer.sent.find(({ fields }) => fields["token"] === "rt-0")!.authorization,
      `Basic ${btoa("client-1:secret-1")}`
    )
    for (const table of ["connections", "client_credentials", "provider_defaults"]) {
      assert.deepStrictEqual(query(home, `SELECT * FROM ${table}`), [], table)
    }
    assert.deepStrictEqual((yield* events).slice(-2), ["revoke default ok", "revoke work ok"])
  })

  effect("disables the connections first", function*({ connections, events, login, profile, record, token }, issuer) {
    yield* login()
    const revocation = yield* issuer.hold(connections.revoke(profile, acme))
    yield* failsWith(token(), "CredentialMissingError")
    assert.strictEqual((yield* record()).status, "invalid")
    yield* failsWith(connections.get(profile, acme, main, { reveal: true }), "OperationNotAllowedError")
    yield* failsWith(connections.exportCredential(profile, { provider: acme }), "CredentialMissingError")
    assert.notInclude((yield* events).join(), "get")
    yield* revocation.finish
    yield* failsWith(record(), "ConnectionNotFoundError")
  })

  const cases = [
    ["responds with 503", { status: 503 }, true, "may still be valid at login.acme.example"],
    ["responds with 400", { status: 400, body: { error: "invalid_request" } }, true, "invalid_request"],
    ["cannot be reached", unreachable, false, "cannot be reached"]
  ] as const
  for (const [name, reply, contacted, sentence] of cases) {
    effect(`deletes everything when the provider ${name}`, function*({ connections, login, profile }, issuer, home) {
      yield* login()
      issuer.behavior = () => reply
      const { failures, providerContacted } = yield* connections.revoke(profile, acme)
      assert.lengthOf(failures, 2)
      assert.include(failures[0], "refresh token of acme/default")
      assert.include(failures[0], sentence)
      assert.strictEqual(providerContacted, contacted)
      assert.deepStrictEqual(query(home, "SELECT * FROM connections"), [])
    })
  }

  it.effect("reports that the provider has no revocation endpoint", () =>
    withIssuer(function*({ connections, login, profile }, issuer) {
      yield* login({ oauth: { ...binding, revocationEndpoint: null } })
      assert.isFalse((yield* connections.revoke(profile, acme)).providerContacted)
      assert.lengthOf(issuer.sent, 0)
    }, oauthDocument({ oauth: { revocation_url: null } })))

  effect("waits ten seconds for a provider that hangs", function*({ connections, login, profile }, issuer, home) {
    yield* login()
    const revocation = yield* issuer.hold(connections.revoke(profile, acme))
    yield* TestClock.adjust("10 seconds")
    const { failures } = yield* Fiber.join(revocation.fiber)
    assert.include(failures[0], "did not respond in time")
    assert.deepStrictEqual(query(home, "SELECT * FROM connections"), [])
  })

  effect("continues after its caller is interrupted", function*({ connections, login, profile, record }, issuer) {
    yield* login()
    const revocation = yield* issuer.hold(connections.revoke(profile, acme))
    yield* Fiber.interrupt(revocation.fiber)
    yield* revocation.respond
    yield* connections.revoke(profile, acme)
    yield* failsWith(record(), "ConnectionNotFoundError")
    assert.lengthOf(issuer.sent, 2)
  })

  effect(
    "is finished by the next process if the current process is killed",
    function*({ connections, login, profile }, issuer, home) {
      yield* login()
      const revocation = yield* issuer.hold(connections.revoke(profile, acme))
      const copy = yield* copyOf(home)
      executeOn(copy, "UPDATE token_refreshes SET owner = 'ended'")
      yield* revocation.finish
      const again = issuer.pause()
      yield* started(copy, issuer, function*(next) {
        yield* again.arrived
        yield* failsWith(next.token(), "CredentialMissingError")
        yield* again.release
        yield* next.connections.revoke(next.profile, acme)
        assert.deepStrictEqual(yield* next.connections.list(next.profile), [])
        assert.include(yield* next.events, "revoke default ok")
      })
    }
  )

  effect("keeps a login that was made in the meantime", function*({ connections, login, profile, token }, issuer) {
    yield* login()
    const revocation = yield* issuer.hold(connections.revoke(profile, acme))
    yield* login({ force: true, tokens: ["at-new", "rt-new"] })
    yield* revocation.finish
    assert.strictEqual(yield* token(), "at-new")
  })

  for (const supported of ["access_token", undefined]) {
    effect(
      `reports that a refresh token may still be valid if the server revokes ${supported ?? "no token"}`,
      function*({ connections, login, profile }, issuer) {
        yield* login()
        issuer.behavior = ({ fields }, normal) => fields["token_type_hint"] === supported ? normal() : unsupported
        const { failures, providerContacted } = yield* connections.revoke(profile, acme)
        assert.isTrue(providerContacted)
        assert.lengthOf(failures, supported === undefined ? 2 : 1)
        assert.match(failures[0]!, /^The refresh token of acme\/default may still be valid .*unsupported_token_type/)
        assert.deepStrictEqual(
          issuer.sent.map(({ fields }) => fields["token_type_hint"]),
          ["refresh_token", "access_token"]
        )
      }
    )
  }

  effect("reports an access token that the server does not revoke", function*({ connections, login, profile }, issuer) {
    yield* login({ tokens: ["at-0"] })
    issuer.behavior = () => unsupported
    const { failures } = yield* connections.revoke(profile, acme)
    assert.lengthOf(failures, 1)
    assert.include(failures[0], "The access token of acme/default may still be valid")
  })

  effect("accepts that both tokens end together (RFC 7009, 2.2.1)", function*({ connections, login, profile }, issuer) {
    yield* login()
    issuer.behavior = ({ fields }, normal) => fields["token_type_hint"] === "access_token" ? unsupported : normal()
    assert.deepStrictEqual((yield* connections.revoke(profile, acme)).failures, [])
  })
})

describe("Connections › logout and remove", () => {
  effect("do not contact the provider", function*({ connections, login, profile }, issuer) {
    yield* login()
    yield* connections.logout(profile, acme, main)
    yield* login()
    yield* connections.removeProvider(profile, acme)
    assert.lengthOf(issuer.sent, 0)
  })
})

describe("Revocations › requests", () => {
  const revoke = "https://login.acme.example/revoke"
  const of = (own: object) =>
    definition({ client_authentication: "client_secret_post", revocation_url: revoke, ...own })
  const basic = { revocation_client_authentication: "client_secret_basic" }
  const names = { revocation_param_names: { access_token: "accessToken", client_id: "clientId" } }
  const secret = { client_id: "cid", client_secret: "CANARY-SECRET" }
  const bodiesWith = (client: object) => [
    { token: "rt-CANARY", token_type_hint: "refresh_token", ...client },
    { token: "at-1", token_type_hint: "access_token", ...client }
  ]
  for (
    const [how, own, authorization, bodies] of [
      ["as the definition says", basic, `Basic ${btoa("cid:CANARY-SECRET")}`, bodiesWith({})],
      ["as token requests when it says nothing", {}, undefined, bodiesWith(secret)],
      ["under other names", names, undefined, [{
        accessToken: "at-1",
        clientId: "cid",
        client_secret: "CANARY-SECRET"
      }]]
    ] as const
  ) {
    it.effect(`authenticate the client ${how}`, () =>
      inHomeOf(of(own))({ [token]: tokens(), [revoke]: {} }, function*(context, { at }) {
        const { connections, finish, profile, toBrowser } = context
        yield* finish(yield* toBrowser())
        yield* connections.revoke(profile, acme)
        assert.isUndefined(at(token)[0]!.authorization)
        assert.deepStrictEqual(at(revoke).map((request) => request.authorization), bodies.map(() => authorization))
        assert.deepStrictEqual(at(revoke).map(({ fields }) => fields), bodies as ReadonlyArray<object>)
      }))
  }
})
