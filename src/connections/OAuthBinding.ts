/** What the tokens of a connection belong to: who issued them, to which client, and where they may be sent. */
import * as Schema from "effect/Schema"
import { ClientAuthentication } from "../domain/Provider.ts"
import { wire } from "../domain/Wire.ts"

/**
 * Sealed with each OAuth connection as it was at the login, so that a refresh token goes back to where it came from and
 * nowhere else.
 */
export const OAuthBinding = wire({
  issuer: Schema.String,
  tokenEndpoint: Schema.String,
  revocationEndpoint: Schema.NullOr(Schema.String),
  /** RFC 8707, sent again with each refresh. */
  resource: Schema.NullOr(Schema.String),
  clientId: Schema.String,
  clientAuthentication: ClientAuthentication,
  /** Whether the endpoints come from the issuer's metadata rather than from the definition. */
  discovered: Schema.Boolean,
  /** The endpoints were named by a public server, and so may be public addresses only. */
  publicOnly: Schema.Boolean
})
export type OAuthBinding = typeof OAuthBinding.Type
