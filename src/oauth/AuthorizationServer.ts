/** An authorization server, as described by its metadata (RFC 8414) or by a provider definition. */
import type { Reach } from "./OAuthHttp.ts"

export interface AuthorizationServer {
  /** The identifier of the server. Client credentials are stored under it and never sent to another issuer. */
  readonly issuer: string
  /** False if no issuer was stated and `issuer` is only a storage key; then `iss` cannot be compared. */
  readonly issuerKnown: boolean
  readonly authorizationEndpoint?: string
  readonly tokenEndpoint?: string
  readonly deviceAuthorizationEndpoint?: string
  /** The polling endpoint of the device flow, if it is not the token endpoint. */
  readonly deviceTokenEndpoint?: string
  readonly revocationEndpoint?: string
  readonly registrationEndpoint?: string
  readonly pushedAuthorizationRequestEndpoint?: string
  readonly requirePushedAuthorizationRequests: boolean
  /** Whether every authorization response contains `iss` (RFC 9207). */
  readonly issParameterSupported: boolean
  /** Absent if the server does not list them. */
  readonly codeChallengeMethods?: ReadonlyArray<string>
  readonly tokenEndpointAuthMethods?: ReadonlyArray<string>
  readonly grantTypes?: ReadonlyArray<string>
  readonly scopesSupported?: ReadonlyArray<string>
  /** Whether a `client_id` may be the URL of a client ID metadata document. */
  readonly clientIdMetadataDocumentSupported: boolean
  /** Which addresses requests to these endpoints may reach. */
  readonly reach: Reach
}
