/** The result of comparing an environment with the vault. The request contains values; the report does not. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProviderName } from "./ProviderName.ts"
import { named, struct, wire } from "./Wire.ts"

export const ScanState = Schema.Literals(["match", "drift", "env_only", "vault_only"]).pipe(named(
  "ScanState",
  "`match`: the vault holds this value. `drift`: the vault holds another value. `env_only`: the provider has no " +
    "connection. `vault_only`: no variable for the connection was found"
))
export type ScanState = typeof ScanState.Type

export const ScanRow = wire("ScanRow", "A variable that holds, or could hold, the credential of a provider", {
  provider: [ProviderName, "The provider"],
  variable: [Schema.String, "The name of the variable"],
  source: [Schema.String, "`environment`, the path of a file, or `vault` if no variable was found"],
  state: [ScanState, "How the value compares with the vault"]
})
export type ScanRow = typeof ScanRow.Type

export const ScanImport = wire("ScanImport", "A value that was stored as a connection", {
  provider: [ProviderName, "The provider"],
  connection: [ConnectionName, "The new connection"],
  variable: [Schema.String, "The variable that the value came from"]
})
export type ScanImport = typeof ScanImport.Type

export const ScanSkip = wire("ScanSkip", "A value that is not a key, or was not stored", {
  provider: [ProviderName, "The provider"],
  reason: [Schema.String, "Why the value was not stored, as a sentence"]
})
export type ScanSkip = typeof ScanSkip.Type

export const ScanReport = wire("ScanReport", "The result of comparing values with the vault. Contains no value", {
  rows: [Schema.Array(ScanRow), "The variables and their state before the import"],
  imported: [Schema.Array(ScanImport), "The values that were stored"],
  skipped: [Schema.Array(ScanSkip), "The values that are not keys, or were not stored"]
})
export type ScanReport = typeof ScanReport.Type

/** The longest value in UTF-16 code units; no key is longer. */
export const maxFoundLength = 4096

export const maxFoundValues = 500

/** The number of values that are compared per variable, limited so that a scan cannot be used to guess keys. */
export const maxDistinctValues = 16

export const FoundValue = wire("FoundValue", "A value that was found in the environment", {
  variable: [
    Schema.String.check(
      Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u, { expected: "the name of an environment variable" })
    ),
    "The name of the variable"
  ],
  source: [
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1024)),
    "Where the value was found: `environment`, or the path of a file"
  ],
  value: [
    Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(maxFoundLength))),
    "The value, which is compared, and stored only with `import`"
  ]
})
export type FoundValue = typeof FoundValue.Type

export const ScanRequest = struct("ScanRequest", "The values to compare with the vault", {
  values: [Schema.Array(FoundValue).check(Schema.isMaxLength(maxFoundValues)), "The values"],
  connection: [
    Schema.optionalKey(ConnectionName),
    "The connection to compare with and to create. When absent, the daemon compares with all connections, and creates `default`"
  ],
  providers: [
    Schema.optionalKey(Schema.Array(ProviderName).check(Schema.isMaxLength(100))),
    "The providers to compare with. When absent, all providers. A custom provider gets keys only if this list contains it"
  ],
  import: [
    Schema.optionalKey(Schema.Boolean),
    "Whether to store the keys of providers that do not have the connection in `connection`. The default is false"
  ]
})
export type ScanRequest = typeof ScanRequest.Type
