/**
 * Reads a `config.json` that has no settings for requests, runs or the logs, without loading `effect`'s Schema.
 *
 * Most files have none, and every run reads the file before its command starts
 * (docs/decisions/0022-start-of-a-run.md). `ConfigFormat` reads other files, and reports problems.
 */
import { LOG_FORMATS, MASTER_KEY_MODES } from "../Settings.ts"
import { type ConfigDocument, defaults } from "./ConfigDocument.ts"

const isAbsentOr = <A extends string>(value: unknown, values: ReadonlyArray<A>): value is A | undefined =>
  value === undefined || values.some((each) => each === value)

/** Reads a file without these settings. Returns undefined if the file has such settings or is invalid. */
export const readPlainConfig = (bytes: Uint8Array): ConfigDocument | undefined => {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined
  const {
    $schema,
    active_profile: activeProfile,
    log_format: logFormat,
    master_key_mode: masterKeyMode,
    version,
    ...others
  } = json as Readonly<Record<string, unknown>>
  const isPlain = Object.keys(others).length === 0 && (version === undefined || version === 1) &&
    ($schema === undefined || typeof $schema === "string") &&
    (activeProfile === undefined || (typeof activeProfile === "string" && activeProfile !== ""))
  if (!isPlain || !isAbsentOr(logFormat, LOG_FORMATS) || !isAbsentOr(masterKeyMode, MASTER_KEY_MODES)) return undefined
  return { ...defaults, $schema, activeProfile, logFormat, masterKeyMode }
}
