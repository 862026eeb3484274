/** The result of comparing an environment with the vault. The request contains values; the report does not. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProviderName } from "./ProviderName.ts"
import { named, wire } from "./Wire.ts"

export const ScanState = Schema.Literals(["match", "drift", "env_only", "vault_only"]).pipe(named(
  "ScanState",
  "`match`: the vault holds this value. `drift`: another value. `env_only`: no connection. `vault_only`: no variable"
))
export type ScanState = typeof ScanState.Type

export const ScanRow = wire(
  {
    provider: ProviderName,
    variable: Schema.String,
    source: Schema.String,
    state: ScanState
  },
  "ScanRow",
  "A variable that holds, or could hold, the credential of a provider",
  {
    provider: "The provider",
    variable: "The name of the variable",
    source: "`environment`, the path of a file, or `vault` if no variable was found",
    state: "How the value compares with the vault"
  }
)
export type ScanRow = typeof ScanRow.Type

export const ScanImport = wire(
  {
    provider: ProviderName,
    connection: ConnectionName,
    variable: Schema.String
  },
  "ScanImport",
  "A value that was stored as a connection",
  {
    provider: "The provider",
    connection: "The new connection",
    variable: "The variable that the value came from"
  }
)
export type ScanImport = typeof ScanImport.Type

export const ScanSkip = wire(
  { provider: ProviderName, reason: Schema.String },
  "ScanSkip",
  "A value that is not a key, or was not stored",
  { provider: "The provider", reason: "Why, as a sentence" }
)
export type ScanSkip = typeof ScanSkip.Type

export const ScanReport = wire(
  {
    rows: Schema.Array(ScanRow),
    imported: Schema.Array(ScanImport),
    skipped: Schema.Array(ScanSkip)
  },
  "ScanReport",
  "The result of comparing values with the vault. Contains no value",
  {
    rows: "The variables and their state before the import",
    imported: "The values that were stored",
    skipped: "The values that are not a key, or were not stored"
  }
)
export type ScanReport = typeof ScanReport.Type

/** The longest value in UTF-16 code units; no key is longer. */
export const maxFoundLength = 4096

export const maxFoundValues = 500

/** The number of values that are compared per variable, limited so that a scan cannot be used to guess keys. */
export const maxDistinctValues = 16

export const FoundValue = wire(
  {
    variable: Schema.String.check(
      Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u, { expected: "the name of an environment variable" })
    ),
    source: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1024)),
    value: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(maxFoundLength)))
  },
  "FoundValue",
  "A value that was found in the environment",
  {
    variable: "The name of the variable",
    source: "Where the value was found: `environment`, or the path of a file",
    value: "The value, which is compared and not stored without `import`"
  }
)
export type FoundValue = typeof FoundValue.Type

export const ScanRequest = Schema.Struct({
  values: Schema.Array(FoundValue).check(Schema.isMaxLength(maxFoundValues)),
  connection: Schema.optionalKey(ConnectionName),
  providers: Schema.optionalKey(Schema.Array(ProviderName).check(Schema.isMaxLength(100))),
  import: Schema.optionalKey(Schema.Boolean)
}).pipe(named("ScanRequest", "The values to compare with the vault", {
  values: "The values",
  connection:
    "The connection to compare with and to create; when absent, compares with all connections and creates `default`",
  providers: "The providers to compare with; all when absent. A custom provider gets keys only if this lists it",
  import: "Whether to store the keys of providers without that connection; false when absent"
}))
export type ScanRequest = typeof ScanRequest.Type
