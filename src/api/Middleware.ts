/** What every operation has in common: declared here, implemented in `server/`. */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import {
  InvalidRequestError,
  OperationNotAllowedError,
  UnexpectedError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import type { CurrentProfile } from "../domain/Profile.ts"

/** Turns a request that fails decoding into `InvalidRequestError`, and a defect into `UnexpectedError` without its cause. */
export class RequestProblems extends HttpApiMiddleware.Service<RequestProblems>()("credsvc/api/RequestProblems", {
  error: [InvalidRequestError, UnexpectedError]
}) {}

/** Selects the profile of a request: the one in the `Credsvc-Profile` header, or the active profile without the header. */
export class ProfileSelection extends HttpApiMiddleware.Service<ProfileSelection, {
  provides: CurrentProfile
}>()("credsvc/api/ProfileSelection", {
  error: [OperationNotAllowedError, InvalidRequestError, VaultUnavailableError]
}) {}
