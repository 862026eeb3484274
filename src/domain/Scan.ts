/** The result of comparing an environment with the vault. The request contains values; the report does not. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProviderName } from "./ProviderName.ts"
import { wire } from "./Wire.ts"

/**
 * `match`: the vault holds this value. `drift`: another value. `env_only`: no connection. `vault_only`: no variable.
 */
export const ScanState = Schema.Literals(["match", "drift", "env_only", "vault_only"])
export type ScanState = typeof ScanState.Type

/** `source` is `environment`, the path of a file, or `vault` if no variable was found. */
export const ScanRow = wire({
  provider: ProviderName,
  variable: Schema.String,
  source: Schema.String,
  state: ScanState
}, "ScanRow")
export type ScanRow = typeof ScanRow.Type

export const ScanImport = wire({
  provider: ProviderName,
  connection: ConnectionName,
  variable: Schema.String
}, "ScanImport")
export type ScanImport = typeof ScanImport.Type

export const ScanSkip = wire({ provider: ProviderName, reason: Schema.String }, "ScanSkip")
export type ScanSkip = typeof ScanSkip.Type

/** `rows` describe the state before the import. `skipped` says why a value is not a key, or was not imported. */
export const ScanReport = wire({
  rows: Schema.Array(ScanRow),
  imported: Schema.Array(ScanImport),
  skipped: Schema.Array(ScanSkip)
}, "ScanReport")
export type ScanReport = typeof ScanReport.Type

/** The longest value in UTF-16 code units; no key is longer. */
export const maxFoundLength = 4096

export const maxFoundValues = 500

/** The number of values that are compared per variable, limited so that a scan cannot be used to guess keys. */
export const maxDistinctValues = 16

export const FoundValue = wire({
  variable: Schema.String.check(
    Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u, { expected: "the name of an environment variable" })
  ),
  source: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1024)),
  value: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(maxFoundLength)))
})
export type FoundValue = typeof FoundValue.Type

/**
 * Without `connection`, compares with all connections and imports as `default`. Keys are imported into a custom
 * provider only if `providers` lists it.
 */
export const ScanRequest = Schema.Struct({
  values: Schema.Array(FoundValue).check(Schema.isMaxLength(maxFoundValues)),
  connection: Schema.optionalKey(ConnectionName),
  providers: Schema.optionalKey(Schema.Array(ProviderName).check(Schema.isMaxLength(100))),
  import: Schema.optionalKey(Schema.Boolean)
})
export type ScanRequest = typeof ScanRequest.Type
