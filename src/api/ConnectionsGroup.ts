/** The operations on stored connections. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  connectionErrors,
  ConnectionNotFoundError,
  credentialErrors,
  OperationNotAllowedError,
  ProviderNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { Connection, ConnectionCheck, ConnectionName } from "../domain/wire/Connection.ts"
import { ContainedOnlySet, DefaultSet, LoggedOut, Revoked } from "../domain/wire/ConnectionResults.ts"
import { ProviderName } from "../domain/wire/ProviderName.ts"
import { struct } from "../domain/wire/Wire.ts"
import { BooleanText, forJobs, forProfile, optional, ProfileSelection, titled } from "./OperationParts.ts"

const connectionParams = { provider: ProviderName, connection: ConnectionName }

const ConnectionList = struct("ConnectionList", "The connections of a profile", {
  connections: [Schema.Array(Connection), "The connections, sorted by provider and name"]
})

export class ConnectionsGroup extends HttpApiGroup.make("connections")
  .add(
    forJobs(
      "List connections",
      "Lists the connections of the profile by provider and name. Secrets are redacted."
    ).get("list", "/connections", {
      query: { provider: optional(ProviderName, "Only connections of this provider") },
      success: ConnectionList,
      error: [ProviderNotFoundError, VaultUnavailableError]
    }),
    forJobs(
      "Get one connection",
      "Redacts secrets unless `reveal=true`. The audit log records a reveal before the response is sent.",
      { reveals: "on_request" }
    ).get("get", "/connections/:provider/:connection", {
      params: connectionParams,
      query: { reveal: optional(BooleanText, "Whether to return the secret. The default is false") },
      success: Connection,
      error: connectionErrors
    }),
    forProfile(
      "Check whether the provider accepts the credential",
      "Sends the `test_request` of the provider's definition, with the credential placed as the proxy places it, " +
        "and does not follow redirects. The audit log records the use before the request is sent. If a credential that cannot be " +
        "refreshed gets a 401, its status becomes `invalid`; the proxy still sends it."
    ).post("check", "/connections/:provider/:connection/check", {
      params: connectionParams,
      success: ConnectionCheck,
      error: credentialErrors
    }),
    forProfile("Remove one connection locally", "Does not contact the provider.")
      .post("logout", "/connections/:provider/:connection/logout", {
        params: connectionParams,
        success: LoggedOut,
        error: [ConnectionNotFoundError, ProviderNotFoundError, VaultUnavailableError]
      }),
    forProfile(
      "End all connections of a provider",
      "Calls the provider's revocation endpoint, if it has one, and removes all connections and client " +
        "credentials locally, even if the call fails."
    ).post("revoke", "/connections/:provider/revoke", {
      params: { provider: ProviderName },
      success: Revoked,
      error: [ProviderNotFoundError, OperationNotAllowedError, VaultUnavailableError]
    }),
    forProfile(
      "Make a connection its provider's default",
      "`credentials.resolve`, and thereby the proxy, uses the default connection for requests that name no connection."
    ).post("setDefault", "/connections/:provider/:connection/default", {
      params: connectionParams,
      success: DefaultSet,
      error: [ConnectionNotFoundError, ProviderNotFoundError, VaultUnavailableError]
    }),
    forProfile(
      "Allow only contained runs to use a connection",
      "From then on the credential is neither revealed nor exported, and is resolved only for contained runs. Only another " +
        "login with `contained_only: false` undoes this."
    ).post("setContainedOnly", "/connections/:provider/:connection/contained-only", {
      params: connectionParams,
      success: ContainedOnlySet,
      error: connectionErrors
    })
  )
  .middleware(ProfileSelection)
  .annotateMerge(titled("Connections", "Stored credentials, by provider and name."))
{}
