/**
 * An HTTPS API that costs almost nothing: it answers each request head with the same 230 bytes of JSON, provided that the
 * credential came with it.
 *
 * arguments: certificate file, key file, credential. Prints its port.
 */
import * as fs from "node:fs"
import type { AddressInfo } from "node:net"
import * as tls from "node:tls"

const [cert = "", key = "", credential = ""] = process.argv.slice(2)
const body = JSON.stringify({ id: "bench", data: "x".repeat(203) })
const answer = (status: string): Buffer =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `X-Request-Id: req_0123456789abcdef\r\nCache-Control: no-store\r\n\r\n${body}`
  )
const right = answer("200 OK")
const wrong = answer("401 Unauthorized")

const server = tls.createServer({ cert: fs.readFileSync(cert), key: fs.readFileSync(key) }, (socket) => {
  let left = ""
  socket.setNoDelay(true)
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk: Buffer) => {
    left += chunk.toString("latin1")
    for (let end = left.indexOf("\r\n\r\n"); end !== -1; end = left.indexOf("\r\n\r\n")) {
      socket.write(left.slice(0, end).includes(credential) ? right : wrong)
      left = left.slice(end + 4)
    }
  })
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
