import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AuditLog } from "../../../src/audit/AuditLog.ts"
import { ConnectionRepo } from "../../../src/connections/ConnectionRepo.ts"
import { Connections } from "../../../src/connections/Connections.ts"
import { EnvironmentScan } from "../../../src/connections/scan/EnvironmentScan.ts"
import type { ProviderName } from "../../../src/domain/definition/Provider.ts"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import { maxDistinctValues, type ScanReport } from "../../../src/domain/wire/Scan.ts"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { keyDocument } from "../../support/Acme.ts"
import { testsIn } from "../../support/Fixture.ts"
import { services, withHome } from "../../support/Services.ts"
import { type Returned, toEffect } from "../../support/TestBody.ts"

const layer = (home: string) =>
  EnvironmentScan.layerNoDeps.pipe(
    Layer.provideMerge(ConnectionRepo.layerNoDeps),
    Layer.provideMerge(services(home))
  )

const definitions = [
  {
    name: "acme",
    alternatives: ["acme-two"],
    api_key: { env_var: "ACME_KEY", key_pattern: "ak-.+", key_pattern_hint: "An Acme key begins with ak-." }
  },
  { name: "acme-two", alternatives: ["acme"], api_key: { env_var: "ACME_KEY", key_pattern: "a2-.+" } },
  // A custom definition whose claims try to obtain the key of a bundled provider without a key format.
  { name: "any-ahrefs", api_key: { env_var: "AHREFS_API_KEY", key_pattern: ".+" } },
  { name: "any-one", alternatives: ["any-two"], api_key: { env_var: "SHARED_KEY" } },
  { name: "any-two", alternatives: ["any-one"], api_key: { env_var: "SHARED_KEY" } },
  {
    name: "parts",
    api_key: {
      fields: [{ name: "id", secret: false }, { name: "token" }],
      basic: { username: "{id}", password: "{token}" }
    },
    export: { env: { id: "PARTS_ID", token: "PARTS_TOKEN" } }
  },
  {
    name: "tenant",
    api_url: "{base_url}/v1",
    hosts: ["{base_url}"],
    api_key: { base_url: "https://{tenant}.tenant.example.com" },
    export: { env: { api_key: "TENANT_KEY", base_url: "TENANT_URL" } }
  },
  {
    name: "oauthy",
    auth_type: "oauth2",
    flow: "pkce",
    oauth: {
      authorization_url: "https://login.oauthy.example.com/authorize",
      token_url: "https://login.oauthy.example.com/token"
    },
    export: { env: { access_token: "OAUTHY_TOKEN" } }
  }
]

/** Named in every import of these tests, unless a test says otherwise. */
const everyone = [...definitions.map(({ name }) => name), "ahrefs", "groq", "openai", "twilio", "twilio-api-key"]

interface ScanOptions {
  readonly import?: boolean
  readonly connection?: string
  /** Null to name no provider. */
  readonly providers?: ReadonlyArray<string> | null
}

type Found = Readonly<Record<string, string>>

const values = (found: Found, source = "environment") =>
  Object.entries(found).map(([variable, value]) => ({ variable, source, value: Redacted.make(value) }))

const scanning = <A>(
  body: (home: {
    readonly scan: (
      found: ReturnType<typeof values>,
      options?: ScanOptions
    ) => Effect.Effect<ScanReport, unknown>
    readonly imported: (found: Found, source?: string) => Effect.Effect<ScanReport, unknown>
    readonly events: Effect.Effect<ReadonlyArray<string>, unknown>
    readonly reveal: (provider: string, connection?: string) => Effect.Effect<string, unknown>
  }) => Returned<A>
) =>
  withHome(
    (home) =>
      Effect.gen(function*() {
        const environment = yield* EnvironmentScan
        const connections = yield* Connections
        const audit = yield* AuditLog
        const profile = yield* (yield* Profiles).active
        const scan = (
          found: ReturnType<typeof values>,
          { connection, providers = everyone, ...options }: ScanOptions = {}
        ) =>
          environment.report(profile, {
            values: found,
            ...options,
            ...(providers === null || options.import !== true
              ? {}
              : { providers: providers as ReadonlyArray<ProviderName> }),
            ...(connection === undefined ? {} : { connection: connection as ConnectionName })
          })
        return yield* toEffect(body({
          scan,
          imported: (found, source) => scan(values(found, source), { import: true }),
          events: Effect.map(
            audit.list({ limit: 99 }),
            (entries) => entries.map(({ connection, event, provider }) => `${event} ${provider}/${connection ?? "-"}`)
          ),
          reveal: (provider, connection = "default") =>
            connections.get(profile, provider as ProviderName, connection as ConnectionName, { reveal: true }).pipe(
              Effect.map(({ apiKey }) => Redacted.value(apiKey!))
            )
        }))
      }).pipe(Effect.provide(layer(home))),
    ...definitions.map((definition) =>
      keyDocument({ api_url: `https://api.${definition.name}.example.com`, ...definition })
    )
  )

const { live } = testsIn(scanning)

const states = ({ rows }: ScanReport) =>
  rows.map(({ provider, source, state, variable }) => [provider, variable, source, state].join(" "))
