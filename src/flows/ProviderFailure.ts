/** Translates failures of an authorization server into errors for the user. */
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { AuthenticationFailedError, EndpointUnreachableError } from "../domain/Errors.ts"
import type { OAuthError, OAuthRejected, OAuthUnsafe } from "../oauth/OAuthErrors.ts"
import type { LoginClient } from "./oauth/OAuthState.ts"

const withFullStop = (text: string): string => /[.!?]$/.test(text) ? text : `${text}.`

/**
 * Whether to replace the client. An entered client that has worked is kept, because other flows may accept it (RFC 6749 section
 * 5.2). A registered client may be limited to the grants and scopes of its registration.
 */
export const refusesClient = ({ error }: OAuthRejected, { credentials, unproven }: LoginClient): boolean =>
  error === "invalid_client" || (error === "unauthorized_client" && unproven) ||
  (["invalid_scope", "unauthorized_client"].includes(error) && credentials.source === "registered" && !unproven)

const meanings: Readonly<Record<string, string>> = {
  access_denied: "access was denied",
  invalid_scope: "a requested scope is unknown or not available to this client",
  invalid_client: "the client ID or the client secret is invalid",
  unauthorized_client: "this client may not use this login method",
  invalid_grant: "the code or token has expired or was already used",
  server_error: "the server reported an internal error",
  temporarily_unavailable: "the server is temporarily unavailable"
}

const rejection = ({ description, error }: OAuthRejected): string =>
  [`${meanings[error] ?? "the login was refused"} (${error})`, ...(description === undefined ? [] : [description])]
    .join(": ")

const remedies = {
  issuer: "If its documentation names another server for logins, log in with: --trust-issuer <url>",
  pkce: "If its documentation says that it supports PKCE, log in with your own OAuth app: --flow pkce",
  resource: "If both addresses belong to one server, log in without naming the resource: --no-resource"
}

/** The command line option that would allow the login. Users paste it into a shell. */
const remedyOf = (displayName: string, { lacks, otherIssuer = "" }: OAuthUnsafe): string => {
  if (lacks !== undefined && lacks !== "iss") return ` ${remedies[lacks]}`
  if (!/^https?:\/\/[A-Za-z0-9._~:/{}-]+$/.test(otherIssuer)) return ""
  const issuer = otherIssuer.includes("{") ? `'${otherIssuer}'` : otherIssuer
  const told = lacks === "iss" ? "is known to omit this parameter" : "told you that both are one server"
  return ` If ${displayName} ${told}, log in with: --trust-issuer ${issuer}`
}

/** The error for a login that the provider or credsvc has stopped. */
export const stoppedLogin = ({ name: provider }: ProviderDefinition, detail: string): AuthenticationFailedError =>
  new AuthenticationFailedError({ provider, detail })

/** The error for the user. `endpoint` is the requested URL without its query. */
export const failureOf = (
  definition: ProviderDefinition,
  endpoint: string,
  error: OAuthError
): AuthenticationFailedError | EndpointUnreachableError => {
  const { displayName } = definition
  switch (error._tag) {
    case "OAuthUnavailable": {
      const isUnknown = error.detail.includes("(ENOTFOUND)")
      const remedy = isUnknown ? "Check the spelling of the name, and your network." : "Try again later."
      const detail = `The request to ${displayName} failed: ${withFullStop(error.detail)} ${remedy}`
      return new EndpointUnreachableError({ endpoint, detail })
    }
    case "OAuthRejected":
      return stoppedLogin(definition, `${displayName} says: ${withFullStop(rejection(error))}`)
    case "OAuthUnsafe": {
      const remedy = remedyOf(displayName, error)
      return stoppedLogin(definition, `The login to ${displayName} was stopped: ${withFullStop(error.detail)}${remedy}`)
    }
  }
}
