/** The operations on profiles. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { Profile, ProfileHandle } from "../domain/wire/Profile.ts"
import { struct } from "../domain/wire/Wire.ts"
import { forAdministrator, forProfile, titled } from "./OperationParts.ts"

const ProfileList = struct("ProfileList", "All profiles", {
  active: [ProfileHandle, "The profile of requests without the header `Credsvc-Profile`"],
  profiles: [Schema.Array(Profile), "The profiles"]
})

const NewProfile = struct("NewProfile", "The profile to create", {
  handle: [Schema.optionalKey(ProfileHandle), "The handle of the profile. The default is a random handle"]
})

const error = [OperationNotAllowedError, VaultUnavailableError] as const

export class ProfilesGroup extends HttpApiGroup.make("profiles")
  .add(
    forProfile("List profiles", "Lists all profiles of the home of credsvc.").get("list", "/profiles", {
      success: ProfileList,
      error
    }),
    forAdministrator(
      "Create a profile",
      "Creates an Ed25519 identity, with a random handle if the request has none. The active profile does not change."
    ).post("create", "/profiles", {
      payload: NewProfile,
      success: Profile.pipe(HttpApiSchema.status(201)),
      error
    }),
    forAdministrator(
      "Make a profile the active profile",
      "Requests without the header `Credsvc-Profile` use this profile from then on."
    ).post("use", "/profiles/:handle/use", {
      params: { handle: ProfileHandle },
      success: Profile,
      error
    })
  )
  .annotateMerge(titled("Profiles", "Separate sets of connections, policies and sandboxes."))
{}
