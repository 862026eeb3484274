/** Validates URLs: endpoints that requests are sent to, and links that a browser opens. */
import { isLoopbackLiteral } from "../platform/sockets/Loopback.ts"
import type { Reach } from "./OAuthHttp.ts"

const MAX_LENGTH = 8192

/** Https, or http on literal loopback where allowed, without userinfo. Returned as the URL parser understood it. */
export const safeLink = (text: unknown, reach: Reach): URL | undefined => {
  if (typeof text !== "string" || text.length > MAX_LENGTH || !/^[\u0021-\u007e]+$/.test(text)) return undefined
  // The parser reads a backslash as a slash, and so could find a host where other parsers find none.
  if (!/^https?:\/\/[^/]/i.test(text) || text.includes("\\") || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return undefined
  if (isLoopbackLiteral(url.hostname)) return reach.allowLoopback && !reach.publicOnly ? url : undefined
  return url.protocol === "https:" ? url : undefined
}

export const safeUrl = (text: unknown, reach: Reach): URL | undefined => {
  const url = safeLink(text, reach)
  return url === undefined || url.href.includes("#") ? undefined : url
}
