/**
 * Puts the suite's servers, which are plain HTTP on localhost, behind TLS and names of their own.
 *
 * credsvc sends no credential over plain HTTP, to nobody. What each side reads is as if the other had always had its
 * new address: every `http://localhost:<port>` in an answer becomes the `https` origin, and the other way round in
 * requests. Nothing else is touched.
 */
import type * as Http from "node:http"
import { text } from "node:stream/consumers"
import { builtins } from "../../src/platform/builtins.ts"
import { openSite, type Site } from "../support/TestSites.ts"

export interface TlsFront extends Site {
  /** The address, for the client of the scenario, of the server that the suite has started for it. */
  readonly expose: (scenario: string, serverUrl: string) => string
}

const SERVERS = ["mcp", "as"] as const

const hostOf = (scenario: string, server: typeof SERVERS[number]): string =>
  `${server}.${scenario.replaceAll(/[^a-z0-9]+/g, "-")}.test`

const encoded = encodeURIComponent("http://localhost:")
const plainOrigin = new RegExp(`http://localhost:(\\d+)|${encoded}(\\d+)`, "g")

export const openTlsFront = async (scenarios: ReadonlyArray<string>): Promise<TlsFront> => {
  const hosts = scenarios.flatMap((scenario) => SERVERS.map((server) => hostOf(scenario, server)))
  const ports = new Map<string, string>()
  const names = new Map<string, string>()
  const bind = (port: string, host: string): void => {
    ports.set(host, port)
    names.set(port, host)
  }

  /** A port that an answer names for the first time is that of the scenario's authorization server. */
  const outward = (text: string, host: string): string =>
    text.replaceAll(plainOrigin, (_, plain?: string, form?: string) => {
      const port = plain ?? form ?? ""
      if (!names.has(port)) bind(port, host.replace(/^mcp\./, "as."))
      const origin = `https://${names.get(port)}`
      return plain === undefined ? encodeURIComponent(origin) : origin
    })

  const inward = (text: string): string => {
    let result = text
    for (const [host, port] of ports) {
      const [https, http] = [`https://${host}`, `http://localhost:${port}`]
      result = result.replaceAll(https, http).replaceAll(encodeURIComponent(https), encodeURIComponent(http))
    }
    return result
  }

  const forward = async (request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> => {
    const host = request.headers.host ?? ""
    const body = Buffer.from(inward(await text(request)))
    const headers = { ...request.headers, host: `localhost:${ports.get(host)}`, "content-length": body.length }
    delete headers["transfer-encoding"]
    const upstream = await new Promise<Http.IncomingMessage>((resolve, reject) => {
      const sent = builtins.http.request({
        host: "localhost",
        port: Number(ports.get(host)),
        method: request.method,
        path: inward(request.url ?? "/"),
        headers,
        agent: false
      }, resolve)
      sent.on("error", reject)
      sent.end(body)
    })
    const answer = Buffer.from(outward(await text(upstream), host))
    const answered = Object.fromEntries(
      Object.entries(upstream.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map((item) => outward(item, host)) : outward(value ?? "", host)
      ])
    )
    delete answered["transfer-encoding"]
    response.writeHead(upstream.statusCode ?? 502, { ...answered, "content-length": answer.length })
    response.end(answer)
  }

  const site = await openSite(hosts, (request, response) => {
    forward(request, response).catch((error: Error) => response.destroy(error))
  })
  return {
    ...site,
    expose: (scenario, serverUrl) => {
      const url = new URL(serverUrl)
      bind(url.port, hostOf(scenario, "mcp"))
      return `https://${hostOf(scenario, "mcp")}${url.pathname}`
    }
  }
}
