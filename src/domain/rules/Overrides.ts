/**
 * The fields and parameters that ask a server to use another method or path than the request line has.
 *
 * Servers fold names: PHP reads dots, spaces and brackets as underscores, qs and Rack ignore brackets, CGI joins words by underscores,
 * and others ignore case or invisible characters. So names are compared after folding, in each way in which a server may split them.
 */
import { uriDecoded } from "../text/PercentEncoding.ts"
import { folded } from "./RequestPath.ts"

const FIELDS: ReadonlySet<string> = new Set([
  // Gunicorn and many WSGI applications remove this beginning from the path.
  "script-name",
  "x-forwarded-method",
  "x-forwarded-uri",
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
  "x-methodoverride",
  "x-original-method",
  "x-original-uri",
  "x-original-url",
  "x-rewrite-url",
  "x-script-name"
])

/** Fields whose host servers may prefer to that of the request: RapidAPI's gateway, and Rails and Rack in their routes. */
const HOST_FIELD = /^(?:x-(?:forwarded-|original-|rapidapi-)?host|x-forwarded-server|x-http-host-override)$/
/** The host that a development server on this machine puts into such a field. No API is reached by it. */
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i

const namesHost = (name: string, value: string, host: string): boolean =>
  HOST_FIELD.test(name)
    ? value.toLowerCase() !== host && !LOCAL.test(value)
    : name === "forwarded" && /host\s*=/i.test(value)

/** Fields that name a second path, such as the object to copy in S3, Azure and WebDAV (RFC 4918 section 10.3). */
const SECOND_PATH = /^(?:destination|x-copy-from|x-[a-z]+(?:-file)?-(?:copy|rename)-source)$/

/** Fields that the proxy reads. A server that takes another spelling for one of these fields would read another request. */
const INTERPRETED: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-disposition",
  "content-encoding",
  "content-length",
  "content-range",
  "content-transfer-encoding",
  "content-type",
  "cookie",
  "expect",
  "host",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** The folded names of parameters that override the method or path at Salesforce and others. */
const PARAMETERS: ReadonlySet<string> = new Set([
  "_method",
  "_httpmethod",
  "_http_method",
  "$httpmethod",
  "$httpheaders",
  "x_http_method_override",
  "x_http_method",
  "x_method_override",
  "x_tunneled_method",
  "http_x_http_method_override",
  "http_x_http_method",
  "http_x_method_override",
  // WordPress reads the path from this parameter.
  "rest_route"
])

const METHOD_PARAMETER_HOSTS =
  /^(?:graph(?:-video)?\.(?:facebook|instagram)\.com|graph\.threads\.(?:com|net)|app\.asana\.com)$/

/**
 * Whether `method` overrides the method of requests to a host: Meta's Graph APIs read it in the query of a `GET` and in bodies, Asana
 * reads `opt_method` in forms and `options.method` in JSON. To other APIs, `method` is an ordinary parameter, and so is `batch`, in which
 * Meta's APIs read whole requests.
 */
const obeysMethodParameter = (host: string): boolean => METHOD_PARAMETER_HOSTS.test(host)

const MAX_DECODINGS = 3

/** Decodes what a server that decodes repeatedly would decode again. */
const fullyDecoded = (name: string): string => {
  let text = name
  for (let i = 0; i < MAX_DECODINGS && /%[0-9a-f]{2}/i.test(text); i++) text = uriDecoded(text) ?? text
  return text
}

const underscored = (text: string): string => text.trim().replaceAll(/[^a-z0-9$]/g, "_")

const isOverride = (text: string, isTop: boolean, host: string): boolean => {
  const name = underscored(text).replace(/(?<!_)_+$/, "")
  if (PARAMETERS.has(name.replace(/^_+/, "_")) || PARAMETERS.has(name.replace(/^_+/, ""))) return true
  // Below the top level, `http_method` usually names the method of a request that the body describes.
  if (isTop && name === "http_method") return true
  return (/^(?:_*|opt_)method$/.test(name) || (isTop && name === "batch")) && obeysMethodParameter(host)
}

/** Matches every parameter that `overridesMethod` finds, and few others. */
const SUSPICIOUS = /method|httpheaders|route|batch|%|[^\x20-\x7e]/i

/** Whether a parameter name, or a query without encoded characters, certainly contains no overriding parameter. */
export const overridesNothing = (text: string): boolean => !SUSPICIOUS.test(text)

/** Tells whether a server may obey the parameter, form field or member with this decoded name. `isTop` is false inside another member. */
export const overridesMethod = (decodedName: string, host: string, isTop = true): boolean => {
  if (overridesNothing(decodedName)) return false
  const cut = fullyDecoded(decodedName).split("\0", 1)[0]!
  const name = folded(cut)
  const readings = [[name], name.split(/[[\]]+/), name.split(/[[\].]+/)]
  return readings.some((parts) =>
    parts.some((part, at) => isOverride(part, isTop && (at === 0 || parts[0] === ""), host))
  )
}

/** Matches every field that `overridingField` finds, and few others. */
const UNUSUAL = /^(?:x-|destination$|forwarded$)|[^a-z0-9-]/i

/** Tells why rules cannot check a request with these header fields, or returns undefined if they can. */
export const overridingField = (
  headers: ReadonlyArray<string>,
  host: string
): { readonly name: string; readonly reads: string } | undefined => {
  for (let i = 0; i < headers.length; i += 2) {
    if (!UNUSUAL.test(headers[i]!)) continue
    const name = headers[i]!.toLowerCase()
    const reads = name.replaceAll(/[^a-z0-9]/g, "-")
    const isOverriding = FIELDS.has(reads) || SECOND_PATH.test(reads) || namesHost(reads, headers[i + 1]!, host)
    if (isOverriding || (INTERPRETED.has(reads) && reads !== name)) return { name, reads }
  }
  return undefined
}

/** The name of the header field or query parameter with which a request to this host overrides its own method or path, if any. */
export const overrideIn = (headers: ReadonlyArray<string>, target: string, host: string): string | undefined => {
  const query = target.includes("?") ? target.slice(target.indexOf("?") + 1).split(/[&;]/) : []
  const names = query.map((pair) => fullyDecoded(pair.split("=", 1)[0]!.replaceAll("+", " ")))
  return overridingField(headers, host)?.reads ?? names.find((name) => overridesMethod(name, host))?.trim()
}
