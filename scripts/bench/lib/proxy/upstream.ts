/**
 * A fast HTTPS API: responds to each request head with the same 230 bytes of JSON if the credential is present.
 * `/large` is 64 KiB of JSON, `/large-gzip` the same in gzip, `/large-gzip-chunked` without a declared length.
 * `/events` is an event stream with an event every five milliseconds that contains its send time, by the clock that all
 * processes share. `/socket` is a WebSocket that sends back each message.
 *
 * Arguments: certificate file, key file, credential, file with certificates of further hosts. Prints its port.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import type { AddressInfo } from "node:net"
import * as tls from "node:tls"
import * as zlib from "node:zlib"

const [cert = "", key = "", credential = "", fresh = ""] = process.argv.slice(2)
const body = JSON.stringify({ id: "bench", data: "x".repeat(203) })
const response = (status: string): Buffer =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `X-Request-Id: req_0123456789abcdef\r\nCache-Control: no-store\r\n\r\n${body}`
  )
const accepted = response("200 OK")
const rejected = response("401 Unauthorized")

const items = Array.from({ length: 1000 }, (_, id) => ({
  id,
  name: `item ${id * 7919 % 1000}`,
  url: `https://api.bench.test/v1/items/${id}`,
  text: "the quick brown fox jumps over the lazy dog".slice(id % 30)
}))
const large = Buffer.from(JSON.stringify(items).slice(0, 65_536))
const gzipped = zlib.gzipSync(large)
const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
const whole = (bytes: Buffer, more = ""): Buffer =>
  Buffer.concat([Buffer.from(`${head}${more}Content-Length: ${bytes.length}\r\n\r\n`), bytes])
const larger: Readonly<Record<string, Buffer>> = {
  "/large": whole(large),
  "/large-gzip": whole(gzipped, "Content-Encoding: gzip\r\n"),
  "/large-gzip-chunked": Buffer.concat([
    Buffer.from(
      `${head}Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n${gzipped.length.toString(16)}\r\n`
    ),
    gzipped,
    Buffer.from("\r\n0\r\n\r\n")
  ])
}

const sendEvents = (socket: tls.TLSSocket): void => {
  socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
  const timer = setInterval(() => {
    const event = `data: ${process.hrtime.bigint()}\n\n`
    socket.write(`${event.length.toString(16)}\r\n${event}\r\n`)
  }, 5)
  socket.once("close", () => clearInterval(timer))
}

/** Sends back short unfragmented messages (RFC 6455 section 5.2). */
const echo = (socket: tls.TLSSocket, head: string): void => {
  const key = /^sec-websocket-key: *(\S+)/im.exec(head)?.[1] ?? ""
  const accept = crypto.createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
  )
  socket.removeAllListeners("data").on("data", (frame: Buffer) => {
    const length = frame[1]! & 0x7f
    const message = Buffer.alloc(2 + length)
    message[0] = frame[0]!
    message[1] = length
    for (let at = 0; at < length; at++) message[2 + at] = frame[6 + at]! ^ frame[2 + at % 4]!
    socket.write(message)
  })
}

const hosts = new Map(
  (JSON.parse(fs.readFileSync(fresh, "utf8")) as ReadonlyArray<[string, { certPem: string; keyPem: string }]>)
    .map(([host, { certPem, keyPem }]) => [host, tls.createSecureContext({ cert: certPem, key: keyPem })])
)

const server = tls.createServer({
  cert: fs.readFileSync(cert),
  key: fs.readFileSync(key),
  SNICallback: (name, done) => done(null, hosts.get(name))
}, (socket) => {
  let left = ""
  socket.setNoDelay(true)
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk: Buffer) => {
    left += chunk.toString("latin1")
    for (let end = left.indexOf("\r\n\r\n"); end !== -1; end = left.indexOf("\r\n\r\n")) {
      const head = left.slice(0, end)
      if (!head.includes(credential)) socket.write(rejected)
      else if (head.startsWith("GET /events ")) sendEvents(socket)
      else if (head.startsWith("GET /socket ")) echo(socket, head)
      else socket.write(larger[head.split(" ", 2)[1] ?? ""] ?? accepted)
      left = left.slice(end + 4)
    }
  })
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
