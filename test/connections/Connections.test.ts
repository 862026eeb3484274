import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as util from "node:util"
import { ClientCredentialsRepo } from "../../src/connections/oauth/ClientCredentialsRepo.ts"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import type { Connection } from "../../src/domain/wire/Connection.ts"
import { ProfileHandle } from "../../src/domain/wire/Profile.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { BundledProviders } from "../../src/providers/BundledProviders.ts"
import { SharedAccess } from "../../src/store/Store.ts"
import { acme, main, oauthDefinition, work } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { type Context, definition, effect, inHome, name, openai, provider, started } from "../support/KeyConnections.ts"
import { contentOf, define, query, type Services, tamper, transact, undefine, withHome } from "../support/Services.ts"
import { revealed, storeOf } from "../support/StoredConnections.ts"
import { onPostgres } from "../support/TestStore.ts"

const secretOf = (connection: Connection) => connection.apiKey && Redacted.value(connection.apiKey)

describe("Connections", () => {
  it.effect("stores a connection and shows it redacted, even after a restart", () =>
    withHome(function*(home) {
      const saved = yield* started(home, ({ save }) => save("default", { api_key: "CANARY-1" }))
      assert.strictEqual(secretOf(saved), "***REDACTED***")
      assert.deepInclude(saved, { provider: acme, connectionName: main, status: "connected", isDefault: true })
      yield* started(home, function*({ connections, profile }) {
        const [listed] = yield* connections.list(profile)
        assert.strictEqual(secretOf(listed!), "***REDACTED***")
        assert.strictEqual(listed!.apiUrl, "https://api.acme.example")
        const got = yield* connections.get(profile, acme, main, { reveal: false })
        assert.deepStrictEqual(got, listed)
      })
    }, definition()))

  effect("stores neither the secret nor the metadata in plain text", function*({ save }, home) {
    yield* save("default", { api_key: "CANARY-SECRET" }, {
      account: { id: "CANARY-ACCOUNT", label: null },
      scopes: ["CANARY-SCOPE"]
    })
    const content = contentOf(home)
    assert.notInclude(content, "CANARY")
    assert.include(content, "acme")
  })

  effect(
    "audits the reveal of a secret before it returns the secret",
    function*({ connections, events, profile, save }) {
      yield* save("default", { api_key: "CANARY-1" })
      const shown = yield* connections.get(profile, acme, main, { reveal: true })
      assert.strictEqual(secretOf(shown), "CANARY-1")
      assert.deepStrictEqual(yield* events, ["login acme/default", "get acme/default"])
      assert.notInclude(util.inspect(shown, { depth: 9 }), "CANARY")
    }
  )

  // On PostgreSQL, the trigger would be detected as a foreign change of the schema.
  it.effect.skipIf(onPostgres)(
    "releases nothing if the audit entry cannot be written",
    () =>
      inHome(function*({ connections, profile, resolve, save }) {
        yield* save("default")
        const sql = yield* SqlClient.SqlClient
        yield* resolve({}, "run-0000000000000001")
        yield* sql`CREATE TEMP TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'disk full'); END`
        const attempts = [
          connections.get(profile, acme, main, { reveal: true }),
          connections.exportCredential(profile, { provider: acme }),
          resolve(),
          resolve({}, "run-0000000000000002")
        ]
        for (const attempt of attempts) {
          yield* failsWith(attempt as Effect.Effect<unknown, { _tag: string }>, "VaultUnavailableError")
        }
        // The use of this run is already audited.
        yield* resolve({}, "run-0000000000000001")
        yield* sql`DROP TRIGGER full`
        yield* resolve({}, "run-0000000000000002")
      })
  )

  effect(
    "makes the first connection the default, and after its removal the oldest of the others",
    function*({ connections, events, profile, save }) {
      for (const connection of ["b", "c", "a"]) {
        yield* save(connection)
        yield* TestClock.adjust("1 second")
      }
      const defaults = Effect.map(
        connections.list(profile),
        (all) => all.filter(({ isDefault }) => isDefault).map(({ connectionName }) => connectionName)
      )
      assert.deepStrictEqual(yield* defaults, ["b"])
      assert.deepStrictEqual(yield* connections.logout(profile, acme, name("b")), {
        status: "logged_out",
        provider: acme,
        connection: name("b"),
        newDefault: name("c")
      })
      assert.deepStrictEqual(yield* defaults, ["c"])
      yield* connections.setDefault(profile, acme, name("a"))
      assert.deepStrictEqual(yield* defaults, ["a"])
      assert.isNull((yield* connections.logout(profile, acme, name("c"))).newDefault)
      assert.isNull((yield* connections.logout(profile, acme, name("a"))).newDefault)
      yield* save("z")
      assert.deepStrictEqual(yield* defaults, ["z"])
      assert.deepStrictEqual((yield* events).slice(3), [
        "logout acme/b",
        "set-default acme/a",
        "logout acme/c",
        "logout acme/a",
        "login acme/z"
      ])
    }
  )

  effect(
    "replaces a connection only with force, and keeps its creation time",
    function*({ connections, profile, save }, home) {
      yield* save("default", { api_key: "first" })
      yield* failsWith(save("default", { api_key: "second" }), "ConnectionAlreadyExistsError")
      const reveal = Effect.map(connections.get(profile, acme, main, { reveal: true }), secretOf)
      assert.strictEqual(yield* reveal, "first")
      yield* save("default", { api_key: "third" }, { force: true })
      assert.strictEqual(yield* reveal, "third")
      const rows = query(home, "SELECT generation FROM connections")
      assert.deepStrictEqual(rows.map(({ generation }) => generation), [2])
    }
  )

  effect("says which name is unknown", function*({ connections, profile, save }) {
    yield* save("default")
    yield* failsWith(connections.get(profile, acme, work, { reveal: true }), "ConnectionNotFoundError")
    yield* failsWith(connections.get(profile, provider("acmee"), main, { reveal: true }), "ProviderNotFoundError")
    yield* failsWith(connections.logout(profile, acme, work), "ConnectionNotFoundError")
    yield* failsWith(connections.setDefault(profile, acme, work), "ConnectionNotFoundError")
    yield* failsWith(connections.list(profile, provider("nope")), "ProviderNotFoundError")
    assert.deepStrictEqual(yield* connections.list(profile, openai), [])
  })

  effect("revokes only the connections of the given provider", function*({ connections, events, profile, save }, home) {
    yield* save("default")
    yield* save("work")
    yield* save("default", { api_key: "sk-x" }, { provider: openai })
    yield* transact((yield* ClientCredentialsRepo).save({
      profile,
      definition: oauthDefinition(),
      baseUrl: null,
      issuer: "https://as.example"
    }, {
      clientId: "c",
      authentication: null,
      source: "entered",
      redirectUri: null,
      secretExpiresAt: null,
      registration: null,
      refusedAt: null
    }))
    assert.deepStrictEqual(yield* connections.revoke(profile, acme), {
      status: "revoked",
      provider: acme,
      connections: [main, work],
      providerContacted: false,
      failures: []
    })
    assert.deepStrictEqual((yield* connections.list(profile)).map(({ provider }) => provider), [openai])
    assert.deepStrictEqual(query(home, "SELECT * FROM client_credentials"), [])
    assert.deepStrictEqual((yield* events).slice(3), ["revoke acme/default", "revoke acme/work"])
    assert.deepStrictEqual((yield* connections.revoke(profile, acme)).connections, [])
    yield* failsWith(connections.revoke(profile, provider("nope")), "ProviderNotFoundError")
  })

  effect(
    "exports the default connection, and audits the export first",
    function*({ connections, events, profile, save }) {
      yield* save("work", { api_key: "w" })
      yield* save("other", { api_key: "o" })
      const first = yield* connections.exportCredential(profile, { provider: acme })
      assert.strictEqual(Redacted.value(first.output), "ACME_KEY=w\n")
      const named = yield* connections.exportCredential(profile, {
        provider: acme,
        connection: name("other"),
        format: "shell"
      })
      assert.strictEqual(Redacted.value(named.output), "export ACME_KEY='o'\n")
      assert.deepStrictEqual(revealed(named.variables), { ACME_KEY: "o" })
      assert.deepStrictEqual((yield* events).slice(2), ["export acme/work", "export acme/other"])
      yield* failsWith(connections.exportCredential(profile, { provider: openai }), "ConnectionNotFoundError")
    }
  )
})

