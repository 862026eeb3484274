/** Validates API keys that the user has entered, or that were found in the environment. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { credentialFields, type LoginField, mainField } from "../domain/definition/ProviderFields.ts"
import { resolveBaseUrl } from "../domain/definition/ProviderHosts.ts"
import type { Problem } from "../domain/Errors.ts"
import { holdsPlaceholder } from "../domain/injection/Placeholder.ts"
import { exactPlaceholders, type FieldValues, placements } from "../domain/injection/Placement.ts"
import { matchesWhole } from "../platform/PatternMatch.ts"

const maxBytes = 4096

/** Describes the problem with a value, without repeating it. A pattern that times out does not make a valid key unusable. */
export const fieldProblem = (
  definition: ProviderDefinition,
  { hint, label, pattern, required }: LoginField,
  value: Redacted.Redacted<string>
): string | undefined => {
  const given = Redacted.value(value).trim()
  if (given === "") return required ? `${label} is missing` : undefined
  if (new TextEncoder().encode(given).length > maxBytes) return `${label} is longer than ${maxBytes} bytes`
  // oxlint-disable-next-line no-control-regex -- characters that break a header or a variable are rejected on input
  if (/[\u0000-\u001f\u007f-\u009f]/.test(given)) return `${label} contains a line break or another control character`
  if (holdsPlaceholder(given, exactPlaceholders(definition))) return `${label} is a placeholder, not a key`
  if (pattern === undefined || matchesWhole(pattern, given) !== "mismatch") return undefined
  if (/^["']|^(?:export )?[A-Z][A-Z0-9_]*=./.test(given)) return `${label} must not include a variable name or quotes`
  return hint === undefined
    ? `the ${label} for ${definition.displayName} must match ${pattern}, see: credsvc inspect ${definition.name}`
    : `${label} has an unexpected format: ${hint}`
}

/** Reads and trims the entered value of each field. Fails with all problems, at paths `/data/<field>` and without any value. */
export const readFields = <Field extends { readonly name: string }>(
  fields: ReadonlyArray<Field>,
  data: FieldValues,
  read: (field: Field, text: string) => Result.Result<Readonly<Record<string, string>>, string>
): Result.Result<FieldValues, ReadonlyArray<Problem>> => {
  const problems: Array<Problem> = Object.keys(data)
    .filter((name) => !fields.some((field) => field.name === name))
    .map((name) => ({ path: `/data/${name}`, message: "is not a field of this login" }))
  const values: Record<string, Redacted.Redacted<string>> = {}
  for (const field of fields) {
    const found = read(field, Object.hasOwn(data, field.name) ? Redacted.value(data[field.name]!).trim() : "")
    if (Result.isFailure(found)) problems.push({ path: `/data/${field.name}`, message: found.failure })
    else for (const [name, value] of Object.entries(found.success)) values[name] = Redacted.make(value)
  }
  return problems.length === 0 ? Result.succeed(values) : Result.fail(problems)
}

/** Reads the fields of a login, and checks them with `fieldProblem`. */
export const readLogin = (definition: ProviderDefinition, fields: ReadonlyArray<LoginField>, data: FieldValues) =>
  readFields(fields, data, (field, text) => {
    const problem = fieldProblem(definition, field, Redacted.make(text))
    return problem === undefined ? Result.succeed(text === "" ? {} : { [field.name]: text }) : Result.fail(problem)
  })

export const checkKey = (definition: ProviderDefinition, data: FieldValues) =>
  readLogin(definition, credentialFields(definition), data)

/** The base URL of the only region whose pattern matches the key, or null. */
export const baseUrlOfKey = (definition: ProviderDefinition, values: FieldValues): string | null => {
  const main = mainField(definition)
  const key = Object.hasOwn(values, main) ? Redacted.value(values[main]!) : ""
  const [found, other] = definition.regions.filter(({ keyPattern }) =>
    keyPattern !== undefined && matchesWhole(keyPattern, key) === "match"
  )
  return found === undefined || other !== undefined
    ? null
    : Result.getOrElse(resolveBaseUrl(definition, found.name), () => null)
}

/** Checks a key, and that requests can carry its values, so that an unusable value is rejected now and not on its first use. */
export const checkCredential = (
  definition: ProviderDefinition,
  data: FieldValues
): Result.Result<FieldValues, ReadonlyArray<Problem>> =>
  Result.gen(function*() {
    const values = yield* checkKey(definition, data)
    const entries = definition.authType === "api_key" ? Object.keys(definition.apiKey.perHost) : []
    for (const entry of [undefined, ...entries]) {
      yield* Result.mapError(placements(definition, values, entry), (message) => [{ path: "/data", message }])
    }
    return values
  })
