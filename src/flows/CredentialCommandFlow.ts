/** The login with a program of the user that prints a credential. The daemon runs the program again when the credential expires. */
import * as Effect from "effect/Effect"
import { runCredentialCommand } from "../connections/grants/CredentialCommands.ts"
import { AuthenticationFailedError, OperationNotAllowedError } from "../domain/Errors.ts"
import type { Flow, FlowStep } from "./Flow.ts"

export const CredentialCommandFlow: Flow = {
  kind: "credential_command",
  begin: Effect.fn("CredentialCommandFlow.begin")(function*({ command, definition }) {
    if (definition.authType !== "api_key" || command === undefined) {
      return yield* OperationNotAllowedError.of(`${definition.displayName} has no credential command.`)
    }
    const { expiresAt, obtainedAt, values } = yield* Effect.mapError(
      runCredentialCommand(definition, command),
      ({ message: detail }) => new AuthenticationFailedError({ provider: definition.name, detail })
    )
    const step: FlowStep = { _tag: "Granted", grant: { values, obtainedAt, expiresAt, command } }
    return step
  }),
  receive: () => Effect.fail(OperationNotAllowedError.of("A login with a credential command expects no input."))
}
