/** The API key login: the user enters the fields that the definition declares. The provider is not contacted. */
import * as Effect from "effect/Effect"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import { checkCredential } from "../providers/KeyCheck.ts"
import { type Flow, inputFields, unexpectedEvent, validInput } from "./Flow.ts"

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
      ? Effect.map(
        validInput(checkCredential(definition, event.data)),
        (values) => ({ _tag: "Granted" as const, grant: { values } })
      )
      : Effect.fail(unexpectedEvent())
}
