/** Token revocation (RFC 7009). */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import * as Messages from "./Messages.ts"
import {
  type ClientAuthentication,
  type OAuthClient,
  type ParameterNames,
  parameterRequest,
  type RequestStyle,
  secretsOf
} from "./OAuthClient.ts"
import type { OAuthError } from "./OAuthErrors.ts"
import type { OAuthHttp } from "./OAuthHttp.ts"

export interface RevocationRequest {
  readonly server: AuthorizationServer
  readonly client: OAuthClient
  readonly token: Redacted.Redacted<string>
  readonly hint: "access_token" | "refresh_token"
  readonly style: RequestStyle & {
    readonly revocationAuthentication?: ClientAuthentication | undefined
    /** The member names of a JSON body, for a server that expects one instead of the form of RFC 7009. */
    readonly revocationNames?: ParameterNames | undefined
  }
}

/** Revokes a token. Also succeeds if the server does not know the token, because it is no longer valid either way (section 2.2). */
export const revoke = (request: RevocationRequest): Effect.Effect<void, OAuthError, OAuthHttp> =>
  Effect.gen(function*() {
    const { client, hint, server, style, token } = request
    const endpoint = yield* Messages.endpointOf(server, "revocationEndpoint")
    const { authentication } = client
    const caller = { ...client, authentication: style.revocationAuthentication ?? authentication }
    const { revocationNames: names } = style
    const outgoing = names === undefined
      ? parameterRequest(endpoint, caller, { token, token_type_hint: hint }, style)
      : parameterRequest(endpoint, caller, { [hint]: token }, { ...style, format: "json", names })
    const response = yield* Effect.flatMap(Messages.send(server.reach, outgoing), Messages.requireAnswer)
    if (response.status < 300) return
    yield* Messages.acceptedResponse(response, { secrets: secretsOf(client, token) })
  }).pipe(
    // The error that Google sends for an unknown token.
    Effect.catchTag("OAuthRejected", (rejected) => rejected.error === "invalid_token" ? Effect.void : rejected)
  )
