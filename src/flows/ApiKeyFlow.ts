/** The API key login: a person enters the fields that the definition declares. The provider is not contacted. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { credentialFields, type LoginField } from "../domain/definition/ProviderFields.ts"
import { InvalidRequestError, OperationNotAllowedError, type Problem } from "../domain/Errors.ts"
import type { FieldValues } from "../domain/injection/Placement.ts"
import type { InputField } from "../domain/wire/AuthSession.ts"
import { checkCredential } from "../providers/KeyCheck.ts"
import type { Flow } from "./Flow.ts"

/** The trimmed values, or all problems at `/data/<field>`. No message contains a value. */
export const readFields = (
  definition: ProviderDefinition,
  data: FieldValues
): Result.Result<FieldValues, ReadonlyArray<Problem>> =>
  Result.mapError(
    checkCredential(definition, data),
    (problems) => problems.map(({ message, path }) => ({ path: `/data${path}`, message }))
  )

export const inputOf = (field: LoginField): InputField => ({
  name: field.name,
  label: field.label,
  secret: field.secret,
  required: field.required,
  default: null,
  pattern: field.pattern ?? null,
  hint: field.hint ?? null
})

export const inputFields = (definition: ProviderDefinition): ReadonlyArray<InputField> =>
  credentialFields(definition).map(inputOf)

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
      : Effect.fail(OperationNotAllowedError.of(`${definition.displayName} does not use API keys.`)),
  receive: ({ definition }, _, event) =>
    event._tag === "Input"
      ? Result.match(readFields(definition, event.data), {
        onFailure: (problems) => Effect.fail(InvalidRequestError.of(problems)),
        onSuccess: (values) => Effect.succeed({ _tag: "Granted" as const, grant: { values } })
      })
      : Effect.fail(OperationNotAllowedError.of("A login by API key accepts only the key."))
}
