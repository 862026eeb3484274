/**
 * A minimal proxy that can be written in an hour: `node:http` for the client, undici for the API, a constant header,
 * one certificate made in advance. No lookups, checks or limits.
 *
 * Arguments: certificate file, key file, CA file of the API, API port, host, credential. Prints its port.
 */
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type * as net from "node:net"
import * as tls from "node:tls"
import { Pool } from "undici"

const [cert = "", key = "", ca = "", apiPort = "", host = "", credential = ""] = process.argv.slice(2)

const pool = new Pool(`https://127.0.0.1:${apiPort}`, {
  connect: { ca: fs.readFileSync(ca), servername: host },
  connections: 64,
  pipelining: 1
})

const hopByHop = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding"])

const inner = http.createServer((request, response) => {
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !hopByHop.has(name)))
  pool.request({
    method: request.method as "GET",
    path: request.url ?? "/",
    headers: { ...headers, host, authorization: credential },
    body: request.method === "GET" || request.method === "HEAD" ? null : request
  }).then(({ body, headers, statusCode }) => {
    response.writeHead(statusCode, headers)
    body.pipe(response)
  }, () => response.writeHead(502).end())
})
const secureContext = tls.createSecureContext({ cert: fs.readFileSync(cert), key: fs.readFileSync(key) })

const server = http.createServer()
server.on("connect", (_request, socket: net.Socket) => {
  socket.write("HTTP/1.1 200 OK\r\n\r\n")
  const secured = new tls.TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ["http/1.1"] })
  secured.on("error", () => secured.destroy())
  secured.on("secure", () => inner.emit("connection", secured))
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
