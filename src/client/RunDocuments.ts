/**
 * Encodes and decodes the registration of a run without the schemas of `domain/wire/Run`, because every run waits for this
 * (docs/decisions/0022-start-of-a-run.md). The other side is the daemon of this home, so only the form of its response is checked.
 */
import * as DateTime from "effect/DateTime"
import { isObject, isString } from "effect/Predicate"
import type { RuleSet } from "../domain/rules/RuleSchemas.ts"
import type { Run, RunNotice, RunRegistration } from "../domain/wire/Run.ts"

/** The limits of a registered run, as the daemon returns them. */
export type RegisteredLimits = NonNullable<ReturnType<typeof readRun>>

const toRuleSet = ({ max_tokens: maxTokens, ...same }: typeof RuleSet.Encoded): RuleSet =>
  ({ ...same, ...(maxTokens === undefined ? {} : { maxTokens }) }) as RuleSet

const fromRuleSet = ({ maxTokens, ...same }: RuleSet): typeof RuleSet.Encoded => ({
  ...same,
  ...(maxTokens === undefined ? {} : { max_tokens: maxTokens })
})

export const registrationText = ({ expiresAt, maxUses, rules, ...same }: RunRegistration): string =>
  JSON.stringify(
    {
      ...same,
      ...(rules === undefined ? {} : { rules: rules.map(fromRuleSet) }),
      ...(maxUses === undefined ? {} : { max_uses: maxUses }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt === null ? null : DateTime.formatIso(expiresAt) })
    } satisfies typeof RunRegistration.Encoded
  )

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isString)

const isRuleSet = (value: unknown): boolean => {
  if (!isObject(value)) return false
  const { allow, deny, max_tokens: maxTokens, policy, readonly } = value as Partial<typeof RuleSet.Encoded>
  return isTexts(allow) && isTexts(deny) && typeof readonly === "boolean" &&
    (policy === undefined || isString(policy)) &&
    (maxTokens === undefined || typeof maxTokens === "number")
}

const isRuleSets = (value: unknown): value is ReadonlyArray<typeof RuleSet.Encoded> =>
  Array.isArray(value) && value.every(isRuleSet)

const isRun = (value: unknown): value is typeof Run.Encoded => {
  if (!isObject(value)) return false
  const run = value as Partial<typeof Run.Encoded>
  return isString(run.name) && isString(run.profile) &&
    (run.providers === null || isTexts(run.providers)) &&
    isObject(run.connections) && isTexts(Object.values(run.connections)) &&
    (run.unmatched === "allow" || run.unmatched === "deny") &&
    isRuleSets(run.rules) && (run.outer_rules === undefined || isRuleSets(run.outer_rules)) &&
    (run.max_uses === null || typeof run.max_uses === "number") &&
    (run.expires_at === null || (isString(run.expires_at) && !Number.isNaN(Date.parse(run.expires_at)))) &&
    (run.strict === undefined || typeof run.strict === "boolean")
}

/** Reads the response to a registration, or returns undefined if its form is unknown. */
export const readRun = (value: unknown) => {
  if (!isRun(value)) return undefined
  const { connections, expires_at: expiresAt, max_uses: maxUses, name, outer_rules, profile, providers } = value
  return {
    name: name as Run["name"],
    profile: profile as Run["profile"],
    providers: providers as Run["providers"],
    connections: connections as Run["connections"],
    unmatched: value.unmatched,
    rules: value.rules.map(toRuleSet),
    outerRules: (outer_rules ?? []).map(toRuleSet),
    maxUses,
    expiresAt: expiresAt === null ? null : DateTime.makeUnsafe(expiresAt),
    strict: value.strict ?? false
  }
}

/** Reads a line of notices, or returns undefined for a line of a later version of the daemon. */
export const readNotice = (line: string): RunNotice["notice"] | undefined => {
  try {
    const { notice } = Object(JSON.parse(line)) as Partial<RunNotice>
    return notice === "changed" || notice === "stopped" || notice === "frozen" ? notice : undefined
  } catch {
    return undefined
  }
}
