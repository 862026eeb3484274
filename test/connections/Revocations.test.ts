import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { ClientCredentials } from "../../src/connections/ClientCredentialsRepo.ts"
import { answer, unreachable } from "../support/FakeIssuer.ts"
import { acme, binding, main, oauthDefinition, started, withIssuer } from "../support/OAuthConnections.ts"
import { query } from "../support/Services.ts"

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

describe("Revocations.revoke", () => {
  it.effect("revokes refresh token, access token and registration in this order, then deletes them", () =>
    withIssuer(({ clients, connections, events, login, profile }, issuer, home) =>
      Effect.gen(function*() {
        yield* clients.save(
          { profile, definition: oauthDefinition(), baseUrl: null, issuer: binding.issuer },
          registered
        )
        yield* login({ oauth: { ...binding, clientAuthentication: "client_secret_basic" } })
        yield* login({ connection: "work" as typeof main, tokens: ["at-work", "rt-work"] })
        assert.deepStrictEqual(yield* connections.revoke(profile, acme), {
          status: "revoked",
          provider: acme,
          connections: [main, "work" as typeof main],
          providerContacted: true,
          failures: []
        })
        const requests = issuer.seen.map(({ form, method, url }) =>
          `${method} ${url} ${form["token_type_hint"] ?? ""} ${form["token"] ?? ""}`.trim()
        )
        const at = (text: string) => requests.findIndex((line) => line.includes(text))
        assert.lengthOf(requests, 5)
        assert.isBelow(at("refresh_token rt-0"), at("access_token at-0"))
        assert.isBelow(at("refresh_token rt-work"), at("access_token at-work"))
        assert.strictEqual(at("DELETE https://login.acme.example/clients/client-1"), 4)
        assert.strictEqual(issuer.seen[4]!.authorization, "Bearer registration-1")
        assert.strictEqual(
          issuer.seen.find(({ form }) => form["token"] === "rt-0")!.authorization,
          `Basic ${btoa("client-1:secret-1")}`
        )
        for (const table of ["connections", "client_credentials", "provider_defaults"]) {
          assert.deepStrictEqual(query(home, `SELECT * FROM ${table}`), [], table)
        }
        assert.deepStrictEqual((yield* events).slice(-2), ["revoke default ok", "revoke work ok"])
      })
    ))

  it.effect("marks the connections before it contacts the provider, so that none is used in the meantime", () =>
    withIssuer(({ connections, events, login, profile, record, token }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        const pause = issuer.pause()
        const revoking = yield* Effect.forkChild(connections.revoke(profile, acme))
        yield* pause.arrived
        assert.strictEqual((yield* Effect.flip(token()))._tag, "CredentialMissingError")
        assert.strictEqual((yield* record()).status, "invalid")
        const revealed = yield* Effect.flip(connections.get(profile, acme, main, { reveal: true }))
        assert.strictEqual(revealed._tag, "OperationNotAllowedError")
        const exported = yield* Effect.flip(connections.exportCredential(profile, { provider: acme }))
        assert.strictEqual(exported._tag, "CredentialMissingError")
        assert.notInclude((yield* events).join(), "get")
        yield* pause.release
        yield* Fiber.join(revoking)
        assert.strictEqual((yield* Effect.flip(record()))._tag, "ConnectionNotFoundError")
      })
    ))

  for (
    const [name, reply, contacted, sentence] of [
      ["says 503", Effect.succeed(answer(503, {})), true, "may still be valid at login.acme.example"],
      ["says 400", Effect.succeed(answer(400, { error: "invalid_request" })), true, "invalid_request"],
      ["cannot be reached", Effect.fail(unreachable), false, "cannot be reached"]
    ] as const
  ) {
    it.effect(`deletes everything locally when the provider ${name}, and reports it`, () =>
      withIssuer(({ connections, login, profile }, issuer, home) =>
        Effect.gen(function*() {
          yield* login()
          issuer.behaviour = () => reply
          const { failures, providerContacted } = yield* connections.revoke(profile, acme)
          assert.lengthOf(failures, 2)
          assert.include(failures[0], "refresh token of acme/default")
          assert.include(failures[0], sentence)
          assert.strictEqual(providerContacted, contacted)
          assert.deepStrictEqual(query(home, "SELECT * FROM connections"), [])
        })
      ))
  }

  it.effect("waits ten seconds for a provider that hangs, and no longer", () =>
    withIssuer(({ connections, login, profile }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        const pause = issuer.pause()
        const revoking = yield* Effect.forkChild(connections.revoke(profile, acme))
        yield* pause.arrived
        yield* TestClock.adjust("10 seconds")
        const { failures } = yield* Fiber.join(revoking)
        assert.include(failures[0], "did not respond in time")
        assert.deepStrictEqual(query(home, "SELECT * FROM connections"), [])
      })
    ))

  it.effect("continues after its caller has left", () =>
    withIssuer(({ connections, login, profile, record }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        const pause = issuer.pause()
        const revoking = yield* Effect.forkChild(connections.revoke(profile, acme))
        yield* pause.arrived
        yield* Fiber.interrupt(revoking)
        yield* pause.release
        yield* connections.revoke(profile, acme)
        assert.strictEqual((yield* Effect.flip(record()))._tag, "ConnectionNotFoundError")
        assert.lengthOf(issuer.seen, 2)
      })
    ))

  it.effect("is finished by the next process if this one dies", () =>
    withIssuer(({ connections, login, profile }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        const pause = issuer.pause()
        const revoking = yield* Effect.forkChild(connections.revoke(profile, acme))
        yield* pause.arrived
        const copy = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-crash-"))
        fs.cpSync(home, copy, { recursive: true })
        yield* pause.release
        yield* Fiber.join(revoking)
        const again = issuer.pause()
        yield* started(copy, issuer, (next) =>
          Effect.gen(function*() {
            yield* again.arrived
            assert.strictEqual((yield* Effect.flip(next.token()))._tag, "CredentialMissingError")
            yield* again.release
            yield* next.connections.revoke(next.profile, acme)
            assert.deepStrictEqual(yield* next.connections.list(next.profile), [])
            assert.include(yield* next.events, "revoke default ok")
          }))
        fs.rmSync(copy, { recursive: true, force: true })
      })
    ))

  it.effect("keeps a login that was made in the meantime", () =>
    withIssuer(({ connections, login, profile, token }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        const pause = issuer.pause()
        const revoking = yield* Effect.forkChild(connections.revoke(profile, acme))
        yield* pause.arrived
        yield* login({ force: true, tokens: ["at-new", "rt-new"] })
        yield* pause.release
        yield* Fiber.join(revoking)
        assert.strictEqual(yield* token(), "at-new")
      })
    ))

  for (const supported of ["access_token", undefined]) {
    it.effect(`reports a refresh token as not confirmed if the server revokes ${supported ?? "neither kind"}`, () =>
      withIssuer(({ connections, login, profile }, issuer) =>
        Effect.gen(function*() {
          yield* login()
          issuer.behaviour = ({ form }, normal) =>
            Effect.sync(() =>
              form["token_type_hint"] === supported ? normal() : answer(400, { error: "unsupported_token_type" })
            )
          const { failures, providerContacted } = yield* connections.revoke(profile, acme)
          assert.isTrue(providerContacted)
          assert.lengthOf(failures, supported === undefined ? 2 : 1)
          assert.match(failures[0]!, /^The refresh token of acme\/default may still be valid .*unsupported_token_type/)
          assert.deepStrictEqual(
            issuer.seen.map(({ form }) => form["token_type_hint"]),
            ["refresh_token", "access_token"]
          )
        })
      ))
  }

  it.effect("reports an access token without refresh token that the server does not revoke", () =>
    withIssuer(({ connections, login, profile }, issuer) =>
      Effect.gen(function*() {
        yield* login({ tokens: ["at-0"] })
        issuer.behaviour = () => Effect.succeed(answer(400, { error: "unsupported_token_type" }))
        const { failures } = yield* connections.revoke(profile, acme)
        assert.lengthOf(failures, 1)
        assert.include(failures[0], "The access token of acme/default may still be valid")
      })
    ))

  it.effect("accepts that a server revokes access tokens only with their refresh token (RFC 7009 section 2.2.1)", () =>
    withIssuer(({ connections, login, profile }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        issuer.behaviour = ({ form }, normal) =>
          Effect.sync(() =>
            form["token_type_hint"] === "access_token" ? answer(400, { error: "unsupported_token_type" }) : normal()
          )
        assert.deepStrictEqual((yield* connections.revoke(profile, acme)).failures, [])
      })
    ))
})

describe("logout and remove", () => {
  it.effect("do not contact the provider", () =>
    withIssuer(({ connections, login, profile }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        yield* connections.logout(profile, acme, main)
        yield* login()
        yield* connections.removeProvider(profile, acme)
        assert.lengthOf(issuer.seen, 0)
      })
    ))
})
