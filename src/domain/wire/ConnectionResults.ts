/** The results of operations on connections. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import { named, wire } from "./Wire.ts"

export const LoggedOut = wire(
  {
    status: Schema.Literal("logged_out"),
    provider: ProviderName,
    connection: ConnectionName,
    newDefault: Schema.NullOr(ConnectionName)
  },
  "LoggedOut",
  "The result of a logout",
  {
    status: "The connection was removed",
    provider: "The provider",
    connection: "The removed connection",
    newDefault: "The connection that replaced the default, if that was removed and another one remains; otherwise null"
  }
)
export type LoggedOut = typeof LoggedOut.Type

export const Revoked = wire(
  {
    status: Schema.Literal("revoked"),
    provider: ProviderName,
    connections: Schema.Array(ConnectionName),
    providerContacted: Schema.Boolean,
    failures: Schema.Array(Schema.String)
  },
  "Revoked",
  "The result of a revocation",
  {
    status: "The connections were removed",
    provider: "The provider",
    connections: "The removed connections",
    providerContacted: "Whether the provider has a revocation endpoint, which was called",
    failures: "The requests to the provider that failed, as sentences; the local state is removed even then"
  }
)
export type Revoked = typeof Revoked.Type

export const DefaultSet = wire(
  {
    status: Schema.Literal("ok"),
    provider: ProviderName,
    defaultConnection: ConnectionName
  },
  "DefaultSet",
  "The new default connection of a provider",
  {
    status: "The default was set",
    provider: "The provider",
    defaultConnection: "Its default connection"
  }
)
export type DefaultSet = typeof DefaultSet.Type

export const ContainedOnlySet = wire(
  {
    status: Schema.Literal("ok"),
    provider: ProviderName,
    connection: ConnectionName,
    containedOnly: Schema.Literal(true)
  },
  "ContainedOnlySet",
  "A connection that only contained runs may use",
  {
    status: "The setting was changed",
    provider: "The provider",
    connection: "The connection",
    containedOnly: "Always true"
  }
)
export type ContainedOnlySet = typeof ContainedOnlySet.Type

const RemovedConnection = Schema.Struct({ profile: ProfileHandle, connection: ConnectionName }).pipe(
  named("RemovedConnection", "A connection that was removed with its provider", {
    profile: "The profile of the connection",
    connection: "The name of the connection"
  })
)

const RemovalStatus = Schema.Literals(["removed", "reset"]).pipe(
  named("RemovalStatus", "`reset`: the bundled definition of this name is in effect again")
)

export const ProviderRemoved = Schema.Struct({
  status: RemovalStatus,
  provider: ProviderName,
  connections: Schema.Array(RemovedConnection)
}).pipe(named("ProviderRemoved", "The result of removing a provider", {
  status: "Whether a bundled definition remains",
  provider: "The provider",
  connections: "The connections that were removed with it, in all profiles"
}))
export type ProviderRemoved = typeof ProviderRemoved.Type

export const ExportFormat = Schema.Literals(["env", "shell", "json"]).pipe(
  named("ExportFormat", "`env`: lines of a .env file. `shell`: export statements for eval. `json`: a JSON object")
)
export type ExportFormat = typeof ExportFormat.Type

export const ExportRequest = Schema.Struct({
  provider: ProviderName,
  connection: Schema.optionalKey(ConnectionName),
  format: Schema.optionalKey(ExportFormat)
}).pipe(named("ExportRequest", "The credential to export", {
  provider: "The provider",
  connection: "The connection; `default` when absent",
  format: "The format of `output`; `env` when absent"
}))
export type ExportRequest = typeof ExportRequest.Type

const Secret = Schema.RedactedFromValue(Schema.String)

export const Exported = Schema.Struct({
  format: ExportFormat,
  variables: Schema.Record(Schema.String, Secret),
  output: Secret
}).pipe(named("Exported", "An exported credential", {
  format: "The format of `output`",
  variables: "The values by environment variable, in the order of the definition's fields",
  output: "The text to print"
}))
export type Exported = typeof Exported.Type
