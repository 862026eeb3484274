/**
 * The API of upstream.ts over HTTP/2, and over HTTP/1.1 for a proxy that supports nothing else. `/down` sends `size`
 * bytes, with `gzip` in that coding, `/up` counts the bytes that it receives.
 *
 * Arguments: certificate file, key file, credential. Prints its port.
 */
import * as fs from "node:fs"
import * as http2 from "node:http2"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream"
import * as zlib from "node:zlib"

const [cert = "", key = "", credential = ""] = process.argv.slice(2)
const body = JSON.stringify({ id: "bench", data: "x".repeat(203) })
/** Text, because the proxy searches JSON for secrets: zeros would look like UTF-32. */
const piece = Buffer.alloc(
  65_536,
  `{"id":"7d1f","name":"A name of some length","tags":["first","second"],"size":18231},\n`
)
const head = { "content-type": "application/json", "x-request-id": "req_0123456789abcdef", "cache-control": "no-store" }

const server = http2.createSecureServer({
  cert: fs.readFileSync(cert),
  key: fs.readFileSync(key),
  allowHTTP1: true,
  settings: { maxConcurrentStreams: 1000, initialWindowSize: 1 << 20 }
}, (request, response) => {
  response.on("error", () => {})
  const url = new URL(request.url, "https://bench.test")
  if (request.headers.authorization !== credential) response.writeHead(401, head).end(body)
  else if (url.pathname === "/down") {
    const size = Number(url.searchParams.get("size"))
    const gzip = url.searchParams.has("gzip")
    response.writeHead(200, { ...head, ...(gzip ? { "content-encoding": "gzip" } : { "content-length": size }) })
    const pieces = function*() {
      for (let sent = 0; sent < size; sent += piece.length) yield piece
    }
    if (gzip) pipeline(Readable.from(pieces()), zlib.createGzip({ level: 1 }), response, () => {})
    else pipeline(Readable.from(pieces()), response, () => {})
  } else if (url.pathname === "/up") {
    let bytes = 0
    request.on("data", (chunk: Buffer) => bytes += chunk.length)
    request.on("end", () => response.writeHead(200, head).end(String(bytes)))
  } else response.writeHead(200, { ...head, "content-length": body.length }).end(body)
})
server.on("session", (session) => session.setLocalWindowSize(16 << 20))
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
