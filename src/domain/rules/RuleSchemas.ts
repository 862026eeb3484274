/** The schemas of rules, and of the names of policies. Runs load only the modules that decide by rules, not these schemas. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { named, wire } from "../wire/Wire.ts"
import { MAX_RULE, MAX_RULE_SETS, MAX_RULES, parseRule } from "./Rule.ts"

/** 1 to 32 characters of `a-z 0-9 _ -`. */
export const PolicyName = Schema.String.pipe(named("PolicyName", "The name of a policy")).check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,31}$/u, {
    expected: "a policy name: 1 to 32 lower-case letters, digits, '_' or '-', beginning with a letter or digit"
  })
).pipe(Schema.brand("PolicyName"))
export type PolicyName = typeof PolicyName.Type

const RuleText = Schema.String.check(
  Schema.isMaxLength(MAX_RULE),
  Schema.makeFilter((text: string) => {
    const parsed = parseRule(text)
    return Result.isSuccess(parsed) ? undefined : parsed.failure
  })
).annotate({
  description:
    "Methods, a host and a path, such as GET,POST api.example.com/v1/**. `*` is any text within one segment, " +
    "`**` any number of segments"
})

export const Rules = Schema.Array(RuleText).check(Schema.isMaxLength(MAX_RULES))

export const MaxTokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000_000 }))

const ruleFields = {
  allow: [Rules, "Rules for requests to allow. With at least one rule, requests that match no rule are refused"],
  deny: [Rules, "Rules for requests to refuse. They take precedence"],
  readonly: [Schema.Boolean, "Whether to allow only methods that read (`GET`, `HEAD`, `OPTIONS`), and GraphQL queries"],
  maxTokens: [
    Schema.optionalKey(MaxTokens),
    "How many LLM tokens the responses of model APIs may report. When absent, any number"
  ]
} as const

export const PolicyRules = wire("PolicyRules", "The rules of a policy", ruleFields)
export type PolicyRules = typeof PolicyRules.Type

export const RuleSet = wire("RuleSet", "Rules of one source, such as the options of a run or a policy", {
  ...ruleFields,
  policy: [Schema.optionalKey(PolicyName), "The policy that the rules were taken from"]
})
export type RuleSet = typeof RuleSet.Type

/** The rule sets of a run and of its outer runs, all of which must allow a request. */
export const RuleSets = Schema.Array(RuleSet).check(Schema.isMaxLength(MAX_RULE_SETS))
export type RuleSets = typeof RuleSets.Type
