/**
 * The least that a proxy on Node can do: it ends TLS on both sides and copies the bytes between them, without reading or
 * changing any. No HTTP, no credential, one certificate made in advance.
 *
 * Arguments: certificate file, key file, CA file of the API, API port, host. Prints its port.
 */
import * as fs from "node:fs"
import * as net from "node:net"
import * as tls from "node:tls"

const [cert = "", key = "", ca = "", apiPort = "", host = ""] = process.argv.slice(2)
const secureContext = tls.createSecureContext({ cert: fs.readFileSync(cert), key: fs.readFileSync(key) })
const trust = tls.createSecureContext({ ca: fs.readFileSync(ca) })

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
      secured.pipe(api)
      api.pipe(secured)
    })
  })
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as net.AddressInfo).port))
