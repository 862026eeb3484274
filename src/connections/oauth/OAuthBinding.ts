import * as Schema from "effect/Schema"
import { ClientAuthentication } from "../../domain/definition/Provider.ts"
import { wire } from "../../domain/wire/Wire.ts"
import type { AuthorizationServer } from "../../oauth/AuthorizationServer.ts"
import type { OAuthClient } from "../../oauth/OAuthClient.ts"

/** The issuer and client of a login, sealed with the connection: a refresh token goes only to its issuer. */
export const OAuthBinding = wire({
  issuer: Schema.String,
  /** Another name of the issuer, which the user accepted for this connection. */
  trustedIssuer: Schema.optional(Schema.String),
  tokenEndpoint: Schema.String,
  revocationEndpoint: Schema.NullOr(Schema.String),
  /** Resource indicator (RFC 8707), repeated in each refresh. */
  resource: Schema.NullOr(Schema.String),
  /** Whether the user has chosen to send no resource indicator, and to accept metadata for a different resource. */
  noResource: Schema.optional(Schema.Literal(true)),
  clientId: Schema.String,
  clientAuthentication: ClientAuthentication,
  /** Whether the endpoints come from the issuer's metadata rather than from the definition. */
  discovered: Schema.Boolean,
  /** Whether a public server named these endpoints, so that they must resolve to public addresses. */
  publicOnly: Schema.Boolean
})
export type OAuthBinding = typeof OAuthBinding.Type

/** The binding to a server and a client. `more`: what the user or the metadata of the server has determined. */
export const bindingTo = (
  { issuer, reach, revocationEndpoint, tokenEndpoint, trustedIssuer }: AuthorizationServer,
  { authentication, clientId }: Pick<OAuthClient, "authentication" | "clientId">,
  more: Partial<Pick<OAuthBinding, "discovered" | "noResource" | "resource">> = {}
): OAuthBinding => ({
  issuer,
  trustedIssuer,
  tokenEndpoint: tokenEndpoint!,
  revocationEndpoint: revocationEndpoint ?? null,
  resource: null,
  clientId,
  clientAuthentication: authentication,
  discovered: false,
  publicOnly: reach.publicOnly,
  ...more
})
