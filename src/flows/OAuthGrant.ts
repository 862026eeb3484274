import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { AuthenticationFailedError } from "../domain/Errors.ts"
import { learnedBaseUrl } from "../domain/Route.ts"
import type { TokenResponse } from "../oauth/TokenEndpoint.ts"
import type { FlowStep, OAuthLogin } from "./Flow.ts"
import type { LoginClient, OAuthTarget } from "./OAuthState.ts"

const listed = (scopes: ReadonlyArray<string>): string => scopes.join(", ")

/** Providers need not repeat scopes that only shape the response, and a refresh token satisfies `offline_access`. */
const scopeWarning = (
  asked: ReadonlyArray<string>,
  granted: ReadonlyArray<string> | undefined,
  hasRefreshToken: boolean
): string | undefined => {
  if (granted === undefined || asked.length === 0) return undefined
  const implied = (scope: string) =>
    scope === "openid" || (hasRefreshToken && (scope === "offline_access" || scope === "offline"))
  const missing = asked.filter((scope) => !granted.includes(scope) && !implied(scope))
  const further = granted.filter((scope) => !asked.includes(scope))
  const sentences = [
    ...(missing.length === 0 ? [] : [`The provider did not grant these scopes: ${listed(missing)}.`]),
    ...(further.length === 0 ? [] : [`It granted these scopes in addition: ${listed(further)}.`])
  ]
  return sentences.length === 0 ? undefined : sentences.join(" ")
}

const baseUrlOf = (
  { baseUrl, definition }: OAuthLogin,
  returned: string | undefined
): Result.Result<string | null, string> => {
  if (returned !== undefined) return learnedBaseUrl(definition, returned)
  return baseUrl === null && definition.oauth.tokenResponse.baseUrl !== undefined
    ? Result.fail("the provider did not return the address of the account")
    : Result.succeed(baseUrl)
}

export const grantedBy = Effect.fnUntraced(function*(
  request: OAuthLogin,
  { discovered, resource, scopes, server }: OAuthTarget,
  { authentication, credentials, unproven }: LoginClient,
  response: TokenResponse
) {
  const baseUrl = baseUrlOf(request, response.baseUrl)
  if (Result.isFailure(baseUrl)) {
    return yield* new AuthenticationFailedError({
      provider: request.definition.name,
      detail: `The login to ${request.definition.displayName} was stopped: ${baseUrl.failure}.`
    })
  }
  const warning = scopeWarning(scopes, response.scopes, response.refreshToken !== undefined)
  const obtainedAt = DateTime.makeUnsafe(response.requestedAtMillis)
  const step: FlowStep = {
    _tag: "Granted",
    grant: {
      values: { access_token: response.accessToken, client_id: Redacted.make(credentials.clientId) },
      ...(response.refreshToken === undefined ? {} : { refreshToken: response.refreshToken }),
      scopes: response.scopes ?? scopes,
      tokenType: response.tokenType,
      ...(response.expiresInSeconds === undefined
        ? {}
        : { expiresAt: DateTime.add(obtainedAt, { seconds: response.expiresInSeconds }) }),
      obtainedAt,
      account: response.account,
      ...(baseUrl.success === null ? {} : { baseUrl: baseUrl.success }),
      ...(warning === undefined ? {} : { warning }),
      oauth: {
        issuer: server.issuer,
        tokenEndpoint: server.tokenEndpoint!,
        revocationEndpoint: server.revocationEndpoint ?? null,
        resource,
        clientId: credentials.clientId,
        clientAuthentication: authentication,
        discovered,
        publicOnly: server.reach.publicOnly
      },
      ...(unproven ? { client: { issuer: server.issuer, credentials } } : {})
    }
  }
  return step
})
