/** A home in which every state of a connection occurs, for tests of pages. Its secrets grant no access. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { RequestLog } from "../../src/audit/RequestLog.ts"
import type { ProviderName } from "../../src/domain/definition/Provider.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import { readReport, type ReportedRequest } from "../../src/domain/wire/RequestReport.ts"
import { RunName } from "../../src/domain/wire/Run.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { ProviderRegistry } from "../../src/providers/ProviderRegistry.ts"
import { services } from "./Services.ts"
import { storeOf, type StoreOptions } from "./StoredConnections.ts"

/** If it appears on a page, it has leaked. */
export const sampleSecret = "sk-CANARY-sample-0123456789"

const oauthDefinition = {
  name: "acme-tasks",
  display_name: "Acme Tasks",
  description: "Tasks and boards of Acme, a provider of this test.",
  categories: ["productivity"],
  docs_url: "https://docs.acme.example/auth",
  credentials_url: "https://console.acme.example/apps",
  auth_type: "oauth2",
  flow: "pkce",
  flows: ["pkce", "device_code"],
  hosts: ["api.acme.example", "*.files.acme.example"],
  oauth: {
    authorization_url: "https://login.acme.example/authorize",
    token_url: "https://login.acme.example/token",
    device_authorization_url: "https://login.acme.example/device",
    scopes: ["tasks:read", "tasks:write", "profile"]
  }
}

const tenantDefinition = {
  name: "own-desk",
  display_name: "Own Desk",
  description: "A help desk with an address for each account.",
  categories: ["support"],
  auth_type: "api_key",
  flow: "api_key",
  api_url: "{base_url}/api",
  hosts: ["{base_url}"],
  api_key: { base_url: "https://{tenant}.desk.example" }
}

const sampleRuns = ["3fa94c01be", "77d02e55a1", "c0ffee1234"].map((name) => RunName.make(name))
const sampleTargets = [
  ["openai", "api.openai.com", "/v1/chat/completions"],
  ["anthropic", "api.anthropic.com", "/v1/messages"],
  ["github-token", "api.github.com", "/repos/acme/widgets/issues"]
] as const

/** Records requests of the last day, with some errors, some refusals and a gap. */
export const recordSampleRequests = Effect.fnUntraced(function*(count: number) {
  const log = yield* RequestLog
  const profile = yield* (yield* Profiles).active
  const now = (yield* DateTime.now).epochMilliseconds
  const sample = (index: number): ReportedRequest => {
    const [provider, host, path] = sampleTargets[index % 7 % 3]!
    const isRefused = index % 23 === 0
    const status = isRefused ? 403 : index % 17 === 0 ? 429 : index % 41 === 0 ? 500 : 200
    // More requests in the middle of the day than at its ends.
    const age = 86_400_000 * (.02 + .9 * (index / count + .06 * Math.sin(index / count * 20)))
    const rule = isRefused ? "no rule allows it" : null
    return [
      Math.round(now - age),
      "POST",
      host,
      path,
      status,
      900,
      4200,
      provider,
      "default",
      rule,
      isRefused ? "OutsideRulesError" : null
    ]
  }
  const entries = Array.from({ length: count }, (_, index) => sample(index)).toReversed()
  const size = Math.ceil(count / 12)
  for (let part = 1; (part - 1) * size < count; part++) {
    const slice = entries.slice((part - 1) * size, part * size)
    const isLast = (part + 2) * size >= count
    const report = { part: 2 * part, last: isLast, missing: part === 5 ? 3 : 0, entries: slice }
    yield* log.record({ run: sampleRuns[part % 3]!, profile, report: readReport(Buffer.from(JSON.stringify(report))) })
  }
})

/** Fills the home and releases it, so that a daemon may start on it afterwards. */
export const fillSampleHome = (home: string) =>
  Effect.gen(function*() {
    const audit = yield* AuditLog
    const registry = yield* ProviderRegistry
    const profile = yield* (yield* Profiles).active
    const store = yield* storeOf(profile)
    const now = yield* DateTime.now

    const connect = (provider: string, connection: string, options: StoreOptions = {}) =>
      Effect.gen(function*() {
        const { definition } = yield* registry.get(provider)
        const field = definition.authType === "oauth2" ? "access_token" : "api_key"
        yield* store({ [field]: sampleSecret }, {
          provider: provider as ProviderName,
          connection: connection as ConnectionName,
          ...options
        })
      })

    const use = (provider: string, connection: string) =>
      audit.append({
        event: "resolve",
        provider: provider as ProviderName,
        connection: connection as ConnectionName,
        identity: profile,
        status: "ok"
      })

    yield* registry.register(oauthDefinition)
    yield* registry.register(tenantDefinition)
    yield* connect("openai", "default")
    yield* connect("openai", "work@example.com")
    yield* connect("anthropic", "default")
    yield* connect("github-token", "default")
    const account = { id: "42", label: "ada@example.com" }
    yield* connect("acme-tasks", "default", {
      scopes: ["tasks:read", "profile"],
      refreshToken: Redacted.make(sampleSecret),
      expiresAt: DateTime.addDuration(now, Duration.minutes(40)),
      account
    })
    yield* connect("acme-tasks", "short", { expiresAt: DateTime.addDuration(now, Duration.hours(3)) })
    yield* connect("acme-tasks", "old", { expiresAt: DateTime.subtractDuration(now, Duration.days(2)) })
    // The definition differs from the one with which the connection was created, so the connection is unusable.
    yield* registry.register({
      ...tenantDefinition,
      name: "stripe",
      api_key: {},
      api_url: "https://api.one.example",
      hosts: ["api.one.example"]
    }, { force: true })
    yield* connect("stripe", "default")
    yield* registry.register({
      ...tenantDefinition,
      name: "stripe",
      display_name: "Stripe of our own",
      api_key: {},
      api_url: "https://api.two.example",
      hosts: ["api.two.example"]
    }, { force: true })
    yield* use("openai", "default")
    yield* use("anthropic", "default")
    yield* audit.append({
      event: "get",
      provider: "openai" as ProviderName,
      connection: null,
      identity: profile,
      status: "denied"
    })
    yield* use("openai", "default")
    yield* recordSampleRequests(240)
  }).pipe(Effect.provide(Layer.provideMerge(RequestLog.layerNoDeps, services(home))), Effect.scoped)
