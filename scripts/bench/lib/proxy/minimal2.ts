/**
 * The HTTP/2 counterpart of minimal.ts: `node:http2` on both sides, every stream piped to one session with the API, a
 * constant header, one certificate made in advance. Uses the flow-control windows of the client and the API.
 *
 * Arguments: certificate file, key file, CA file of the API, API port, host, credential. Prints its port.
 */
import * as fs from "node:fs"
import * as http from "node:http"
import * as http2 from "node:http2"
import type { AddressInfo } from "node:net"

const [cert = "", key = "", ca = "", apiPort = "", host = "", credential = ""] = process.argv.slice(2)
const settings = { maxConcurrentStreams: 1000, initialWindowSize: 1 << 20 }
const windowSize = 16 << 20

const api = http2.connect(`https://127.0.0.1:${apiPort}`, { ca: fs.readFileSync(ca), servername: host, settings })
api.on("remoteSettings", () => api.setLocalWindowSize(windowSize))

const inner = http2.createSecureServer({ cert: fs.readFileSync(cert), key: fs.readFileSync(key), settings })
inner.on("session", (session) => session.setLocalWindowSize(windowSize))
inner.on("stream", (stream, headers) => {
  const upstream = api.request({ ...headers, ":authority": host, authorization: credential })
  upstream.on("response", ({ ":status": status, ...fields }) => stream.respond({ ":status": status, ...fields }))
  upstream.on("error", () => stream.close())
  stream.on("error", () => upstream.close())
  stream.pipe(upstream)
  upstream.pipe(stream)
})
inner.on("sessionError", () => {})

const server = http.createServer()
server.on("connect", (_request, socket) => {
  socket.write("HTTP/1.1 200 OK\r\n\r\n")
  inner.emit("connection", socket)
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
