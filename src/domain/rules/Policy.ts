/** Policies: named rule sets of a profile in the vault, which can limit runs and sandboxes. */
import * as Schema from "effect/Schema"
import { ProfileHandle } from "../wire/Profile.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { wire } from "../wire/Wire.ts"
import { PolicyName } from "./PolicyName.ts"
import { PolicyRules } from "./RuleSchemas.ts"

export const Policy = wire(
  {
    name: [PolicyName, "The name of the policy"],
    profile: [ProfileHandle, "The profile that the policy belongs to"],
    rules: [PolicyRules, "The rules"],
    createdAt: [Timestamp, "When the policy was created"],
    updatedAt: [Timestamp, "When the rules were last replaced"]
  },
  "Policy",
  "A named rule set of a profile"
)
export type Policy = typeof Policy.Type

export const PolicyDeleted = wire(
  { status: [Schema.Literal("deleted"), "The policy was removed"], name: [PolicyName, "The policy"] },
  "PolicyDeleted",
  "The result of removing a policy"
)
