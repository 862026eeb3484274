/** Recognizes the requests that a web page of another site makes a browser in the run send. The page must not use the run's credentials. */
import { fieldOf } from "../../http/HeaderFields.ts"
import type { RequestHead } from "../routing/RequestValidation.ts"

/** The origin of a page on this machine, or of an application with a scheme of its own. A sandboxed page has the origin `null`. */
const OWN_PAGE = /^(?!https?:|null$)|^https?:\/\/(?:(?:[\w-]+\.)*localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i

/**
 * Hosts on which anyone can publish a page, or have one fetched: object stores, functions, packages, artifacts, gateways and scrapers. Such
 * a page has the same origin as the API.
 */
const PUBLISHING_HOST = new RegExp(
  "(?:^|\\.)(?:googleapis\\.com|amazonaws\\.(?:com|com\\.cn|eu)|on\\.aws|circle-artifacts\\.com|dl\\.cloudsmith\\.io|fal\\.run|" +
    "gateway\\.ai\\.cloudflare\\.com|p\\.rapidapi\\.com|api\\.(?:apify|scraperapi|zenrows)\\.com|app\\.scrapingbee\\.com|" +
    "scrape\\.do)(?::\\d+)?$"
)

/** What a page makes Chromium report. Chromium sends it without `Sec-Fetch-Site`. */
const REPORT = /^application\/reports\+json\b/i

/**
 * Whether a page of another site caused the request. Only browsers send `Sec-Fetch-Site`, and no page can change it. Some browsers do not
 * send it with the handshake of a WebSocket, but always `Origin`, as some other clients do.
 */
export const isOfOtherSite = (
  { headers, upgrade }: Pick<RequestHead, "headers" | "upgrade">,
  host: string
): boolean => {
  const site = fieldOf(headers, "sec-fetch-site")
  if (REPORT.test(fieldOf(headers, "content-type") ?? "")) return true
  if (site === undefined && upgrade === undefined) return false
  const origin = fieldOf(headers, "origin")
  if (origin !== undefined && OWN_PAGE.test(origin)) return false
  if (site !== undefined && PUBLISHING_HOST.test(host)) return site !== "none"
  const isOwn = origin !== undefined && /^https?:\/\/(.*)$/i.exec(origin)?.[1] === host
  return !isOwn && (site === undefined ? origin !== undefined : site !== "none" && site !== "same-origin")
}
