/** The operations on grants, by which other profiles use a connection. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { connectionErrors, VaultUnavailableError } from "../domain/Errors.ts"
import { ConnectionName } from "../domain/wire/Connection.ts"
import {
  ConnectionGrant,
  ConnectionGrantList,
  ConnectionGrantWithdrawn,
  NewConnectionGrant
} from "../domain/wire/ConnectionGrant.ts"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { ProviderName } from "../domain/wire/ProviderName.ts"
import { forAdministrator, forProfile, ProfileSelection, titled } from "./OperationParts.ts"

export class GrantsGroup extends HttpApiGroup.make("grants")
  .add(
    forProfile("List grants", "Lists the grants that the profile has given and received.").get("list", "/grants", {
      success: ConnectionGrantList,
      error: [VaultUnavailableError]
    }),
    forAdministrator(
      "Grant the use of a connection",
      "Lets another profile use a connection of this profile. The other profile cannot reveal, export or change it. The proxy on a caller's " +
        "machine gets the credential with each request that uses it."
    ).post("create", "/grants", {
      payload: NewConnectionGrant,
      success: ConnectionGrant.pipe(HttpApiSchema.status(201)),
      error: connectionErrors
    }),
    forAdministrator(
      "Withdraw a grant",
      "The next use is refused, and open requests of runs that use the connection end."
    ).delete("withdraw", "/grants/:grantee/:provider/:connection", {
      params: { grantee: ProfileHandle, provider: ProviderName, connection: ConnectionName },
      success: ConnectionGrantWithdrawn,
      error: connectionErrors
    })
  )
  .middleware(ProfileSelection)
  .annotateMerge(titled("Grants", "Connections that other profiles may use."))
{}
