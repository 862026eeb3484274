/** The results of operations on connections. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import { wire } from "./Wire.ts"

/** The result of a logout. `newDefault` replaced the default, if that was removed and another connection remains. */
export const LoggedOut = wire({
  status: Schema.Literal("logged_out"),
  provider: ProviderName,
  connection: ConnectionName,
  newDefault: Schema.NullOr(ConnectionName)
}, "LoggedOut")
export type LoggedOut = typeof LoggedOut.Type

/** The result of a revocation. `failures` are requests that failed; the local state is removed even then. */
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

export const ContainedOnlySet = wire({
  status: Schema.Literal("ok"),
  provider: ProviderName,
  connection: ConnectionName,
  containedOnly: Schema.Literal(true)
}, "ContainedOnlySet")
export type ContainedOnlySet = typeof ContainedOnlySet.Type

/** `connections` were deleted along with the provider, in all profiles. */
export const ProviderRemoved = Schema.Struct({
  status: Schema.Literals(["removed", "reset"]),
  provider: ProviderName,
  connections: Schema.Array(Schema.Struct({ profile: ProfileHandle, connection: ConnectionName }))
})
export type ProviderRemoved = typeof ProviderRemoved.Type

export const ExportFormat = Schema.Literals(["env", "shell", "json"])
export type ExportFormat = typeof ExportFormat.Type

export const ExportRequest = Schema.Struct({
  provider: ProviderName,
  connection: Schema.optionalKey(ConnectionName),
  format: Schema.optionalKey(ExportFormat)
})
export type ExportRequest = typeof ExportRequest.Type

const Secret = Schema.RedactedFromValue(Schema.String)

/** An exported credential. `variables` are in the order of the definition's fields; `output` is the text to print. */
export const Exported = Schema.Struct({
  format: ExportFormat,
  variables: Schema.Record(Schema.String, Secret),
  output: Secret
})
export type Exported = typeof Exported.Type
