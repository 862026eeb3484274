/** Token revocation (RFC 7009). */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as oauth from "oauth4webapi"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import * as Messages from "./Messages.ts"
import { authenticate, type OAuthClient } from "./OAuthClient.ts"
import type { OAuthError } from "./OAuthErrors.ts"
import type { OAuthHttp } from "./OAuthHttp.ts"
import { record } from "./RecordedRequest.ts"
import { inFormat, type ParameterNames, type TokenRequestStyle } from "./TokenDialect.ts"

export interface RevocationRequest {
  readonly server: AuthorizationServer
  readonly client: OAuthClient
  readonly token: Redacted.Redacted<string>
  readonly hint: "access_token" | "refresh_token"
  readonly format: TokenRequestStyle["format"]
  readonly names?: ParameterNames
}

/** Succeeds also if the server does not know the token: either way it is no longer valid (section 2.2). */
export const revoke = (request: RevocationRequest): Effect.Effect<void, OAuthError, OAuthHttp> =>
  Effect.gen(function*() {
    const { client, format, hint, names, server, token } = request
    const endpoint = yield* Messages.endpoint("revocation endpoint", server.revocationEndpoint, server.reach)
    const outgoing = yield* record((recording) =>
      oauth.revocationRequest(
        { issuer: server.issuer, revocation_endpoint: endpoint },
        { client_id: client.clientId },
        authenticate(client),
        Redacted.value(token),
        { ...recording, additionalParameters: { token_type_hint: hint } }
      )
    )
    const response = yield* Effect.flatMap(
      Messages.send(server.reach, inFormat(outgoing, format, names)),
      Messages.settled
    )
    if (response.status < 300) return
    const secrets = client.clientSecret === undefined ? [token] : [token, client.clientSecret]
    yield* Messages.accepted(response, { secrets })
  }).pipe(
    // Google's error for an unknown token.
    Effect.catchTag("OAuthRejected", (rejected) => rejected.error === "invalid_token" ? Effect.void : rejected)
  )
