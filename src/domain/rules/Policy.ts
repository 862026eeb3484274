/** Policies: named rule sets of a profile, which the vault keeps and runs and sandboxes can be limited to. */
import * as Schema from "effect/Schema"
import { ProfileHandle } from "../wire/Profile.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { wire } from "../wire/Wire.ts"
import { PolicyName } from "./PolicyName.ts"
import { PolicyRules } from "./RuleSchemas.ts"

export const Policy = wire(
  {
    name: PolicyName,
    profile: ProfileHandle,
    rules: PolicyRules,
    createdAt: Timestamp,
    updatedAt: Timestamp
  },
  "Policy",
  "A named rule set of a profile",
  {
    name: "The name of the policy",
    profile: "The profile that the policy belongs to",
    rules: "The rules",
    createdAt: "When the policy was created",
    updatedAt: "When the rules were last replaced"
  }
)
export type Policy = typeof Policy.Type

export const PolicyDeleted = wire(
  { status: Schema.Literal("deleted"), name: PolicyName },
  "PolicyDeleted",
  "The result of removing a policy",
  { status: "The policy was removed", name: "Its name" }
)