describe("Connections.list", () => {
  const expiring = { flow: "api_key", expiresAt: DateTime.makeUnsafe(1000) } as const
  const changes: ReadonlyArray<
    readonly [string, (context: Context, home: string) => Effect.Effect<unknown, unknown, Services>]
  > = [
    ["a login", ({ save }) => save("another")],
    [
      "another login",
      ({ save }) => save("default", { api_key: "new" }, { force: true, account: { id: "7", label: "new" } })
    ],
    ["a logout", ({ connections, profile }) => connections.logout(profile, acme, work)],
    ["a change of the default", ({ connections, profile }) => connections.setDefault(profile, acme, work)],
    ["a limitation to contained runs", ({ connections, profile }) => connections.setContainedOnly(profile, acme, work)],
    ["a change of the definition", (_, home) => define(home, definition({ api_url: "https://other.acme.example" }))],
    ["the removal of the definition", (_, home) => undefine(home, "acme")],
    ["the expiry of a credential", () => TestClock.adjust("1 second")]
  ]
  for (const [what, change] of changes) {
    it.effect(`reads the connections again after ${what}`, () =>
      inHome(function*(context, home) {
        const { connections, profile, save } = context
        yield* save("default")
        yield* save("work", undefined, expiring)
        const all = connections.list(profile)
        const before = yield* all
        assert.deepStrictEqual(yield* all, before)
        yield* change(context, home)
        const after = yield* all
        assert.notDeepEqual(after, before)
        for (const shown of after) {
          const { connectionName, provider } = shown
          assert.deepStrictEqual(yield* connections.get(profile, provider, connectionName, { reveal: false }), shown)
        }
      }))
  }

  it.effect("fails if a row was manipulated after an earlier list", () =>
    inHome(function*({ connections, profile, save }, home) {
      yield* save("default")
      yield* connections.list(profile)
      tamper(home, "UPDATE connections SET name = 'x'")
      yield* failsWith(connections.list(profile), "VaultUnavailableError")
    }).pipe(Effect.provideService(SharedAccess, true)))
})

