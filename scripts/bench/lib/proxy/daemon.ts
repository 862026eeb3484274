/**
 * The daemon's two proxy routes, with a credential that it has at hand: what is measured is the way there and back.
 *
 * arguments: host, credential. Prints its port.
 */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { apiVersion } from "../../../../src/domain/Health.ts"

const [host = "", credential = ""] = process.argv.slice(2)
const route = { host, path_prefix: null, provider: "bench", connection: "default", connected: true }
const answers: Readonly<Record<string, unknown>> = {
  "/health": { status: "ok", version: "0", api_version: apiVersion },
  "/proxy/routes": { version: "1", routes: [route], placeholders: [] },
  "/credentials/resolve": {
    provider: "bench",
    connection: "default",
    headers: { Authorization: credential },
    query: {},
    defaults: {},
    strip: { headers: [], query: [] },
    expires_at: null
  }
}

const server = http.createServer((request, response) => {
  const path = (request.url ?? "").replace(/\?.*$/, "")
  request.resume()
  if (request.headers["if-none-match"] === "\"1\"") {
    response.writeHead(304).end()
    return
  }
  const body = JSON.stringify(answers[path] ?? {})
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length })
  response.end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
