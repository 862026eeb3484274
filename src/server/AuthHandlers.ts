import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../api/Api.ts"
import { OperationNotAllowedError, SessionNotFoundError } from "../domain/Errors.ts"

const notYet = Effect.fail(OperationNotAllowedError.of("Logins are not available in this build of the daemon yet."))

export const AuthHandlers = HttpApiBuilder.group(Api, "auth", (handlers) =>
  handlers.handleAll({
    start: () => notYet,
    get: () => Effect.fail(SessionNotFoundError.of()),
    resume: () => Effect.fail(SessionNotFoundError.of()),
    cancel: () => Effect.fail(SessionNotFoundError.of())
  }))