describe("Connections over a manipulated store", () => {
  it.effect("rejects every use after a change that was made while no daemon ran", () =>
    withHome(function*(home) {
      yield* started(home, ({ save }) => save("default"))
      tamper(home, "UPDATE connections SET definition_fp = 'x'")
      const attempts = started(home, ({ connections, profile, resolve }) =>
        Effect.all([
          Effect.flip(resolve()),
          Effect.flip(connections.get(profile, acme, main, { reveal: true })),
          Effect.flip(connections.exportCredential(profile, { provider: acme }))
        ])).pipe(
          // A profile in the database is refused like everything else in it.
          Effect.catchTag("VaultUnavailableError", (error) => Effect.succeed([error]))
        )
      for (const error of yield* attempts) assert.strictEqual(error._tag, "VaultUnavailableError")
    }, definition()))

  // The manifest is verified at process start. Later manipulations must fail by what each sealed value is bound to.
  const swaps: ReadonlyArray<readonly [string, string, { readonly provider?: string; readonly profile?: "other" }]> = [
    [
      "of another connection",
      "UPDATE connections SET secret = (SELECT secret FROM connections o WHERE o.name = 'work') WHERE name = 'default'",
      {}
    ],
    ["from the metadata column", "UPDATE connections SET secret = sealed", {}],
    ["under another generation", "UPDATE connections SET generation = generation + 1", {}],
    ["under another record id", "UPDATE connections SET record_id = record_id || 'x'", {}],
    ["under another fingerprint", "UPDATE connections SET definition_fp = 'x'", {}],
    [
      "under another name",
      "DELETE FROM connections WHERE name = 'default'; UPDATE connections SET name = 'default'",
      {}
    ],
    ["under another provider", "UPDATE connections SET provider = 'openai'", { provider: "openai" }],
    ["in another profile", "UPDATE connections SET profile = 'other'", { profile: "other" }],
    ["truncated by a byte", "UPDATE connections SET secret = substr(secret, 1, length(secret) - 1)", {}],
    ["overwritten with zeros", "UPDATE connections SET secret = zeroblob(length(secret))", {}]
  ]
  for (const [what, statements, place] of swaps) {
    it.effect(`rejects a secret that was manipulated while the daemon runs: ${what}`, () =>
      inHome(function*({ connections, profile, resolve, save }, home) {
        yield* (yield* Profiles).create(Option.some(ProfileHandle.make("other")))
        yield* save("default", { api_key: "CANARY-A" })
        yield* save("work", { api_key: "CANARY-B" })
        yield* resolve()
        tamper(home, statements)
        const who = place.profile === undefined ? profile : ProfileHandle.make(place.profile)
        const where = provider(place.provider ?? "acme")
        const revealed = yield* failsWith(connections.get(who, where, main, { reveal: true }), "VaultUnavailableError")
        assert.notInclude(revealed.message, "CANARY")
        for (const host of ["api.acme.example", "api.openai.com"]) {
          for (const chosen of [{}, { provider: where, connection: main }]) {
            const refused = yield* Effect.flip(
              connections.resolve(who, { host, path: "/v1/models", ...chosen }, { run: Option.none() })
            )
            assert.notInclude(refused.message, "CANARY")
          }
        }
      }).pipe(Effect.provideService(SharedAccess, true)))
  }
})

