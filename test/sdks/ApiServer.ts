/** The APIs of the table on one local server, which responds with 401 unless the real key arrives as the vendor expects it. */
import type * as Http from "node:http"
import type { Duplex } from "node:stream"
import { text } from "node:stream/consumers"
import { createGunzip } from "node:zlib"
import { WebSocketServer } from "ws"
import { PLACEHOLDER } from "../../src/domain/injection/Placeholder.ts"
import { openSite, type Site } from "../support/TestSites.ts"
import type { Api, ApiRequest } from "./Api.ts"

export const SECRET = "Zq7vT2mKx9LpR4wB8nYc5dHs3fGj6aUe"

/** Replaces `$` by the secret, also within Basic credentials. */
export const withSecret = (value: string): string =>
  value.replaceAll(/(?<=^authorization: Basic )\S+/g, (encoded) => {
    const plain = Buffer.from(encoded, "base64").toString()
    return Buffer.from(plain.replaceAll("$", SECRET)).toString("base64")
  }).replaceAll("$", SECRET)

const isAt = (pattern: string, place: string): boolean => {
  const expression = pattern.split("*").map((part) => part.replace(/[.+?^()[\]{}|\\$]/g, "\\$&")).join("[^/]+")
  return new RegExp(`^${expression}$`).test(place)
}

const hostOf = (call: string): string => call.split(" ")[1]!.split("/")[0]!

const arrived = ({ key }: Api, { headers, place, query }: ApiRequest): boolean => {
  const expected = withSecret(key)
  if (expected.startsWith("/")) return place.slice(place.indexOf("/")).startsWith(`${expected}/`)
  const [name = "", value = ""] = expected.split(expected.startsWith("?") ? "=" : ": ", 2)
  return name.startsWith("?") ? query.get(name.slice(1)) === value : headers[name.toLowerCase()] === value
}

export interface ApiServer extends Site {
  /** The calls that were answered. */
  readonly answered: ReadonlySet<string>
  /** The requests to the API that were refused. */
  readonly refusedOf: (api: Api) => string
}

export const openApiServer = async (apis: ReadonlyArray<Api>): Promise<ApiServer> => {
  const answered = new Set<string>()
  const refused: Array<string> = []
  const listed = (api: Api, calls: Api["calls"], isOpen: boolean) =>
    Object.entries(calls).map(([call, answer]) => ({ api, call, answer, isOpen }))
  const calls = apis.flatMap((api) => [...listed(api, api.calls, false), ...listed(api, api.open ?? {}, true)])
  const hosts = [...new Set(calls.map(({ call }) => hostOf(call)))]

  /** The status and the content of the response. */
  const respond = (
    incoming: Http.IncomingMessage,
    body: string
  ): readonly [status: number, content: object | string] => {
    const url = new URL(incoming.url ?? "/", `https://${incoming.headers.host}`)
    const method = incoming.method ?? ""
    const request: ApiRequest = {
      method,
      place: `${url.hostname}${url.pathname}`,
      query: url.searchParams,
      headers: incoming.headers,
      body
    }
    const line = `${method} ${request.place}`
    const here = calls.filter(({ call }) => hostOf(call) === url.hostname)
    const found = here.find(({ call }) => isAt(call, line))
    const mayCall = found?.isOpen === true || here.some(({ api }) => arrived(api, request))
    if (!mayCall || incoming.rawHeaders.concat(line).join("\n").includes(PLACEHOLDER)) {
      refused.push(`${line}: no key ${JSON.stringify(incoming.headers)}`)
      return [401, { error: { message: "no key", type: "authentication_error" } }]
    }
    if (found === undefined) {
      refused.push(`${line}${url.search}: no such call ${body.slice(0, 400)}`)
      return [404, { error: { message: "no such call", type: "not_found" } }]
    }
    try {
      const content = typeof found.answer === "function" ? found.answer(request) : found.answer
      answered.add(found.call)
      return Array.isArray(content) && typeof content[0] === "number" ? [content[0], content[1]] : [200, content]
    } catch (error) {
      refused.push(`${line}: ${String(error)} ${body.slice(0, 400)}`)
      return [400, { error: { message: String(error), type: "invalid_request" } }]
    }
  }

  const sockets = new WebSocketServer({ noServer: true })
  const site = await openSite(hosts, (request, response) => {
    const plain = request.headers["content-encoding"] === "gzip" ? request.pipe(createGunzip()) : request
    void text(plain).then((body) => {
      const [status, content] = respond(request, body)
      const type = typeof content === "object"
        ? "application/json"
        : /^(?:event|data|id):/.test(content)
        ? "text/event-stream"
        : content.startsWith("<")
        ? "application/xml"
        : "text/plain"
      // Elasticsearch's client asks for its name.
      response.writeHead(status, { "content-type": type, "x-elastic-product": "Elasticsearch" })
      response.end(withSecret(typeof content === "string" ? content : JSON.stringify(content)))
    }, () => response.destroy())
  }, (request: Http.IncomingMessage, socket: Duplex, head: Buffer) => {
    const [status, content] = respond(request, "")
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`)
    sockets.handleUpgrade(request, socket, head, (connection) => connection.send(JSON.stringify(content)))
  })
  return {
    ...site,
    answered,
    refusedOf: ({ calls, open }) => {
      const own = new Set(Object.keys({ ...calls, ...open }).map(hostOf))
      return refused.filter((line) => own.has(hostOf(line))).join("\n")
    },
    close: async () => {
      for (const connection of sockets.clients) connection.terminate()
      await site.close()
    }
  }
}
