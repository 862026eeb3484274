/**
 * How a proxy asks the daemon at the rate of its requests: `POST /credentials/resolve` and `GET /proxy/routes`, but without
 * a head around each.
 *
 * A connection that has proved itself with the access key is upgraded (RFC 9110 section 7.8) by a GET of the first; run
 * and profile are in its head, and hold for the whole connection. Then a question is a line: the JSON body of `resolve`, or
 * `routes`, with a space and a version after it when the asker has a table. Its answer is a line too: the status, a space, and
 * the body of the operation, JSON or nothing. One question is under way at a time, and the connection is closed for
 * anything else, so a client falls back to the operation itself.
 */
export const resolvePath = "/credentials/resolve"
export const routesPath = "/proxy/routes"

/** For `Upgrade`: a name that no browser can be made to send. */
export const resolveProtocol = "credsvc-resolve"

/** Longest question in bytes. */
export const maxQuestionBytes = 16 * 1024

export type Question =
  | { readonly _tag: "resolve"; readonly body: string }
  | { readonly _tag: "routes"; readonly version: string | undefined }

const routes = /^routes(?: ([\w-]{1,64}))?$/

/** The line that asks for the table, unless it still is that of `version`. Undefined for what cannot be a version. */
export const routesQuestion = (version: string | undefined): string | undefined => {
  const line = version === undefined ? "routes" : `routes ${version}`
  return routes.test(line) ? line : undefined
}

/** No JSON begins with an `r`: what is no other question is a body, to be judged as the operation would. */
export const readQuestion = (line: string): Question | undefined => {
  if (!line.startsWith("r")) return { _tag: "resolve", body: line }
  const match = routes.exec(line)
  return match === null ? undefined : { _tag: "routes", version: match[1] }
}
