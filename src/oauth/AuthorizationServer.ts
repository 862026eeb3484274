/** An authorization server, as described by its metadata (RFC 8414) or by a provider definition. */
import { isSameIssuer } from "./Endpoint.ts"
import type { Reach } from "./OAuthHttp.ts"

export interface AuthorizationServer {
  /** The identifier of the server. Client credentials are stored under it and never sent to another issuer. */
  readonly issuer: string
  /** False if no issuer was stated and `issuer` is only a storage key; then `iss` cannot be compared. */
  readonly issuerKnown: boolean
  /** Another name of the issuer, which the user has accepted. */
  readonly trustedIssuer?: string
  readonly authorizationEndpoint?: string
  readonly tokenEndpoint?: string
  readonly deviceAuthorizationEndpoint?: string
  /** The polling endpoint of the device flow, if it is not the token endpoint. */
  readonly deviceTokenEndpoint?: string
  readonly revocationEndpoint?: string
  readonly registrationEndpoint?: string
  readonly pushedAuthorizationRequestEndpoint?: string
  readonly requirePushedAuthorizationRequests: boolean
  /** Whether the server announces the `iss` parameter (RFC 9207). */
  readonly issParameterSupported: boolean
  readonly codeChallengeMethods?: ReadonlyArray<string>
  readonly tokenEndpointAuthMethods?: ReadonlyArray<string>
  readonly grantTypes?: ReadonlyArray<string>
  readonly scopesSupported?: ReadonlyArray<string>
  readonly clientIdMetadataDocumentSupported: boolean
  readonly reach: Reach
}

/** Whether a response or an identity token that names this issuer is from the server. */
export const isIssuer = (iss: unknown, { issuer, trustedIssuer }: AuthorizationServer): boolean =>
  isSameIssuer(iss, issuer) || (trustedIssuer !== undefined && isSameIssuer(iss, trustedIssuer))
