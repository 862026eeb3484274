import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  ConnectionNotFoundError,
  OperationNotAllowedError,
  ProviderNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { ConnectionName } from "../domain/wire/Connection.ts"
import {
  ConnectionGrant,
  ConnectionGrantList,
  ConnectionGrantWithdrawn,
  NewConnectionGrant
} from "../domain/wire/ConnectionGrant.ts"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { ProviderName } from "../domain/wire/ProviderName.ts"
import { ProfileSelection, RequestProblems } from "./Middleware.ts"

const error = [ConnectionNotFoundError, OperationNotAllowedError, ProviderNotFoundError, VaultUnavailableError] as const

export class GrantsGroup extends HttpApiGroup.make("grants")
  .add(
    HttpApiEndpoint.get("list", "/grants", {
      success: ConnectionGrantList,
      error: [VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "grants.list",
      summary: "List grants",
      description: "Lists the grants that the profile has given and received."
    })),
    HttpApiEndpoint.post("create", "/grants", {
      payload: NewConnectionGrant,
      success: ConnectionGrant.pipe(HttpApiSchema.status(201)),
      error
    }).annotateMerge(OpenApi.annotations({
      identifier: "grants.create",
      summary: "Grant the use of a connection",
      description:
        "Lets another profile use a connection of this one. It can neither reveal, export nor change it. The proxy on a caller's " +
        "machine gets the credential with each request that uses it."
    })),
    HttpApiEndpoint.delete("withdraw", "/grants/:grantee/:provider/:connection", {
      params: { grantee: ProfileHandle, provider: ProviderName, connection: ConnectionName },
      success: ConnectionGrantWithdrawn,
      error
    }).annotateMerge(OpenApi.annotations({
      identifier: "grants.withdraw",
      summary: "Withdraw a grant",
      description: "The next use is refused, and open requests of runs that use the connection end."
    }))
  )
  .middleware(ProfileSelection)
  .middleware(RequestProblems)
  .annotateMerge(
    OpenApi.annotations({ title: "Grants", description: "Connections that other profiles may use." })
  )
{}
