/** An API that requires bearer tokens of an authorization server, with its RFC 9728 document. */
import type * as Http from "node:http"
import { openSite } from "./TestSites.ts"

export interface ProtectedApiOptions {
  readonly host: string
  readonly authorizationServers: ReadonlyArray<string>
  readonly scopes: ReadonlyArray<string>
  /** Whether the bearer token is currently valid for the resource. */
  readonly accepts: (token: string) => Promise<boolean>
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource"

export const openProtectedApi = async (options: ProtectedApiOptions) => {
  const origin = `https://${options.host}`
  /** The header fields of all requests. */
  const authorizations: Array<string | undefined> = []

  const answer = async (request: Http.IncomingMessage): Promise<readonly [number, object, Record<string, string>]> => {
    const { pathname } = new URL(request.url ?? "/", origin)
    if (pathname.startsWith(WELL_KNOWN)) {
      const document = {
        resource: origin + pathname.slice(WELL_KNOWN.length),
        authorization_servers: options.authorizationServers,
        scopes_supported: options.scopes,
        bearer_methods_supported: ["header"]
      }
      return [200, document, {}]
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1]
    if (token === undefined || !await options.accepts(token)) {
      const challenge = `Bearer ${token === undefined ? "" : "error=\"invalid_token\", "}` +
        `resource_metadata="${origin}${WELL_KNOWN}${pathname === "/" ? "" : pathname}"`
      return [401, { error: "unauthorized" }, { "www-authenticate": challenge }]
    }
    return [200, { hello: "Ada" }, {}]
  }

  const site = await openSite([options.host], (request, response) => {
    void answer(request).then(([status, body, headers]) => {
      authorizations.push(request.headers.authorization)
      response.writeHead(status, { "content-type": "application/json", ...headers })
      response.end(`${JSON.stringify(body)}\n`)
    }, (error: Error) => response.destroy(error))
  })
  return { ...site, origin, authorizations }
}
