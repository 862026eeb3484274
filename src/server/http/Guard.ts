/**
 * Decides from the request line and the headers whether the daemon serves a request.
 *
 * No route requires a token, so this check protects the secrets from web pages. A page can make the browser send almost any
 * request to a loopback port, but it cannot control `Host`, `Origin` and `Sec-Fetch-Site`. The check reads the raw headers
 * because Node's parsed headers silently drop a second `Host`.
 */
import { pageOf } from "./PageTable.ts"

export interface ReceivedHead {
  readonly method: string
  /** The raw request target, neither decoded nor normalized. */
  readonly target: string
  readonly rawHeaders: ReadonlyArray<string>
  readonly httpVersion: string
}

/** A refused request. `detail` never quotes values of the request. `close` closes the connection after the response. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 405 | 413 | 415 | 429 | 431
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
  readonly allow?: string
  readonly close?: boolean
}

/** The accepted `Host` values, each with the origin of pages loaded from it. */
export type Authorities = ReadonlyMap<string, string>

export const maxJsonBytes = 1024 * 1024
export const maxFormBytes = 64 * 1024
const maxHeaders = 100

const methods = new Set(["GET", "HEAD", "POST", "DELETE"])
const allow = "GET, HEAD, POST, DELETE"

const loopbackNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  "127.0.0.1": ["127.0.0.1", "localhost"],
  localhost: ["localhost", "127.0.0.1", "[::1]"],
  "0.0.0.0": ["127.0.0.1", "localhost"],
  "::1": ["[::1]", "localhost"],
  "::": ["[::1]", "127.0.0.1", "localhost"]
}

/**
 * Lists the accepted `Host` values of a listener on the address `host`: its names, the loopback names, and the host of
 * `CREDSVC_SERVER_BASE_URL`. Wildcard addresses are never accepted, because browsers send requests to them without
 * naming the origin.
 */
export const authoritiesOf = (host: string, port: number, baseUrl: URL | undefined): Authorities => {
  // Normalizes the address as clients do for `Host`, because `0` is a wildcard address as well.
  const { hostname } = new URL(`http://${host.includes(":") ? `[${host}]` : host}`)
  const names = loopbackNames[hostname.replace(/^\[|\]$/g, "")] ?? [hostname]
  const authorities = new Map(
    names.flatMap((name) => {
      const entry: [string, string] = [`${name}:${port}`, `http://${name}:${port}`]
      // Browsers omit the default port in `Host` and `Origin`.
      return port === 80 ? [entry, [name, `http://${name}`] as [string, string]] : [entry]
    })
  )
  if (baseUrl !== undefined) {
    authorities.set(baseUrl.host, baseUrl.origin)
    if (baseUrl.port === "") {
      authorities.set(`${baseUrl.host}:${baseUrl.protocol === "https:" ? 443 : 80}`, baseUrl.origin)
    }
  }
  return authorities
}

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i
const formType = /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i

const refuse = (status: Refusal["status"], detail: string, more: Partial<Refusal> = {}): Refusal => ({
  status,
  detail,
  ...more
})

// The router starts the query at `;` and `#` as well as at `?`, other parsers only at `?`. Such a target is ambiguous.
const ambiguousTarget = /^[^?]*;|#/

const foreignHost = refuse(
  403,
  "The Host header does not match the address of the daemon. If a reverse proxy forwards requests, make it pass on the Host " +
    "header, and set CREDSVC_SERVER_BASE_URL to that host."
)
const foreignOrigin = refuse(403, "The daemon does not accept requests from other sites.")
const notForBrowsers = refuse(403, "In a browser, only the forms of the dashboard change something: see /ui/.")

/** Header fields by their lower-case names. The value of a repeated field is undefined. */
export type Fields = ReadonlyMap<string, string | undefined>

export const headerFieldsOf = (rawHeaders: ReadonlyArray<string>): Fields => {
  const fields = new Map<string, string | undefined>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    fields.set(name, fields.has(name) ? undefined : rawHeaders[at + 1])
  }
  return fields
}