const reasons = ({ skipped }: ScanReport) => skipped.map(({ provider, reason }) => `${provider}: ${reason}`)

describe("EnvironmentScan", () => {
  live("reports for each key whether the vault has the same key, another key or none", function*({ imported, scan }) {
    assert.deepStrictEqual(states(yield* scan([])), [])
    yield* imported({ ACME_KEY: "ak-one" })
    const report = yield* scan([
      ...values({ ACME_KEY: " ak-one\n", OPENAI_API_KEY: "sk-x" }),
      ...values({ ACME_KEY: "ak-two" }, ".env")
    ])
    assert.deepStrictEqual(states(report), [
      "acme ACME_KEY environment match",
      "acme ACME_KEY .env drift",
      "openai OPENAI_API_KEY environment env_only"
    ])
    assert.deepStrictEqual(report.imported, [])
    assert.deepStrictEqual(states(yield* scan([])), ["acme ACME_KEY vault vault_only"])
  })

  live("compares a key with all connections of a provider, or only with the named connection", function*({ scan }) {
    yield* scan(values({ ACME_KEY: "ak-work" }), { import: true, connection: "work" })
    const found = values({ ACME_KEY: "ak-work" })
    assert.deepStrictEqual(states(yield* scan(found)), ["acme ACME_KEY environment match"])
    assert.deepStrictEqual(states(yield* scan(found, { connection: "work" })), ["acme ACME_KEY environment match"])
    assert.deepStrictEqual(states(yield* scan(found, { connection: "home" })), [
      "acme ACME_KEY environment env_only"
    ])
  })

  live("distinguishes providers that share a variable by the format of the key", function*({ imported, scan }) {
    assert.deepStrictEqual(states(yield* scan(values({ ACME_KEY: "a2-x" }))), [
      "acme-two ACME_KEY environment env_only"
    ])
    const misfit = yield* scan(values({ ACME_KEY: "other" }, ".env"))
    assert.deepStrictEqual(states(misfit), [])
    assert.deepStrictEqual(reasons(misfit), [
      "acme: ACME_KEY in .env: API key has an unexpected format: An Acme key begins with ak-.",
      "acme-two: ACME_KEY in .env: the API key for acme-two must match a2-.+, see: credsvc inspect acme-two"
    ])
    const doubt = yield* imported({ SHARED_KEY: "whose" })
    assert.deepStrictEqual(reasons(doubt), [
      "any-one: SHARED_KEY may also belong to any-two; log in with: credsvc login any-one"
    ])
  })

  live("shows no command in which a value or the name of a file could end the quotes of a shell", function*({ scan }) {
    const hint = function*(value: string) {
      const [reason = ""] = reasons(yield* scan(values({ GROQ_API_KEY: value }, "a;id/.env")))
      return reason.split("credential_command -- ")[1]
    }
    assert.strictEqual(yield* hint("op://Work/a FILE NAME"), "op read 'op://Work/a FILE NAME'")
    assert.strictEqual(yield* hint("encrypted:FILE"), "dotenvx get GROQ_API_KEY -f 'a;id/.env'")
    for (const value of ["op://a\nwarning: b", "op://a';id;'", "op://a\u2019;id;\u2019"]) {
      assert.strictEqual(yield* hint(value), "<command>")
    }
  })

  it.live("attributes a shared identifier to every provider whose secret is set", () =>
    scanning(({ imported }) =>
      Effect.gen(function*() {
        const account = { TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}` }
        const key = { TWILIO_API_KEY: `SK${"0".repeat(32)}`, TWILIO_API_SECRET: "s3cret" }
        const providers = (report: ScanReport) => [...new Set(report.imported.map(({ provider }) => provider))]
        const one = yield* imported({ ...account, TWILIO_AUTH_TOKEN: "t0ken" })
        assert.deepStrictEqual([providers(one), reasons(one)], [["twilio"], []])
        const both = yield* imported({ ...account, ...key, TWILIO_AUTH_TOKEN: "t0ken" })
        assert.deepStrictEqual([providers(both), reasons(both)], [["twilio-api-key"], [
          "twilio: already stored as \"default\""
        ]])
        const { rows } = yield* imported(account)
        assert.deepStrictEqual(
          rows.filter(({ variable }) => variable === "TWILIO_ACCOUNT_SID").map(({ provider }) => provider),
          ["twilio"]
        )
      })
    ))

  live(
    "never attributes the key of a bundled provider to a custom provider with the same variable",
    function*({ imported }) {
      const report = yield* imported({ AHREFS_API_KEY: "key-of-ahrefs" })
      assert.deepStrictEqual(report.imported.map(({ provider }) => provider), ["ahrefs"])
    }
  )

  live(
    "imports keys of a custom provider only if the user names it, and otherwise prints the command for that",
    function*({ events, scan }) {
      const found = values({ ACME_KEY: "ak-one", OPENAI_API_KEY: "sk-x" })
      const unnamed = yield* scan(found, { import: true, connection: "work", providers: null })
      assert.deepStrictEqual(unnamed.imported.map(({ provider }) => provider), ["openai"])
      assert.deepStrictEqual(reasons(unnamed), [
        "acme: a custom provider gets ACME_KEY only if you name the provider; " +
        "import with: credsvc scan --import --provider acme --connection work"
      ])
      const others = yield* scan(found, { import: true, providers: ["parts"] })
      assert.deepStrictEqual([others.rows, others.imported, others.skipped], [[], [], []])
      const named = yield* scan(found, { import: true, providers: ["acme"] })
      assert.deepStrictEqual(states(named), ["acme ACME_KEY environment env_only"])
      assert.deepStrictEqual(named.imported.map(({ provider }) => provider), ["acme"])
      assert.deepStrictEqual((yield* events).slice(-2), ["login openai/work", "login acme/default"])
      const error = (yield* Effect.flip(scan(found, { providers: ["nobody"], import: true }))) as {
        readonly _tag: string
      }
      assert.strictEqual(error._tag, "ProviderNotFoundError")
    }
  )

  live("imports complete keys and audits each as a login", function*({ events, imported, reveal }) {
    const report = yield* imported({ ACME_KEY: "ak-one", PARTS_ID: "id-1", PARTS_TOKEN: "t-1" }, ".env")
    assert.deepStrictEqual(
      report.imported.map(({ connection, provider, variable }) => `${provider} ${connection} ${variable}`),
      [
        "acme default ACME_KEY",
        "parts default PARTS_ID",
        "parts default PARTS_TOKEN"
      ]
    )
    assert.deepStrictEqual(report.skipped, [])
    assert.deepStrictEqual(states(report).map((row) => row.split(" ")[3]), ["env_only", "env_only", "env_only"])
    assert.deepStrictEqual((yield* events).slice(-2), ["login acme/default", "login parts/default"])
    assert.strictEqual(yield* reveal("acme"), "ak-one")
    assert.deepStrictEqual(JSON.parse(yield* reveal("parts")), { id: "id-1", token: "t-1" })
  })

  live("imports all fields of a provider, or imports none and says why", function*({ imported, reveal, scan }) {
    yield* imported({ ACME_KEY: "ak-one" })
    const report = yield* scan([
      ...values({ ACME_KEY: "ak-two", PARTS_ID: "id-1", OAUTHY_TOKEN: "ot", GROQ_API_KEY: "your-key" }, ".env"),
      ...values({ PARTS_TOKEN: "t-1" }, ".env.local"),
      ...values({ OPENAI_API_KEY: "sk-a" }),
      ...values({ OPENAI_API_KEY: "sk-b" }, ".env")
    ], { import: true })
    assert.deepStrictEqual(report.imported, [])
    assert.deepStrictEqual(reasons(report), [
      "groq: GROQ_API_KEY in .env is a sample, not a key",
      "acme: \"default\" has a different key; replace it with: credsvc login acme --force",
      "oauthy: a bare token cannot be refreshed; log in with: credsvc login oauthy",
      "openai: OPENAI_API_KEY differs between environment and .env; log in with the correct value: credsvc login openai",
      "parts: PARTS_TOKEN is not in .env"
    ])
    assert.strictEqual(yield* reveal("acme"), "ak-one")
    assert.deepStrictEqual(reasons(yield* imported({ ACME_KEY: "ak-one" })), [
      "acme: already stored as \"default\""
    ])
  })

  live("uses a base URL only if it comes from the same source as the key", function*({ scan }) {
    const apart = yield* scan([
      ...values({ TENANT_KEY: "k" }),
      ...values({ TENANT_URL: "https://evil.tenant.example.com" }, ".env")
    ], { import: true })
    assert.deepStrictEqual(apart.imported, [])
    assert.match(reasons(apart)[0]!, /^tenant: tenant needs the URL of your account/)
    const together = yield* scan(
      values({ TENANT_KEY: "k", TENANT_URL: "https://mine.tenant.example.com" }, ".env"),
      { import: true }
    )
    assert.deepStrictEqual(together.imported.map(({ variable }) => variable), ["TENANT_KEY"])
  })

  live("audits each comparison first, and limits guesses of keys", function*({ events, imported, scan }) {
    yield* imported({ ACME_KEY: "ak-one" })
    const before = (yield* events).length
    yield* scan([
      ...values({ ACME_KEY: "ak-1" }),
      ...values({ ACME_KEY: "ak-2" }, ".env"),
      ...values({ ELEVENLABS_API_KEY: "x" })
    ])
    assert.deepStrictEqual((yield* events).slice(before), ["scan acme/-"])
    const guesses = Array.from({ length: maxDistinctValues + 1 }, (_, at) => values({ ACME_KEY: `ak-${at}` }))
      .flat()
    const error = yield* Effect.flip(scan(guesses)) as Effect.Effect<
      { readonly _tag: string; readonly message: string }
    >
    assert.strictEqual(error._tag, "InvalidRequestError")
    assert.strictEqual((yield* events).length, before + 1)
    yield* scan(guesses.slice(1))
    const same = Array.from({ length: 100 }, (_, at) => values({ ACME_KEY: "ak-one" }, `.env.${at}`)).flat()
    assert.strictEqual((yield* scan(same)).rows.length, 100)
  })
})
