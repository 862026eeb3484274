/**
 * The protocol by which a proxy sends `POST /credentials/resolve` and `GET /proxy/routes` without an HTTP head per
 * message.
 *
 * The proxy upgrades a connection authenticated with the access key (RFC 9110 section 7.8) by a GET of the first path;
 * its head names run and profile for the whole connection. A question is one line: the JSON body of `resolve`, or
 * `routes`, followed by a space and a version if the client has a table. The reply is one line: the status, a space,
 * and the body, JSON or empty. One question is outstanding at a time. The daemon closes the connection on anything
 * else, and the client falls back to the HTTP operation.
 */
export const resolvePath = "/credentials/resolve"
export const routesPath = "/proxy/routes"

/** The protocol name for `Upgrade`, which browsers cannot send. */
export const resolveProtocol = "credsvc-resolve"

/** The longest question, in bytes. */
export const maxQuestionBytes = 16 * 1024

export type Question =
  | { readonly _tag: "resolve"; readonly body: string }
  | { readonly _tag: "routes"; readonly version: string | undefined }

const routes = /^routes(?: ([\w-]{1,64}))?$/

/** The line that requests the table, unless it still has `version`. Undefined if the text cannot be a version. */
export const routesQuestion = (version: string | undefined): string | undefined => {
  const line = version === undefined ? "routes" : `routes ${version}`
  return routes.test(line) ? line : undefined
}

/** JSON never begins with `r`, so any other line is a body, validated like that of the operation. */
export const readQuestion = (line: string): Question | undefined => {
  if (!line.startsWith("r")) return { _tag: "resolve", body: line }
  const match = routes.exec(line)
  return match === null ? undefined : { _tag: "routes", version: match[1] }
}
