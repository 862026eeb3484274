import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import type { PolicyName } from "../../../src/domain/rules/RuleSchemas.ts"
import { compileRules } from "../../../src/domain/rules/RuleSet.ts"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import type { ProfileHandle } from "../../../src/domain/wire/Profile.ts"
import type { ProviderName } from "../../../src/domain/wire/ProviderName.ts"
import { excessOf, type RunLimits, within } from "../../../src/domain/wire/Run.ts"
import * as fc from "../../support/FastCheck.ts"
import { propertyTest } from "../../support/PropertyTest.ts"
import { unlimitedRun } from "../../support/UnlimitedRun.ts"

/** How many chains of nested runs are tried. */
const chains = Number(process.env["CREDSVC_RUN_CHAINS"] ?? 300)

const providers = ["github", "openai", "slack"].map((name) => name as ProviderName)
const connections = ["default", "work"].map((name) => name as ConnectionName)
const profile = "me" as ProfileHandle

const unlimited = unlimitedRun(profile)

const times = [1000, 2000, 3000]
const rules = ["GET a.example", "POST a.example", "GET b.example/x"]

const requests = ["GET", "POST"].flatMap((method) =>
  ["a.example", "b.example"].map((host) => ({
    method,
    host,
    port: 443,
    path: "/x",
    isUpgrade: false,
    fields: "hidden" as const
  }))
)

const requested: fc.Arbitrary<RunLimits> = fc.record({
  profile: fc.constant(profile),
  providers: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    fc.subarray(providers, { minLength: 1 })
  ),
  connections: fc.dictionary(fc.constantFrom(...providers), fc.constantFrom(...connections), { maxKeys: 2 }),
  unmatched: fc.constantFrom("allow", "deny"),
  contained: fc.boolean(),
  rules: fc.array(
    fc.record({
      allow: fc.subarray(rules),
      deny: fc.subarray(rules, { maxLength: 1 }),
      readonly: fc.boolean(),
      policy: fc.constantFrom("triage", "release").map((name) => name as PolicyName)
    }, { requiredKeys: ["allow", "deny", "readonly"] }),
    { maxLength: 2 }
  ),
  maxUses: fc.constantFrom(null, ...times),
  expiresAt: fc.constantFrom(null, ...times.map((time) => DateTime.makeUnsafe(time))),
  strict: fc.boolean()
})

/** Everything that limits allow, as names of permissions. */
const allowedBy = (limits: RunLimits): ReadonlySet<string> =>
  new Set([
    ...providers.flatMap((provider) =>
      connections.filter((connection) => excessOf(limits, provider, connection) === undefined)
        .map((connection) => `${provider}=${connection}`)
    ),
    ...(limits.unmatched === "allow" ? ["unmatched"] : []),
    ...(limits.contained ? ["contained"] : []),
    ...(limits.strict ? [] : ["misplaced placeholders"]),
    ...requests.filter((request) => compileRules(limits.rules).decide(request)._tag === "Allowed")
      .map(({ host, method }) => `${method} ${host}`),
    ...times.filter((time) => time <= (limits.maxUses ?? Infinity)).map((time) => `${time} uses`),
    ...times.filter((time) => time <= (limits.expiresAt?.epochMilliseconds ?? Infinity)).map((time) => `at ${time}`)
  ])

/** Whether a run explicitly asks for a provider or a connection that its outer run does not have. */
const exceeds = (own: RunLimits, outer: RunLimits): boolean =>
  (own.providers ?? []).some((provider) => outer.providers?.includes(provider) === false) ||
  Object.entries(own.connections).some(([provider, name]) => (outer.connections[provider] ?? name) !== name)

describe("RunLimits", () => {
  propertyTest(chains)(
    `never widen in ${chains} chains of nested runs, and are refused only if they name what the outer run lacks`,
    fc.array(requested, { minLength: 2, maxLength: 8 }),
    ([first, ...inner]) => {
      let outer = first!
      for (const own of inner) {
        const result = within(own, outer)
        assert.strictEqual(Result.isFailure(result), exceeds(own, outer))
        if (Result.isFailure(result)) continue
        const allowed = allowedBy(result.success)
        assert.includeMembers([...allowedBy(outer)], [...allowed], "allowed by the outer run")
        assert.includeMembers([...allowedBy(own)], [...allowed], "allowed by the run itself")
        outer = result.success
      }
    }
  )

  it("treat a provider with the name of an object property like any other provider", () => {
    assert.isUndefined(excessOf(unlimited, "constructor" as ProviderName, "default" as ConnectionName))
  })

  it("name the provider or the connection that exceeds them", () => {
    const limited: RunLimits = {
      ...unlimited,
      providers: ["openai" as ProviderName],
      connections: { openai: "work" as ConnectionName }
    }
    assert.strictEqual(
      excessOf(limited, "github" as ProviderName, "default" as ConnectionName),
      "This run is limited to openai and does not include github."
    )
    assert.strictEqual(
      excessOf(limited, "openai" as ProviderName, "default" as ConnectionName),
      "This run is limited to openai=work and does not include openai=default."
    )
    assert.isUndefined(excessOf(limited, "openai" as ProviderName, "work" as ConnectionName))
  })
})
