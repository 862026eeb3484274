/** What is known of an authorization server, from its metadata (RFC 8414) or from a provider definition. */
import type { Reach } from "./OAuthHttp.ts"

export interface AuthorizationServer {
  /** The identifier of the server. Client credentials are kept by it, and never used at another one. */
  readonly issuer: string
  /** False when nobody stated an issuer, and `issuer` is merely a key: then there is nothing to compare `iss` with. */
  readonly issuerKnown: boolean
  readonly authorizationEndpoint?: string
  readonly tokenEndpoint?: string
  readonly deviceAuthorizationEndpoint?: string
  /** Where a device flow polls, when not at the token endpoint. */
  readonly deviceTokenEndpoint?: string
  readonly revocationEndpoint?: string
  readonly registrationEndpoint?: string
  readonly pushedAuthorizationRequestEndpoint?: string
  readonly requirePushedAuthorizationRequests: boolean
  /** Whether every authorization response names its issuer (RFC 9207). */
  readonly issParameterSupported: boolean
  /** Absent when the server does not tell. */
  readonly codeChallengeMethods?: ReadonlyArray<string>
  readonly tokenEndpointAuthMethods?: ReadonlyArray<string>
  readonly grantTypes?: ReadonlyArray<string>
  readonly scopesSupported?: ReadonlyArray<string>
  /** Whether a `client_id` may be the URL of a document that describes the client. */
  readonly clientIdMetadataDocumentSupported: boolean
  /** For requests to these endpoints. */
  readonly reach: Reach
}
