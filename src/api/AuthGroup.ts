/** Operations on auth sessions. The HTML pages of a login are separate (`LoginPages.ts`). */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import {
  AuthenticationFailedError,
  ConnectionAlreadyExistsError,
  EndpointUnreachableError,
  InputCancelledError,
  InvalidRequestError,
  OperationNotAllowedError,
  ProviderNotFoundError,
  RequestRefusedError,
  SessionExpiredError,
  SessionNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { AuthSession, SessionId, StartLogin } from "../domain/wire/AuthSession.ts"
import { struct } from "../domain/wire/Wire.ts"
import { forAnyone, forProfile, matching, optional, ProfileSelection, titled } from "./OperationParts.ts"

const sessionParams = { session_id: SessionId }

export const LoginInput = struct("LoginInput", "The values that a login asked for", {
  data: [Schema.Record(Schema.String, Schema.RedactedFromValue(Schema.String)), "The values, by the name of the field"]
})

export class AuthGroup extends HttpApiGroup.make("auth")
  .add(
    forProfile(
      "Start a login",
      "`next_action` in the response is the next step: enter values, open a page of the provider, or enter a " +
        "code there. A login can have several steps, with ten minutes for each; a code has its own lifetime of at most half an " +
        "hour. An auth session serves one login and survives a restart of the daemon."
    ).post("start", "/auth/sessions", {
      payload: StartLogin,
      success: AuthSession.pipe(HttpApiSchema.status(201)),
      error: [
        InvalidRequestError,
        ProviderNotFoundError,
        OperationNotAllowedError,
        ConnectionAlreadyExistsError,
        AuthenticationFailedError,
        EndpointUnreachableError,
        RequestRefusedError,
        VaultUnavailableError
      ]
    }),
    forAnyone(
      "Read an auth session",
      "With `wait`, responds when the status changes or after that many seconds, at most 30."
    ).get("get", "/auth/sessions/:session_id", {
      params: sessionParams,
      query: {
        wait: optional(matching(/^\d{1,6}$/u, "a number of seconds"), "The seconds to wait for a change, at most 30")
      },
      success: AuthSession,
      error: [SessionNotFoundError, SessionExpiredError, RequestRefusedError, VaultUnavailableError]
    }),
    forProfile(
      "Continue an auth session",
      "Submits the values that `next_action` asked for, keyed by field name. If a value is rejected, the session stays open."
    ).post("resume", "/auth/sessions/:session_id/resume", {
      params: sessionParams,
      payload: LoginInput,
      success: AuthSession,
      error: [
        SessionNotFoundError,
        SessionExpiredError,
        InvalidRequestError,
        AuthenticationFailedError,
        InputCancelledError,
        OperationNotAllowedError,
        ConnectionAlreadyExistsError,
        EndpointUnreachableError,
        VaultUnavailableError
      ]
    }),
    forProfile(
      "Cancel an auth session",
      "Ends the session without a connection. The result of a step that is in progress at the provider is discarded."
    ).delete("cancel", "/auth/sessions/:session_id", {
      params: sessionParams,
      success: AuthSession,
      error: [SessionNotFoundError, SessionExpiredError, VaultUnavailableError]
    })
  )
  .middleware(ProfileSelection)
  .annotateMerge(titled("Auth sessions", "Logins in progress."))
{}
