/**
 * Reads a `config.json` without settings for requests, runs or the logs. Most files are such, and every run reads its
 * file before the command starts (docs/decisions/0022-start-of-a-run.md). `ConfigFormat` reads any other one, and reports problems.
 */
import { type ConfigDocument, defaultRetentionDays } from "./ConfigDocument.ts"
import { LOG_FORMATS, MASTER_KEY_MODES } from "./Settings.ts"

export const EMPTY: ConfigDocument = {
  $schema: undefined,
  activeProfile: undefined,
  masterKeyMode: undefined,
  logFormat: undefined,
  clientId: undefined,
  upstream: { extraCaCerts: [], proxy: undefined, noProxy: [], resolve: {}, privateHosts: [] },
  run: { contain: false, write: [], hide: [], allowPorts: [] },
  auditLog: { retentionDays: defaultRetentionDays.auditLog },
  requestLog: { retentionDays: defaultRetentionDays.requestLog }
}

const isAbsentOr = <A extends string>(value: unknown, values: ReadonlyArray<A>): value is A | undefined =>
  value === undefined || values.some((each) => each === value)

/** Undefined if the file has other settings, or is invalid. */
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
  return { ...EMPTY, $schema, activeProfile, logFormat, masterKeyMode }
}
