/** Checking what a person entered for an API-key login. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Problem } from "../domain/Errors.ts"
import type { FieldValues } from "../domain/Placement.ts"
import { credentialFields, placeholderMarker, type ProviderDefinition } from "../domain/Provider.ts"
import { matchesWhole } from "../platform/PatternMatch.ts"

const maxBytes = 4096

/**
 * The trimmed values of every field, or what is wrong with them. Paths are those of a `data` object (`/api_key`), and no
 * message repeats a value. A pattern that takes too long decides nothing: a person must be able to use the key.
 */
export const checkKey = (
  definition: ProviderDefinition,
  data: FieldValues
): Result.Result<FieldValues, ReadonlyArray<Problem>> => {
  const fields = credentialFields(definition)
  const problems: Array<Problem> = Object.keys(data)
    .filter((name) => !fields.some((field) => field.name === name))
    .map((name) => ({ path: `/${name}`, message: "is not a field of this provider" }))
  const values: Record<string, Redacted.Redacted<string>> = {}
  for (const { hint, label, name, pattern } of fields) {
    const tell = (message: string) => problems.push({ path: `/${name}`, message })
    const given = Object.hasOwn(data, name) ? Redacted.value(data[name]!).trim() : ""
    values[name] = Redacted.make(given)
    if (given === "") tell(`${label} is missing`)
    else if (new TextEncoder().encode(given).length > maxBytes) tell(`${label} is longer than ${maxBytes} bytes`)
    // oxlint-disable-next-line no-control-regex -- what breaks a header or a variable is refused where it is entered
    else if (/[\u0000-\u001f\u007f-\u009f]/.test(given)) {
      tell(`${label} holds a line break or another control character`)
    } else if (given.includes(placeholderMarker)) tell(`${label} is a placeholder, not a key`)
    else if (pattern !== undefined && matchesWhole(pattern, given) === "mismatch") {
      tell(hint ?? `the ${label} for ${definition.displayName} does not have the expected form`)
    }
  }
  return problems.length === 0 ? Result.succeed(values) : Result.fail(problems)
}
