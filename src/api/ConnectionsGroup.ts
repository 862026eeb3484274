/** Connections: list, read, log out, revoke, set the default. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Connection, ConnectionCheck, ConnectionName } from "../domain/Connection.ts"
import {
  ConnectionNotFoundError,
  CredentialMissingError,
  OperationNotAllowedError,
  ProviderNotFoundError,
  RefreshFailedError,
  TokenExpiredError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { ProviderName } from "../domain/ProviderName.ts"
import { wire } from "../domain/Wire.ts"
import { ProfileSelection, RequestProblems } from "./Middleware.ts"

const connectionParams = { provider: ProviderName, connection: ConnectionName }

export const ConnectionList = Schema.Struct({ connections: Schema.Array(Connection) })

/** `newDefault` names the connection that took over, when the one that left was the default and another remains. */
export const LoggedOut = wire({
  status: Schema.Literal("logged_out"),
  provider: ProviderName,
  connection: ConnectionName,
  newDefault: Schema.NullOr(ConnectionName)
}, "LoggedOut")
export type LoggedOut = typeof LoggedOut.Type

/** `failures` are sentences about the provider's side; the local state is cleared all the same. */
export const Revoked = wire({
  status: Schema.Literal("revoked"),
  provider: ProviderName,
  connections: Schema.Array(ConnectionName),
  providerContacted: Schema.Boolean,
  failures: Schema.Array(Schema.String)
}, "Revoked")
export type Revoked = typeof Revoked.Type

export const DefaultSet = wire({
  status: Schema.Literal("ok"),
  provider: ProviderName,
  defaultConnection: ConnectionName
}, "DefaultSet")
export type DefaultSet = typeof DefaultSet.Type

export class ConnectionsGroup extends HttpApiGroup.make("connections")
  .add(
    HttpApiEndpoint.get("list", "/connections", {
      query: { provider: Schema.optionalKey(ProviderName) },
      success: ConnectionList,
      error: [ProviderNotFoundError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "connections.list",
      summary: "List connections",
      description: "Every connection of the profile, secrets redacted, by provider and name."
    })),
    HttpApiEndpoint.get("get", "/connections/:provider/:connection", {
      params: connectionParams,
      query: { reveal: Schema.optionalKey(Schema.Literals(["true", "false"])) },
      success: Connection,
      error: [ConnectionNotFoundError, ProviderNotFoundError, OperationNotAllowedError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "connections.get",
      summary: "Get one connection",
      description: "Secrets are redacted unless `reveal=true`; a reveal is in the audit log before the answer leaves."
    })),
    HttpApiEndpoint.post("check", "/connections/:provider/:connection/check", {
      params: connectionParams,
      success: ConnectionCheck,
      error: [
        ConnectionNotFoundError,
        ProviderNotFoundError,
        OperationNotAllowedError,
        CredentialMissingError,
        TokenExpiredError,
        RefreshFailedError,
        VaultUnavailableError
      ]
    }).annotateMerge(OpenApi.annotations({
      identifier: "connections.check",
      summary: "Check whether the provider accepts the credential",
      description:
        "Sends the `test_request` of the provider's definition with the credential, placed as the proxy places it, " +
        "and does not follow redirects. The use is in the audit log before the request leaves. A credential that cannot be " +
        "refreshed and gets a 401 has the status `invalid` from then on; it is still sent."
    })),
    HttpApiEndpoint.post("logout", "/connections/:provider/:connection/logout", {
      params: connectionParams,
      success: LoggedOut,
      error: [ConnectionNotFoundError, ProviderNotFoundError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "connections.logout",
      summary: "Remove one connection locally",
      description: "The provider is not contacted."
    })),
    HttpApiEndpoint.post("revoke", "/connections/:provider/revoke", {
      params: { provider: ProviderName },
      success: Revoked,
      error: [ProviderNotFoundError, OperationNotAllowedError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "connections.revoke",
      summary: "End all connections of a provider",
      description:
        "Calls the provider's revocation endpoint where there is one, and clears all connections and client " +
        "credentials locally even when that fails."
    })),
    HttpApiEndpoint.post("setDefault", "/connections/:provider/:connection/default", {
      params: connectionParams,
      success: DefaultSet,
      error: [ConnectionNotFoundError, ProviderNotFoundError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "connections.setDefault",
      summary: "Make a connection its provider's default"
    }))
  )
  .middleware(ProfileSelection)
  .middleware(RequestProblems)
  .annotateMerge(
    OpenApi.annotations({ title: "Connections", description: "Stored credentials, by provider and name." })
  )
{}
