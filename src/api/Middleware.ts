/** Middleware shared by the operations, declared here and implemented in `server/`. */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import {
  InvalidRequestError,
  OperationNotAllowedError,
  UnexpectedError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import type { CurrentProfile } from "../domain/wire/Profile.ts"

/** Converts a decoding failure to `InvalidRequestError`, and a defect to `UnexpectedError` without its cause. */
export class RequestProblems extends HttpApiMiddleware.Service<RequestProblems>()("credsvc/api/RequestProblems", {
  error: [InvalidRequestError, UnexpectedError]
}) {}

/** Selects the profile of a request: the profile in the `Credsvc-Profile` header, or the active profile. */
export class ProfileSelection extends HttpApiMiddleware.Service<ProfileSelection, {
  provides: CurrentProfile
}>()("credsvc/api/ProfileSelection", {
  error: [OperationNotAllowedError, InvalidRequestError, VaultUnavailableError]
}) {}
