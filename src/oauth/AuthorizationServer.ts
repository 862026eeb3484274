/** An authorization server, as described by its metadata (RFC 8414) or by a provider definition. */
import * as Schema from "effect/Schema"
import { asHttps } from "./ServerValues.ts"

const text = Schema.optional(Schema.String)
const texts = Schema.optional(Schema.Array(Schema.String))

export const AuthorizationServer = Schema.Struct({
  /** The identifier of the server. Client credentials are stored under it and never sent to another issuer. */
  issuer: Schema.String,
  /** Whether an issuer was stated. Otherwise `issuer` is only a storage key, which is not compared with `iss`. */
  issuerKnown: Schema.Boolean,
  /** Another issuer name that the user has accepted. */
  trustedIssuer: text,
  authorizationEndpoint: text,
  tokenEndpoint: text,
  deviceAuthorizationEndpoint: text,
  /** The endpoint that the device flow polls, if it is not the token endpoint. */
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

/** The extensions of a server from a definition or a stored connection, which announces none. */
export const withoutExtensions = {
  requirePushedAuthorizationRequests: false,
  issParameterSupported: false,
  clientIdMetadataDocumentSupported: false
}

const comparableIssuer = (issuer: unknown): unknown => String(asHttps(issuer)).replace(/([^/])\/$/, "$1")

/**
 * Compares issuers. Ignores a slash at the end, which does not change the address of the metadata (RFC 8414 section 3.1), and the
 * difference between http and https (see `asHttps`).
 */
export const isSameIssuer = (left: unknown, right: string): left is string =>
  typeof left === "string" && comparableIssuer(left) === comparableIssuer(right)

const originOf = (address: string | undefined) => address === undefined ? undefined : new URL(address).origin

/**
 * Whether the user may accept another issuer for the server. Both endpoints must have the same origin: otherwise a server could send
 * the browser to the trusted issuer, and redeem the code at its own endpoint.
 */
export const mayTrustIssuer = ({ authorizationEndpoint, tokenEndpoint }: AuthorizationServer): boolean =>
  originOf(authorizationEndpoint) === originOf(tokenEndpoint)

/**
 * Whether a response may omit `iss`: if the server does not announce that it sends `iss`, or if the user has named the issuer
 * and thereby accepted the omission.
 */
export const mayOmitIssuer = ({ issParameterSupported, issuer, trustedIssuer }: AuthorizationServer): boolean =>
  !issParameterSupported || isSameIssuer(trustedIssuer, issuer)

/** Whether a response or an ID token with this issuer comes from the server. */
export const isIssuer = (iss: unknown, { issuer, trustedIssuer }: AuthorizationServer): boolean =>
  isSameIssuer(iss, issuer) ||
  (trustedIssuer !== undefined && (isSameIssuer(iss, trustedIssuer) || isTenantOf(iss, trustedIssuer)))

/** Whether `iss` is the issuer with a tenant in place of its placeholder, as in ID tokens of Entra ID. */
const isTenantOf = (iss: unknown, issuer: string): boolean => {
  const tenant = typeof iss === "string"
    ? /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\//.exec(iss)?.[1]
    : undefined
  return tenant !== undefined && issuer.includes("/{tenantid}/") && issuer.replace("{tenantid}", tenant) === iss
}
