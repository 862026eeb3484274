/** Policies: named rule sets of a profile in the vault, which can limit runs and sandboxes. */
import * as Schema from "effect/Schema"
import { ProfileHandle } from "../wire/Profile.ts"
import { Timestamp, wire } from "../wire/Wire.ts"
import { PolicyName, PolicyRules } from "./RuleSchemas.ts"

export const Policy = wire("Policy", "A named rule set of a profile", {
  name: [PolicyName, "The name of the policy"],
  profile: [ProfileHandle, "The profile that the policy belongs to"],
  rules: [PolicyRules, "The rules"],
  createdAt: [Timestamp, "When the policy was created"],
  updatedAt: [Timestamp, "When the rules were last replaced"]
})
export type Policy = typeof Policy.Type

export const PolicyDeleted = wire("PolicyDeleted", "The result of removing a policy", {
  status: [Schema.Literal("deleted"), "The policy was removed"],
  name: [PolicyName, "The policy"]
})
