/**
 * The least that a proxy on Node can do: it ends TLS on both sides and copies the bytes between them, without reading or
 * changing any. No HTTP, no credential, one certificate made in advance. With `ask`, `cat` repeats a line before each write to the API:
 * the least that a question to another process can cost.
 *
 * Arguments: certificate file, key file, CA file of the API, API port, host, credential, `ask`. Prints its port.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as tls from "node:tls"

const [cert = "", key = "", ca = "", apiPort = "", host = "", , ask] = process.argv.slice(2)
const secureContext = tls.createSecureContext({ cert: fs.readFileSync(cert), key: fs.readFileSync(key) })
const trust = tls.createSecureContext({ ca: fs.readFileSync(ca) })

const waiting: Array<() => void> = []
const other = ask === undefined ? undefined : spawn("cat", { stdio: ["pipe", "pipe", "inherit"] })
other?.stdout.on("data", (lines: Buffer) => {
  for (let left = lines.length; left > 0; left--) waiting.shift()?.()
})

const server = net.createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => socket.destroy())
  socket.once("data", () => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n")
    const secured = new tls.TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ["h2", "http/1.1"] })
    secured.on("error", () => secured.destroy())
    secured.on("secure", () => {
      const protocol = secured.alpnProtocol
      const api = tls.connect({
        host: "127.0.0.1",
        port: Number(apiPort),
        servername: host,
        secureContext: trust,
        ALPNProtocols: [typeof protocol === "string" ? protocol : "http/1.1"]
      })
      api.setNoDelay(true)
      api.on("error", () => secured.destroy())
      if (other === undefined) secured.pipe(api)
      else {
        secured.on("data", (chunk: Buffer) => {
          waiting.push(() => api.write(chunk))
          other.stdin.write("?")
        }).on("end", () => api.end())
      }
      api.pipe(secured)
    })
  })
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as net.AddressInfo).port))
