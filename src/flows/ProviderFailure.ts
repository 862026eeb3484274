/** What a person is told when an authorization server does not do its part. */
import { AuthenticationFailedError, EndpointUnreachableError } from "../domain/Errors.ts"
import type { ProviderDefinition } from "../domain/Provider.ts"
import type { OAuthError, OAuthRejected } from "../oauth/OAuthErrors.ts"
import type { LoginClient } from "./OAuthState.ts"

const ended = (text: string): string => /[.!?]$/.test(text) ? text : `${text}.`

/**
 * Whether another client would do better (RFC 6749 section 5.2). One that has worked and is not authorized now may be right
 * for another flow, and is not given up for that.
 */
export const refusesClient = ({ error }: OAuthRejected, { unproven }: LoginClient): boolean =>
  error === "invalid_client" || (error === "unauthorized_client" && unproven)

const meanings: Readonly<Record<string, string>> = {
  access_denied: "the access was not granted",
  invalid_scope: "it does not know one of the scopes that were asked for, or does not grant it to this client",
  invalid_client: "it does not accept the client id and the client secret",
  unauthorized_client: "it does not let this client log in this way",
  invalid_grant: "the answer came too late, or was used already",
  temporarily_unavailable: "it is not available at the moment"
}

const rejection = ({ description, error }: OAuthRejected): string =>
  [`${meanings[error] ?? "the login was refused"} (${error})`, ...(description === undefined ? [] : [description])]
    .join(": ")

/** `endpoint` is the address that was asked, without its query. */
export const failureOf = (
  { displayName, name }: ProviderDefinition,
  endpoint: string,
  error: OAuthError
): AuthenticationFailedError | EndpointUnreachableError => {
  switch (error._tag) {
    case "OAuthUnavailable":
      return new EndpointUnreachableError({
        endpoint,
        detail: `${displayName} could not be asked: ${ended(error.detail)} Try again later.`
      })
    case "OAuthRejected":
      return new AuthenticationFailedError({
        provider: name,
        detail: `${displayName} says: ${ended(rejection(error))}`
      })
    case "OAuthUnsafe":
      return new AuthenticationFailedError({
        provider: name,
        detail: `The login to ${displayName} was stopped: ${ended(error.detail)}`
      })
  }
}