describe("Connections.removeProvider", () => {
  effect("deletes the connections of a custom provider", function*({ connections, events, profile, save }, home) {
    yield* save("default")
    const { handle } = yield* (yield* Profiles).create(Option.none())
    yield* (yield* storeOf(handle))({ api_key: "k" })
    const removed = yield* connections.removeProvider(profile, acme)
    assert.deepStrictEqual([removed.status, removed.provider], ["removed", acme])
    assert.sameDeepMembers([...removed.connections], [
      { profile, connection: main },
      { profile: handle, connection: main }
    ])
    assert.deepStrictEqual(query(home, "SELECT * FROM connections"), [])
    assert.include(yield* events, "remove acme/-")
    yield* failsWith(connections.removeProvider(profile, acme), "ProviderNotFoundError")
  })

  effect("resets a bundled provider and keeps connections", function*({ connections, profile, resolve, save }, home) {
    yield* save("default", { api_key: "sk-x" }, { provider: openai })
    yield* define(home, definition({ name: "openai", api_url: "https://evil.example" }))
    yield* failsWith(resolve({ host: "evil.example" }), "CredentialMissingError")
    assert.deepStrictEqual(yield* connections.removeProvider(profile, openai), {
      status: "reset",
      provider: openai,
      connections: []
    })
    assert.strictEqual((yield* resolve({ host: "api.openai.com", path: "/v1/models" })).provider, "openai")
  })

  it.effect("keeps a login if a release changes its bundled definition, but not if a custom definition overrides the bundled one", () =>
    withHome(function*(home) {
      const release = (host: string) =>
        BundledProviders.layerOf([Result.getOrThrow(readDefinition(definition({ api_url: `https://${host}` })))])
      yield* started(home, ({ save }) => save("default"), release("api.acme.example"))
      const moved = yield* started(
        home,
        ({ resolve }) => resolve({ host: "eu.acme.example" }),
        release("eu.acme.example")
      )
      assert.strictEqual(revealed(moved.headers)["Authorization"], "Bearer key-of-default")

      yield* define(home, definition({ api_url: "https://evil.example" }))
      const refused = started(home, ({ resolve }) => resolve({ host: "evil.example" }), release("eu.acme.example"))
      yield* failsWith(refused, "CredentialMissingError")
    }))
})
