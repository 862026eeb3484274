/** The operations on policies. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { InvalidRequestError, OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { Policy, PolicyDeleted } from "../domain/rules/Policy.ts"
import { PolicyName, PolicyRules } from "../domain/rules/RuleSchemas.ts"
import { struct } from "../domain/wire/Wire.ts"
import { forAdministrator, forProfile, ProfileSelection, titled } from "./OperationParts.ts"

const PolicyList = struct("PolicyList", "The policies of a profile", {
  policies: [Schema.Array(Policy), "The policies, sorted by name"]
})

export class PoliciesGroup extends HttpApiGroup.make("policies")
  .add(
    forProfile("List policies", "Lists the policies of the profile by name.").get("list", "/policies", {
      success: PolicyList,
      error: [VaultUnavailableError]
    }),
    forProfile(
      "Get a policy",
      "Returns the rules of a policy. A run or sandbox that is created with the policy keeps these rules."
    ).get("get", "/policies/:name", {
      params: { name: PolicyName },
      success: Policy,
      error: [OperationNotAllowedError, VaultUnavailableError]
    }),
    forAdministrator(
      "Create a policy or replace its rules",
      "Stores the rules under the name, in place of earlier ones. Active runs and existing sandboxes keep the rules with " +
        "which they were created. Commands inside a run cannot change policies."
    ).post("set", "/policies/:name", {
      params: { name: PolicyName },
      payload: PolicyRules,
      success: Policy,
      error: [InvalidRequestError, OperationNotAllowedError, VaultUnavailableError]
    }),
    forAdministrator(
      "Remove a policy",
      "Active runs and existing sandboxes keep the rules with which they were created. Commands inside a run cannot " +
        "remove policies."
    ).delete("remove", "/policies/:name", {
      params: { name: PolicyName },
      success: PolicyDeleted,
      error: [OperationNotAllowedError, VaultUnavailableError]
    })
  )
  .middleware(ProfileSelection)
  .annotateMerge(titled("Policies", "Named rule sets, which limit the requests of runs and sandboxes."))
{}
