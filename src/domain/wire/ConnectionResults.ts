/** The results of operations on connections. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import { named, struct, wire } from "./Wire.ts"

export const LoggedOut = wire("LoggedOut", "The result of a logout", {
  status: [Schema.Literal("logged_out"), "The connection was removed"],
  provider: [ProviderName, "The provider"],
  connection: [ConnectionName, "The removed connection"],
  newDefault: [
    Schema.NullOr(ConnectionName),
    "The new default connection, if the default was removed and another connection remains; otherwise null"
  ]
})
export type LoggedOut = typeof LoggedOut.Type

export const Revoked = wire("Revoked", "The result of a revocation", {
  status: [Schema.Literal("revoked"), "The connections were removed"],
  provider: [ProviderName, "The provider"],
  connections: [Schema.Array(ConnectionName), "The removed connections"],
  providerContacted: [Schema.Boolean, "Whether the revocation endpoint of the provider was called"],
  failures: [
    Schema.Array(Schema.String),
    "The failed requests to the provider, as sentences; the vault no longer has the connections"
  ]
})
export type Revoked = typeof Revoked.Type

export const DefaultSet = wire("DefaultSet", "The new default connection of a provider", {
  status: [Schema.Literal("ok"), "The default was set"],
  provider: [ProviderName, "The provider"],
  defaultConnection: [ConnectionName, "The new default connection"]
})
export type DefaultSet = typeof DefaultSet.Type

export const ContainedOnlySet = wire("ContainedOnlySet", "A connection that only contained runs may use", {
  status: [Schema.Literal("ok"), "The setting was changed"],
  provider: [ProviderName, "The provider"],
  connection: [ConnectionName, "The connection"],
  containedOnly: [Schema.Literal(true), "Always true"]
})
export type ContainedOnlySet = typeof ContainedOnlySet.Type

const RemovedConnection = struct("RemovedConnection", "A connection that was removed with its provider", {
  profile: [ProfileHandle, "The profile of the connection"],
  connection: [ConnectionName, "The name of the connection"]
})

const RemovalStatus = Schema.Literals(["removed", "reset"]).pipe(
  named("RemovalStatus", "`reset`: the bundled definition of this name is in effect again")
)

export const ProviderRemoved = struct("ProviderRemoved", "The result of removing a provider", {
  status: [RemovalStatus, "Whether a bundled definition remains"],
  provider: [ProviderName, "The provider"],
  connections: [Schema.Array(RemovedConnection), "The connections that were removed, in all profiles"]
})
export type ProviderRemoved = typeof ProviderRemoved.Type

export const ExportFormat = Schema.Literals(["env", "shell", "json"]).pipe(
  named("ExportFormat", "`env`: lines of a .env file. `shell`: export statements for eval. `json`: a JSON object")
)
export type ExportFormat = typeof ExportFormat.Type

export const ExportRequest = struct("ExportRequest", "The credential to export", {
  provider: [ProviderName, "The provider"],
  connection: [Schema.optionalKey(ConnectionName), "The connection. When absent, it is `default`"],
  format: [Schema.optionalKey(ExportFormat), "The format of `output`. The default is `env`"]
})
export type ExportRequest = typeof ExportRequest.Type

const Secret = Schema.RedactedFromValue(Schema.String)

export const Exported = struct("Exported", "An exported credential", {
  format: [ExportFormat, "The format of `output`"],
  variables: [
    Schema.Record(Schema.String, Secret),
    "The values by environment variable, in the order of the definition's fields"
  ],
  output: [Secret, "The text to print"]
})
export type Exported = typeof Exported.Type
