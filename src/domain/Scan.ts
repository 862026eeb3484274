/** What a look through the environment found, compared with the vault. Values go in; none comes out. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProviderName } from "./ProviderName.ts"
import { wire } from "./Wire.ts"

/**
 * `match`: the vault holds this value. `drift`: it holds another one. `env_only`: there is no connection. `vault_only`: there
 * is one, and the variable was not found.
 */
export const ScanState = Schema.Literals(["match", "drift", "env_only", "vault_only"])
export type ScanState = typeof ScanState.Type

/** `source` is what the caller named: `environment`, or the path of a file. It is `vault` where nothing was found. */
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

/** `rows` tell what was there before the import. `skipped` says why a value is no key, or was not imported. */
export const ScanReport = wire({
  rows: Schema.Array(ScanRow),
  imported: Schema.Array(ScanImport),
  skipped: Schema.Array(ScanSkip)
}, "ScanReport")
export type ScanReport = typeof ScanReport.Type

/** In UTF-16 code units; no key is longer. */
export const maxFoundLength = 4096

/** How many values one scan compares. */
export const maxFoundValues = 500

/** How many different values of one variable: a scan is no way to try out keys. */
export const maxDistinctValues = 16

/** A variable that was found, with its value. */
export const FoundValue = wire({
  variable: Schema.String.check(
    Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u, { expected: "the name of an environment variable" })
  ),
  source: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1024)),
  value: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(maxFoundLength)))
})
export type FoundValue = typeof FoundValue.Type

/**
 * Without a `connection`, values are compared with every connection of a provider, and imported as `default`. `providers`
 * limits the scan to these. Keys are imported into a custom provider only when it is among them.
 */
export const ScanRequest = Schema.Struct({
  values: Schema.Array(FoundValue).check(Schema.isMaxLength(maxFoundValues)),
  connection: Schema.optionalKey(ConnectionName),
  providers: Schema.optionalKey(Schema.Array(ProviderName).check(Schema.isMaxLength(100))),
  import: Schema.optionalKey(Schema.Boolean)
})
export type ScanRequest = typeof ScanRequest.Type
