/** The schemas of rules, apart from what decides by them, which runs load at their start. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { named } from "../wire/Wire.ts"
import { PolicyName } from "./PolicyName.ts"
import { MAX_RULE, MAX_RULE_SETS, MAX_RULES, parseRule } from "./Rule.ts"

/** A rule as text. */
export const RuleText = Schema.String.check(
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

const ruleFields = { allow: Rules, deny: Rules, readonly: Schema.Boolean }

const ruleDescriptions = {
  allow: "Rules for requests to allow. As soon as there is one, all requests that match none are refused",
  deny: "Rules for requests to refuse, which take precedence",
  readonly: "Whether to allow only methods that read (`GET`, `HEAD`, `OPTIONS`), and GraphQL queries"
}

export const PolicyRules = Schema.Struct(ruleFields).pipe(
  named("PolicyRules", "The rules of a policy", ruleDescriptions)
)
export type PolicyRules = typeof PolicyRules.Type

export const RuleSet = Schema.Struct({ ...ruleFields, policy: Schema.optionalKey(PolicyName) }).pipe(
  named("RuleSet", "Rules of one source, such as the options of a run or a policy", {
    ...ruleDescriptions,
    policy: "The policy that the rules were taken from"
  })
)
export type RuleSet = typeof RuleSet.Type

/** The rule sets of a run: its own and those of its outer runs. All of them must allow a request. */
export const RuleSets = Schema.Array(RuleSet).check(Schema.isMaxLength(MAX_RULE_SETS))
export type RuleSets = typeof RuleSets.Type
