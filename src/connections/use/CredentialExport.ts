/** Formats the fields of a connection for `export`. Rejects a value that a format cannot represent exactly. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import { exportNames } from "../../domain/definition/ProviderFields.ts"
import type { Exported, ExportFormat } from "../../domain/wire/ConnectionResults.ts"
import { shellQuoted } from "../../platform/ShellQuote.ts"

/**
 * Quotes a value for .env files. Their parsers share no escape sequence, but agree that a quoted value is literal if it
 * does not contain the quote character.
 */
const envQuoted = (value: string): string | undefined => {
  if (/^[A-Za-z0-9_./:@%+,=~-]+$/.test(value)) return value
  if (!value.includes("'")) return `'${value}'`
  // Within double quotes some parsers expand `$` and unescape; a backtick is a quote for some and text for others.
  if (!/["\\$`]/.test(value)) return `"${value}"`
  return value.includes("`") ? undefined : `\`${value}\``
}

const write = (format: ExportFormat, variables: ReadonlyArray<readonly [string, string]>) =>
  Result.gen(function*() {
    if (format === "json") return `${JSON.stringify(Object.fromEntries(variables), null, 2)}\n`
    let output = ""
    for (const [name, value] of variables) {
      const quoted = format === "shell" ? shellQuoted(value) : envQuoted(value)
      if (quoted === undefined) {
        return yield* Result.fail(
          `The value of ${name} cannot be quoted for a .env file. Export it with --format shell or --format json.`
        )
      }
      output += `${format === "shell" ? "export " : ""}${name}=${quoted}\n`
    }
    return output
  })

/** Exports each non-empty field under its first variable name. The failure is a sentence that does not contain the value. */
export const exportCredential = (
  definition: ProviderDefinition,
  values: Readonly<Record<string, Redacted.Redacted<string>>>,
  format: ExportFormat
): Result.Result<Exported, string> =>
  Result.gen(function*() {
    const named = exportNames(definition).flatMap(({ field, primary, variable }) => {
      const value = primary && Object.hasOwn(values, field) ? values[field] : undefined
      return value === undefined ? [] : [[variable, value] as const]
    })
    const opened = named.map(([variable, value]) => [variable, Redacted.value(value)] as const)
    for (const [variable, value] of opened) {
      // oxlint-disable-next-line no-control-regex -- some programs end a line or a string at these characters
      if (/[\u0000\r\n]/.test(value)) {
        return yield* Result.fail(
          `The value of ${variable} contains a line break or a NUL character and cannot be exported.`
        )
      }
    }
    const output = yield* write(format, opened)
    return { format, variables: Object.fromEntries(named), output: Redacted.make(output) }
  })

/** The value if there is only one, or else a JSON object of all values. */
export const revealed = (values: Readonly<Record<string, Redacted.Redacted<string>>>): Redacted.Redacted<string> => {
  const entries = Object.entries(values)
  if (Object.hasOwn(values, "access_token")) return values["access_token"]!
  return entries.length === 1
    ? entries[0]![1]
    : Redacted.make(JSON.stringify(Object.fromEntries(entries.map(([name, value]) => [name, Redacted.value(value)]))))
}
