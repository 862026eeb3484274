/**
 * The protocol by which a proxy sends `POST /credentials/resolve` and `GET /proxy/routes` without an HTTP head per message.
 *
 * The proxy upgrades a connection authenticated with the access key (RFC 9110 section 7.8) by a GET of `resolvePath`, whose head
 * names the run and the profile for the whole connection. A query is one line: the JSON body of `resolve`, or `routes`, followed
 * by a space and a version if the client has a table. A proxy that records traces puts the word `traceparent`, a space, the value
 * (W3C Trace Context) and a space before the body. The reply is one line: the status, a space, and the body, JSON or empty. One
 * query is outstanding at a time. The daemon closes the connection on anything else, and the client falls back to the HTTP operation.
 *
 * A client that sends `markHeader` gets the path of a file in that field. Replies may then have `@`, the content of this file and
 * a space before the body. For `holdMillis` after the query, the reply may be reused for the same query as long as the file has
 * this content. The daemon replaces the content before it responds to any other request.
 */
export const resolvePath = "/credentials/resolve"
export const routesPath = "/proxy/routes"

/** The protocol name for `Upgrade`, which browsers cannot send. It changes with `holdMillis`, on which both ends must agree. */
export const resolveProtocol = "credsvc-resolve-2"

/** The field that requests the file in the upgrade request, and has its percent-encoded path in the response. */
export const markHeader = "credsvc-mark"

export const markLength = 16

/**
 * How long a reply may be reused. A change without a request to the daemon, such as an edited definition file, is
 * noticed this much later.
 */
export const holdMillis = 200

/** The longest path of a request, in UTF-16 code units. */
export const maxPath = 16_384

/** The longest query, in bytes. */
export const maxQueryBytes = 16 * 1024

export type Query =
  | { readonly _tag: "resolve"; readonly body: string; readonly traceparent?: string | undefined }
  | { readonly _tag: "routes"; readonly version: string | undefined }

const routes = /^routes(?: ([\w-]{1,64}))?$/

/**
 * The line that requests the table. `version`: the version that the client has. Returns undefined if the text cannot be
 * a version.
 */
export const routesQuery = (version: string | undefined): string | undefined => {
  const line = version === undefined ? "routes" : `routes ${version}`
  return routes.test(line) ? line : undefined
}

const traced = /^traceparent (00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}) (.*)$/s

/** The line that requests a credential. `traceparent` is the span of the request. */
export const resolveQuery = (body: string, traceparent: string | undefined): string =>
  traceparent === undefined ? body : `traceparent ${traceparent} ${body}`

/** Reads a query. JSON never begins with `traceparent` or `routes`, so any other line is a body for `resolve`. */
export const readQuery = (line: string): Query | undefined => {
  if (line.startsWith("traceparent ")) {
    const [, traceparent, body] = traced.exec(line) ?? []
    return body === undefined ? undefined : { _tag: "resolve", body, traceparent }
  }
  if (!line.startsWith("r")) return { _tag: "resolve", body: line }
  const match = routes.exec(line)
  return match === null ? undefined : { _tag: "routes", version: match[1] }
}
