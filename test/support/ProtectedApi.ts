/**
 * An API that requires bearer tokens of an authorization server, with its RFC 9728 document and a small MCP endpoint.
 */
import type * as Http from "node:http"
import { text } from "node:stream/consumers"
import { openSite } from "./TestSites.ts"

export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly status: number
}

export interface ProtectedApiOptions {
  readonly host: string
  readonly authorizationServers: ReadonlyArray<string>
  readonly scopes: ReadonlyArray<string>
  /** Whether the bearer token is currently valid for the resource. */
  readonly accepts: (token: string) => Promise<boolean>
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource"

const respondRpc = (message: string): { readonly status: number; readonly body: unknown } => {
  const { id, method, params } = JSON.parse(message) as { id?: number; method: string; params?: any }
  if (id === undefined) return { status: 202, body: "" }
  const result = method === "initialize"
    ? {
      protocolVersion: params?.protocolVersion ?? "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "test", version: "1" }
    }
    : { tools: [] }
  return { status: 200, body: { jsonrpc: "2.0", id, result } }
}

export const openProtectedApi = async (options: ProtectedApiOptions) => {
  const origin = `https://${options.host}`
  const requests: Array<ApiRequest> = []

  const answer = async (request: Http.IncomingMessage): Promise<readonly [number, unknown, Record<string, string>]> => {
    const { pathname } = new URL(request.url ?? "/", origin)
    const message = await text(request)
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
    if (pathname !== "/mcp" || request.method !== "POST") return [200, { hello: "Ada" }, {}]
    const { body, status } = respondRpc(message)
    return [status, body, {}]
  }

  const site = await openSite([options.host], (request, response) => {
    void answer(request).then(([status, body, headers]) => {
      const { authorization } = request.headers
      requests.push({ method: request.method ?? "", path: request.url ?? "", authorization, status })
      response.writeHead(status, { "content-type": "application/json", ...headers })
      response.end(body === "" ? "" : `${JSON.stringify(body)}\n`)
    }, (error: Error) => response.destroy(error))
  })
  // The resource that the metadata names for the MCP endpoint, and all requests, including those for well-known documents.
  return { ...site, origin, mcpUrl: `${origin}/mcp`, requests }
}
