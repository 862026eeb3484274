/** Translates failures of an authorization server into errors for a person. */
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { AuthenticationFailedError, EndpointUnreachableError } from "../domain/Errors.ts"
import type { OAuthError, OAuthRejected } from "../oauth/OAuthErrors.ts"
import type { LoginClient } from "./oauth/OAuthState.ts"

const ended = (text: string): string => /[.!?]$/.test(text) ? text : `${text}.`

/** A proven client that is unauthorized here may be valid for another flow, so it is kept (RFC 6749 section 5.2). */
export const refusesClient = ({ error }: OAuthRejected, { unproven }: LoginClient): boolean =>
  error === "invalid_client" || (error === "unauthorized_client" && unproven)

const meanings: Readonly<Record<string, string>> = {
  access_denied: "access was denied",
  invalid_scope: "a requested scope is unknown or not available to this client",
  invalid_client: "the client ID or the client secret is invalid",
  unauthorized_client: "this client may not use this login method",
  invalid_grant: "the code or token has expired or was already used",
  temporarily_unavailable: "the server is temporarily unavailable"
}

const rejection = ({ description, error }: OAuthRejected): string =>
  [`${meanings[error] ?? "the login was refused"} (${error})`, ...(description === undefined ? [] : [description])]
    .join(": ")

/** `endpoint` is the requested URL without its query. */
export const failureOf = (
  { displayName, name }: ProviderDefinition,
  endpoint: string,
  error: OAuthError
): AuthenticationFailedError | EndpointUnreachableError => {
  switch (error._tag) {
    case "OAuthUnavailable":
      return new EndpointUnreachableError({
        endpoint,
        detail: `The request to ${displayName} failed: ${ended(error.detail)} Try again later.`
      })
    case "OAuthRejected":
      return new AuthenticationFailedError({
        provider: name,
        detail: `${displayName} says: ${ended(rejection(error))}`
      })
    case "OAuthUnsafe":
      return new AuthenticationFailedError({
        provider: name,
        detail: `The login to ${displayName} was stopped: ${ended(error.detail)}${
          error.otherIssuer === undefined || !/^https?:\/\/[A-Za-z0-9._~:/-]+$/.test(error.otherIssuer)
            ? ""
            : ` If ${displayName} told you that both are one server, log in with: --trust-issuer ${error.otherIssuer}`
        }`
      })
  }
}
