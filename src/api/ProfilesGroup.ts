import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { Profile, ProfileHandle } from "../domain/Profile.ts"
import { RequestProblems } from "./Middleware.ts"

export class ProfilesGroup extends HttpApiGroup.make("profiles")
  .add(
    HttpApiEndpoint.get("list", "/profiles", {
      success: Schema.Struct({ active: ProfileHandle, profiles: Schema.Array(Profile) }),
      error: [OperationNotAllowedError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({ identifier: "profiles.list", summary: "List profiles" })),
    HttpApiEndpoint.post("create", "/profiles", {
      payload: Schema.Struct({ handle: Schema.optionalKey(ProfileHandle) }),
      success: Profile.pipe(HttpApiSchema.status(201)),
      error: [OperationNotAllowedError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "profiles.create",
      summary: "Create a profile",
      description:
        "Creates an Ed25519 identity, with a random handle if the request has none. The active profile does not change."
    })),
    HttpApiEndpoint.post("use", "/profiles/:handle/use", {
      params: { handle: ProfileHandle },
      success: Profile,
      error: [OperationNotAllowedError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({ identifier: "profiles.use", summary: "Make a profile the active one" }))
  )
  .middleware(RequestProblems)
  .annotateMerge(OpenApi.annotations({ title: "Profiles", description: "Credential namespaces." }))
{}
