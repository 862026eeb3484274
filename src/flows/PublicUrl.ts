/** Where a browser finds the pages of this daemon. Whoever listens supplies it: only then the port is known. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { OAuthSection } from "../domain/Provider.ts"

export class PublicUrl extends Context.Service<PublicUrl, {
  /** Scheme, host and port; never taken from a request. */
  readonly origin: string
}>()("credsvc/flows/PublicUrl") {
  static readonly layerOf = (origin: string): Layer.Layer<PublicUrl> => Layer.succeed(PublicUrl, { origin })
}

/**
 * The one redirect URI of this daemon for a provider. The literal address is the rule (RFC 8252 section 8.3);
 * a definition may ask for the name instead, under which the same listener answers.
 */
export const redirectUriOf = (origin: string, host: OAuthSection["redirectHost"]): string =>
  `${host === "localhost" ? origin.replace("//127.0.0.1:", "//localhost:") : origin}/auth/callback/oauth`
