/** The operations on the identities of callers on other machines. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { Enrollment, EnrollmentCode, Identity, IdentityName, NewEnrollmentCode } from "../domain/wire/Identity.ts"
import { struct } from "../domain/wire/Wire.ts"
import { forAdministrator, forAnyone, ProfileSelection, titled } from "./OperationParts.ts"

const IdentityList = struct("IdentityList", "The identities of callers on other machines", {
  identities: [Schema.Array(Identity), "The identities, sorted by name"]
})

const error = [OperationNotAllowedError, VaultUnavailableError] as const

export class IdentitiesGroup extends HttpApiGroup.make("identities")
  .add(
    forAdministrator(
      "List the identities of remote callers",
      "Lists the enrolled identities of all profiles by name, including disabled ones."
    ).get("list", "/identities", { success: IdentityList, error: [VaultUnavailableError] }).middleware(
      ProfileSelection
    ),
    forAdministrator(
      "Create an enrollment code",
      "The code enrolls one identity for the profile, once, until it expires or five attempts have failed. " +
        "A code that was created before for the same name no longer works.",
      { reveals: "always" }
    ).post("createCode", "/identities/codes", {
      payload: NewEnrollmentCode,
      success: EnrollmentCode.pipe(HttpApiSchema.status(201)),
      error
    }).middleware(ProfileSelection),
    forAnyone(
      "Enroll the key of a remote caller",
      "Binds the public key to the profile of the code. The request must be signed by this key.",
      { hasSecretBody: true }
    ).post("enroll", "/identities", { payload: Enrollment, success: Identity.pipe(HttpApiSchema.status(201)), error }),
    forAdministrator(
      "Disable an identity",
      "The next request of the identity is refused. A job can enroll another key with another token, unless you remove its trust."
    ).post("disable", "/identities/:name/disable", {
      params: { name: IdentityName },
      success: Identity,
      error
    }).middleware(ProfileSelection),
    forAdministrator("Enable a disabled identity", "Requests of the identity are accepted again.")
      .post("enable", "/identities/:name/enable", { params: { name: IdentityName }, success: Identity, error })
      .middleware(ProfileSelection)
  )
  .annotateMerge(titled("Identities", "Callers on other machines, which sign their requests."))
{}
