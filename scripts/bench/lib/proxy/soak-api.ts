/**
 * A slow API: responds over HTTP/2 after a second, and echoes over WebSocket.
 *
 * Arguments: certificate file, key file, credential. Prints its port.
 */
import * as fs from "node:fs"
import type * as http from "node:http"
import * as http2 from "node:http2"
import type { AddressInfo } from "node:net"
import { WebSocketServer } from "ws"

const [cert = "", key = "", credential = ""] = process.argv.slice(2)
const server = http2.createSecureServer({
  cert: fs.readFileSync(cert),
  key: fs.readFileSync(key),
  allowHTTP1: true,
  settings: { maxConcurrentStreams: 1000 }
}, (request, response) => {
  response.on("error", () => {})
  if (request.headers.authorization === credential) {
    setTimeout(() => response.writeHead(200).end("x".repeat(2000)), 1000)
  } else response.writeHead(401).end()
})
const sockets = new WebSocketServer({
  server: server as never,
  perMessageDeflate: true,
  verifyClient: ({ req }: { readonly req: http.IncomingMessage }) => req.headers.authorization === credential
})
sockets.on("connection", (socket) => socket.on("message", (data, binary) => socket.send(data, { binary })))
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