/** The fields that the check depends on. Other programs could read a repeated field differently. */
const single = ["origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "content-type", "content-length"]

/**
 * Whether a browser sends the request, for a link, a form or a script. Even a script of the daemon's own origin may be foreign: another
 * server that had the port before, perhaps of another user, can leave a service worker in the browser.
 */
const isBrowser = (fields: Fields): boolean => fields.has("sec-fetch-site") || fields.has("origin")

/** Refuses a request that other programs could read differently, or that names another host than the daemon. */
const headRefusal = (
  { rawHeaders, target }: ReceivedHead,
  fields: Fields,
  isAccepted: (host: string) => boolean
): Refusal | undefined => {
  const host = fields.get("host")?.toLowerCase()
  if (host === undefined && fields.has("host")) {
    return refuse(400, "The request has more than one Host header.", { close: true })
  }
  if (host === undefined) return refuse(400, "The request has no Host header.", { close: true })
  if (!target.startsWith("/")) return refuse(400, "The request target must be a path.", { close: true })
  if (ambiguousTarget.test(target)) {
    return refuse(400, "The path contains an unsupported character.", { close: true })
  }
  if (!isAccepted(host)) return foreignHost
  if (rawHeaders.length > maxHeaders * 2) return refuse(431, "The request has too many headers.", { close: true })
  const repeated = single.find((name) => fields.has(name) && fields.get(name) === undefined)
  return repeated === undefined
    ? undefined
    : refuse(400, `The header field "${repeated}" must not be repeated.`, { close: true })
}

/** Whether the pages of another site caused the request, except for a top-level navigation to a page that allows it. */
const isOfOtherSite = (fields: Fields, method: string, ownOrigin: string | undefined, navigation: boolean): boolean => {
  const origin = fields.get("origin")
  const site = fields.get("sec-fetch-site")
  // A browser sends the origin with each form that it submits.
  const isForeign = origin !== undefined && origin !== ownOrigin && !(method === "POST" && navigation)
  // A page with the referrer policy `no-referrer` sends `null` to its own origin; a sandboxed frame sends it to any
  // origin.
  if (isForeign && (origin !== "null" || site !== "same-origin")) return true
  return site !== undefined && site !== "same-origin" && site !== "none" && !navigation
}

/** Refuses the body of a request that must have none, is too large, or has another media type than its route. */
const bodyRefusal = (
  { httpVersion, method }: ReceivedHead,
  fields: Fields,
  { asForm, navigation }: { readonly asForm: boolean; readonly navigation: boolean }
): Refusal | undefined => {
  const chunked = fields.has("transfer-encoding")
  const length = fields.get("content-length")
  const type = fields.get("content-type")
  if (!chunked && (length === undefined || Number(length) === 0)) return undefined
  if (method === "GET" || method === "HEAD") {
    return refuse(400, "GET and HEAD requests must not have a body.", { close: true })
  }
  if (chunked && httpVersion === "1.0") {
    return refuse(400, "HTTP/1.0 does not support Transfer-Encoding.", { close: true })
  }
  if (length !== undefined && Number(length) > (asForm ? maxFormBytes : maxJsonBytes)) {
    return refuse(413, "The request body is too large.", { close: true })
  }
  // The form of another site is accepted without a check, because no handler reads it.
  if (navigation) return undefined
  if (!fields.has("content-encoding") && type !== undefined && (asForm ? formType : jsonType).test(type)) {
    return undefined
  }
  return refuse(
    415,
    asForm
      ? "The request body must be a form with Content-Type application/x-www-form-urlencoded."
      : "The request body must be JSON with Content-Type application/json.",
    { close: true }
  )
}

/** Checks a request. Returns the rejection, or undefined if the request may proceed to the router. */
export const refusalOf = (head: ReceivedHead, authorities: Authorities, anyHost = false): Refusal | undefined => {
  const { method, rawHeaders, target } = head
  const fields = headerFieldsOf(rawHeaders)
  // Requests with the metrics token may name any host: Prometheus cannot set `Host`, and sends the address of a pod.
  const malformed = headRefusal(head, fields, (host) => anyHost || authorities.has(host))
  if (malformed !== undefined) return malformed

  const navigation = fields.get("sec-fetch-mode") === "navigate" &&
    fields.get("sec-fetch-dest") === "document" && pageOf(method, target)?.linkable === true
  const ownOrigin = authorities.get(fields.get("host")!.toLowerCase())
  if (isOfOtherSite(fields, method, ownOrigin, navigation)) return foreignOrigin

  if (fields.has("upgrade")) {
    return refuse(405, "The daemon does not support protocol upgrades.", { allow, close: true })
  }
  if (!methods.has(method)) {
    return refuse(405, "Unsupported method.", { allow, close: method !== "OPTIONS" })
  }
  const asForm = method === "POST" && pageOf(method, target) !== undefined
  if (!asForm && method !== "GET" && method !== "HEAD" && isBrowser(fields)) return notForBrowsers
  return bodyRefusal(head, fields, { asForm, navigation })
}

/** Tells whether the response may contain a secret, which no browser receives. */
export const mayReveal = (rawHeaders: ReadonlyArray<string>): boolean => !isBrowser(headerFieldsOf(rawHeaders))
