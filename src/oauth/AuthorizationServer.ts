/** An authorization server, as described by its metadata (RFC 8414) or by a provider definition. */
import * as Schema from "effect/Schema"

const text = Schema.optional(Schema.String)
const texts = Schema.optional(Schema.Array(Schema.String))

export const AuthorizationServer = Schema.Struct({
  /** The identifier of the server. Client credentials are stored under it and never sent to another issuer. */
  issuer: Schema.String,
  /** False if no issuer was stated and `issuer` is only a storage key; then `iss` cannot be compared. */
  issuerKnown: Schema.Boolean,
  /** Another name of the issuer, which the user has accepted. */
  trustedIssuer: text,
  authorizationEndpoint: text,
  tokenEndpoint: text,
  deviceAuthorizationEndpoint: text,
  /** The polling endpoint of the device flow, if it is not the token endpoint. */
  deviceTokenEndpoint: text,
  revocationEndpoint: text,
  registrationEndpoint: text,
  pushedAuthorizationRequestEndpoint: text,
  requirePushedAuthorizationRequests: Schema.Boolean,
  /** Whether the server announces the `iss` parameter (RFC 9207). */
  issParameterSupported: Schema.Boolean,
  codeChallengeMethods: texts,
  tokenEndpointAuthMethods: texts,
  grantTypes: texts,
  scopesSupported: texts,
  clientIdMetadataDocumentSupported: Schema.Boolean,
  reach: Schema.Struct({ allowLoopback: Schema.Boolean, publicOnly: Schema.Boolean })
})
export type AuthorizationServer = typeof AuthorizationServer.Type

/** The server of a definition or of a stored connection, which announces no extension. */
export const withoutExtensions = {
  requirePushedAuthorizationRequests: false,
  issParameterSupported: false,
  clientIdMetadataDocumentSupported: false
}

const withoutSlash = (issuer: string): string => issuer.replace(/^(https?:\/\/[^/?#]+)\/$/, "$1")

/** An empty path equals `/` (RFC 3986 section 6.2.3). Any other difference distinguishes issuers. */
export const isSameIssuer = (left: unknown, right: string): left is string =>
  typeof left === "string" && withoutSlash(left) === withoutSlash(right)

const originOf = (address: string | undefined) => address === undefined ? undefined : new URL(address).origin

/** Otherwise a server could send the browser to the trusted issuer, and redeem its code elsewhere. */
export const mayTrustIssuer = ({ authorizationEndpoint, tokenEndpoint }: AuthorizationServer): boolean =>
  originOf(authorizationEndpoint) === originOf(tokenEndpoint)

/**
 * Whether a response may omit its issuer: the server announces `iss` but does not send it, and the user has named the
 * issuer.
 */
export const mayOmitIssuer = ({ issParameterSupported, issuer, trustedIssuer }: AuthorizationServer): boolean =>
  !issParameterSupported || isSameIssuer(trustedIssuer, issuer)

/** Whether a response or an identity token that names this issuer is from the server. */
export const isIssuer = (iss: unknown, { issuer, trustedIssuer }: AuthorizationServer): boolean =>
  isSameIssuer(iss, issuer) ||
  (trustedIssuer !== undefined && (isSameIssuer(iss, trustedIssuer) || isTenantOf(iss, trustedIssuer)))

/** Entra ID names all tenants in its metadata, and one of them in an identity token. */
const isTenantOf = (iss: unknown, issuer: string): boolean => {
  const tenant = typeof iss === "string"
    ? /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\//.exec(iss)?.[1]
    : undefined
  return tenant !== undefined && issuer.includes("/{tenantid}/") && issuer.replace("{tenantid}", tenant) === iss
}
