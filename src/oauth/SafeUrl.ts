/** Validates URLs: endpoints to which requests are sent, and links that a browser opens. */
import { isLoopbackLiteral } from "../platform/sockets/IpAddress.ts"
import type { Reach } from "./OAuthHttp.ts"

const MAX_LENGTH = 8192

/** Parses an https URL without userinfo or, if `reach` allows it, an http or https URL with a literal loopback address. */
export const safeLink = (text: unknown, reach: Reach): URL | undefined => {
  if (typeof text !== "string" || text.length > MAX_LENGTH || !/^[\u0021-\u007e]+$/.test(text)) return undefined
  // The parser reads a backslash as a slash, and so could see a host where other parsers see none.
  if (!/^https?:\/\/[^/]/i.test(text) || text.includes("\\") || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return undefined
  if (isLoopbackLiteral(url.hostname)) return reach.allowLoopback && !reach.publicOnly ? url : undefined
  return url.protocol === "https:" ? url : undefined
}

/**
 * Reads an http address of another machine as https. Servers behind a TLS proxy often state their addresses with the
 * scheme of the connection from the proxy. Nothing is ever sent to the http address.
 */
export const asHttps = (text: unknown): unknown =>
  typeof text !== "string" ? text : text.replace(
    /^http:(?=\/\/([^/?#:@]+)(?:[/?#]|$))/i,
    (scheme, host: string) => isLoopbackLiteral(host) ? scheme : "https:"
  )

export const safeUrl = (text: unknown, reach: Reach): URL | undefined => {
  const url = safeLink(text, reach)
  return url === undefined || url.href.includes("#") ? undefined : url
}
