/** The public base URL of this daemon's pages. The listener supplies it, because only the listener knows the port. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { OAuthSection } from "../domain/definition/Provider.ts"
import { isLoopback } from "../platform/sockets/IpAddress.ts"

export class PublicUrl extends Context.Service<PublicUrl, {
  /** Scheme, host, port and path, without a slash at the end; never taken from a request. */
  readonly baseUrl: string
}>()("credsvc/flows/PublicUrl") {
  static readonly layerOf = (baseUrl: string): Layer.Layer<PublicUrl> => Layer.succeed(PublicUrl, { baseUrl })
}

/** Whether the base URL leads to this machine. */
export const isOfThisMachine = (baseUrl: string): boolean => {
  const { hostname, protocol } = new URL(baseUrl)
  return protocol === "http:" && isLoopback(hostname)
}

/**
 * Returns the redirect URI of this daemon for a provider. It uses the loopback IP literal (RFC 8252 section 8.3),
 * unless the definition or the login requires `localhost`.
 */
export const redirectUriOf = (baseUrl: string, host: OAuthSection["redirectHost"]): string =>
  `${host === "localhost" ? baseUrl.replace("//127.0.0.1:", "//localhost:") : baseUrl}/auth/callback/oauth`
