/**
 * Reads a plain `config.json`, which has only the settings below, without loading `effect`'s Schema.
 *
 * Most files are plain, and every run reads the file before its command starts (docs/decisions/0022-start-of-a-run.md).
 * `ConfigFormat` reads other files, and reports problems.
 */
import { LOG_FORMATS, MASTER_KEY_MODES } from "../Settings.ts"
import { type ConfigDocument, defaults } from "./ConfigDocument.ts"

type IsValid = (value: unknown) => boolean

/** The settings of a plain file, by their names in the file, with their names in the program. */
const plain = new Map<string, readonly [name: string, isValid: IsValid]>([
  ["$schema", ["$schema", (value) => typeof value === "string"]],
  ["version", ["version", (value) => value === 1]],
  ["active_profile", ["activeProfile", (value) => typeof value === "string" && value !== ""]],
  ["log_format", ["logFormat", (value) => LOG_FORMATS.some((format) => format === value)]],
  ["master_key_mode", ["masterKeyMode", (value) => MASTER_KEY_MODES.some((mode) => mode === value)]]
])

/** Reads a plain file. Returns undefined for any other file, and for an invalid one. */
export const readPlainConfig = (bytes: Uint8Array): ConfigDocument | undefined => {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined
  const settings: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(json)) {
    const [name, isValid] = plain.get(key) ?? []
    if (name === undefined || isValid?.(value) !== true) return undefined
    settings[name] = value
  }
  return { ...defaults, ...settings }
}
