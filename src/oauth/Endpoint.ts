/** The addresses that a message may name: where a request is sent, and what a browser is pointed to. */
import { isLoopbackLiteral } from "../platform/Loopback.ts"
import type { Reach } from "./OAuthHttp.ts"

const MAX_LENGTH = 8192

/**
 * The address if a person may be shown it and their browser sent there, as the URL parser understood it: https, or http
 * to literal loopback where that is allowed, without a user part.
 */
export const safeLink = (text: unknown, reach: Reach): URL | undefined => {
  if (typeof text !== "string" || text.length > MAX_LENGTH || !/^[\u0021-\u007e]+$/.test(text)) return undefined
  // The parser would take a backslash for a slash, and find a host where others see none.
  if (!/^https?:\/\/[^/]/i.test(text) || text.includes("\\") || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return undefined
  if (isLoopbackLiteral(url.hostname)) return reach.allowLoopback && !reach.publicOnly ? url : undefined
  return url.protocol === "https:" ? url : undefined
}

/** The address if a request may be sent there: a link without a fragment. */
export const safeUrl = (text: unknown, reach: Reach): URL | undefined => {
  const url = safeLink(text, reach)
  return url === undefined || url.href.includes("#") ? undefined : url
}
