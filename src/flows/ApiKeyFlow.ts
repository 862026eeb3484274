/** The login by API key: a person enters the fields that the definition declares. The provider is not contacted. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { InputField } from "../domain/AuthSession.ts"
import { InvalidRequestError, OperationNotAllowedError, type Problem } from "../domain/Errors.ts"
import { type FieldValues, placements } from "../domain/Placement.ts"
import { credentialFields, type LoginField, type ProviderDefinition } from "../domain/Provider.ts"
import { jsonPointer } from "../domain/StrictJson.ts"
import { matchesWhole } from "../platform/BoundedPattern.ts"
import type { Flow } from "./Flow.ts"

const MAX_BYTES = 4096

/** Why a value is refused, as the end of a sentence that begins with its place. It never repeats the value (B35). */
const refusal = (field: LoginField, value: string): string | undefined => {
  if (value === "") return "is empty"
  if (new TextEncoder().encode(value).length > MAX_BYTES) return `is longer than ${MAX_BYTES} bytes`
  // oxlint-disable-next-line no-control-regex -- a control character would break a header, a line or a terminal
  if (/[\u0000-\u001f\u007f-\u009f]/.test(value)) return "holds a control character"
  if (field.pattern === undefined) return undefined
  switch (matchesWhole(field.pattern, value)) {
    case "yes":
      return undefined
    case "no":
      return field.hint ?? `does not have the form of the ${field.label} of this provider`
    case "undecided":
      return "could not be checked: the provider's definition has a pattern that takes too long"
  }
}

/** Checks what was entered, and trims it. Every problem is told, at `/data/<field>`. */
export const readFields = (
  definition: ProviderDefinition,
  data: FieldValues
): Result.Result<FieldValues, ReadonlyArray<Problem>> => {
  const fields = credentialFields(definition)
  const problems: Array<Problem> = []
  const tell = (name: string, message: string) => problems.push({ path: jsonPointer(["data", name]), message })
  const values: Record<string, Redacted.Redacted<string>> = {}
  for (const field of fields) {
    const given = Object.hasOwn(data, field.name) ? data[field.name] : undefined
    const value = given === undefined ? "" : Redacted.value(given).trim()
    const problem = given === undefined ? "is missing" : refusal(field, value)
    if (problem === undefined) values[field.name] = Redacted.make(value)
    else tell(field.name, problem)
  }
  for (const name of Object.keys(data)) {
    if (!fields.some((field) => field.name === name)) tell(name, "is not a field of this login")
  }
  if (problems.length > 0) return Result.fail(problems)
  // A value that no request could carry is refused now, not on its first use (D27).
  const entries = definition.authType === "api_key" ? Object.keys(definition.apiKey.perHost) : []
  for (const entry of [undefined, ...entries]) {
    const placed = placements(definition, values, entry)
    if (Result.isFailure(placed)) return Result.fail([{ path: "/data", message: placed.failure }])
  }
  return Result.succeed(values)
}

const inputFields = (definition: ProviderDefinition): ReadonlyArray<InputField> =>
  credentialFields(definition).map((field) => ({
    name: field.name,
    label: field.label,
    secret: field.secret,
    required: true,
    default: null,
    pattern: field.pattern ?? null,
    hint: field.hint ?? null
  }))

export const ApiKeyFlow: Flow = {
  kind: "api_key",
  begin: ({ definition }) =>
    definition.authType === "api_key"
      ? Effect.succeed({
        _tag: "AskInput",
        message: `Enter the API key for ${definition.displayName}.`,
        fields: inputFields(definition),
        state: {}
      })
      : Effect.fail(OperationNotAllowedError.of(`${definition.displayName} does not take API keys.`)),
  receive: ({ definition }, _, event) =>
    event._tag === "Input"
      ? Result.match(readFields(definition, event.data), {
        onFailure: (problems) => Effect.fail(InvalidRequestError.of(problems)),
        onSuccess: (values) => Effect.succeed({ _tag: "Granted" as const, grant: { values } })
      })
      : Effect.fail(OperationNotAllowedError.of("A login by API key takes nothing but the key."))
}
