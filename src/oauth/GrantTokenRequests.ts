/**
 * Requests an access token with stored credentials instead of a refresh token: with the client credentials grant (RFC
 * 6749 section 4.4), with an assertion (RFC 7523), or with a request that is not OAuth.
 *
 * A request invalidates no credential, so it can be repeated if its outcome is unknown.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { valueAt } from "../platform/JsonPointer.ts"
import * as Messages from "./Messages.ts"
import { retryAfter } from "./Messages.ts"
import { parameterRequest, type Parameters } from "./OAuthClient.ts"
import { type OAuthRejected, OAuthUnavailable } from "./OAuthErrors.ts"
import type { OAuthRequest, OAuthResponse } from "./OAuthHttp.ts"
import type { TokenRequestStyle } from "./TokenDialect.ts"
import { endpointOf, type Grant, requestTokens, tokenRequest } from "./TokenEndpoint.ts"

interface ClientCredentialsGrant extends Grant {
  readonly grantType: string
  readonly parameters: Parameters
}

interface AssertionGrant extends Grant {
  readonly assertion: Redacted.Redacted<string>
  readonly parameters: Parameters
}

interface DeclaredGrant extends Grant {
  readonly request: OAuthRequest
  /** The secrets in the request, which no error repeats. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
}

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

const secretsIn = (parameters: Parameters) => Object.values(parameters).filter((value) => Redacted.isRedacted(value))

export const requestByClient = Effect.fnUntraced(function*(grant: ClientCredentialsGrant) {
  const { grantType, parameters } = grant
  const request = tokenRequest(grant, yield* endpointOf(grant), grantType, parameters)
  return yield* requestTokens(grant, request, secretsIn(parameters))
})

export const requestByAssertion = Effect.fnUntraced(function*(grant: AssertionGrant) {
  const { assertion, parameters, style } = grant
  const all = { ...style.params, ...parameters, grant_type: jwtBearer, assertion }
  const request = parameterRequest(yield* endpointOf(grant), undefined, all, { format: style.format })
  return yield* requestTokens(grant, request, secretsIn(all))
})

export const requestByDeclaration = Effect.fnUntraced(function*(grant: DeclaredGrant) {
  const { request, secrets, style } = grant
  yield* endpointOf(grant)
  const refusal = (response: OAuthResponse, nowMillis: number) => refusalOf(response, nowMillis, style, secrets)
  return yield* requestTokens(grant, request, secrets, { refusal })
})

/**
 * The error for an unsuccessful response of a server that does not use OAuth error codes. A `Retry-After` field means
 * that the server limits the rate of requests, as GitHub does with 403.
 */
const refusalOf = (
  response: OAuthResponse,
  nowMillis: number,
  { pointers }: TokenRequestStyle,
  secrets: ReadonlyArray<Redacted.Redacted<string>>
): OAuthRejected | OAuthUnavailable | undefined => {
  const { status } = response
  if (status < 400) return undefined
  const wait = retryAfter(response, nowMillis)
  if (wait.retryAfterSeconds !== undefined) {
    return new OAuthUnavailable({
      reason: "rate_limited",
      detail: `the server asks to wait before the next request (${status})`,
      sent: false,
      ...wait
    })
  }
  const isDenied = status === 401 || status === 403
  const body = Messages.bodyOf(response) ?? {}
  const code = pointers.error === undefined ? undefined : valueAt(body, pointers.error)
  const description = Messages.descriptionOf(
    code === undefined ? { detail: body["error"], ...body } : { detail: code },
    secrets
  )
  return Messages.rejection(isDenied ? "access_denied" : "invalid_request", description, status, secrets)
}

/** Whether the server rejects the stored credentials themselves, so that repeating the request is useless. */
export const refusesCredentials = ({ error, status }: OAuthRejected): boolean =>
  status === 401 || error === "invalid_client" || error === "invalid_grant" || error === "unauthorized_client"
