/** The operations on trusts, by which CI jobs enroll their keys. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { InvalidRequestError, OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { Identity, JobEnrollment } from "../domain/wire/Identity.ts"
import { NewTrust, Trust, TrustName, TrustRemoved } from "../domain/wire/Trust.ts"
import { struct } from "../domain/wire/Wire.ts"
import { forAdministrator, forAnyone, ProfileSelection, titled } from "./OperationParts.ts"

const TrustList = struct("TrustList", "The jobs that may enroll a key", {
  trusts: [Schema.Array(Trust), "The trusts, sorted by name"]
})

const error = [OperationNotAllowedError, VaultUnavailableError] as const

export class TrustsGroup extends HttpApiGroup.make("trusts")
  .add(
    forAdministrator("List trusts", "Lists the trusts of all profiles by name.").get("list", "/trusts", {
      success: TrustList,
      error: [VaultUnavailableError]
    }).middleware(ProfileSelection),
    forAdministrator(
      "Trust the jobs of a CI system",
      "A job whose token has the issuer, the audience and claims that match all patterns may enroll a key for a short time. " +
        "Patterns that would accept the jobs of strangers are refused."
    ).post("create", "/trusts", {
      payload: NewTrust,
      success: Trust.pipe(HttpApiSchema.status(201)),
      error: [InvalidRequestError, ...error]
    }).middleware(ProfileSelection),
    forAdministrator(
      "Remove a trust",
      "Also removes the identities of its jobs. Their next requests are refused."
    ).delete("remove", "/trusts/:name", {
      params: { name: TrustName },
      success: TrustRemoved,
      error
    }).middleware(ProfileSelection),
    forAnyone(
      "Enroll the key of a job",
      "Binds the public key to the profile of the trust that accepts the token, for the lifetime that the trust " +
        "states. The request must be signed by this key. A token enrolls one key.",
      { hasSecretBody: true }
    ).post("enroll", "/identities/jobs", {
      payload: JobEnrollment,
      success: Identity.pipe(HttpApiSchema.status(201)),
      error
    })
  )
  .annotateMerge(titled("Trusts", "Which CI jobs and workloads may enroll, with the ID tokens of their platform."))
{}
