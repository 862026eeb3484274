/**
 * A minimal proxy that can be written in an hour: `node:http` for the client, undici for the API, a constant header,
 * and a certificate and a pool of connections for each host. No lookups, checks or limits.
 *
 * Arguments: CA file of the API, API port, credential, hosts. Prints its port and the file of its CA, which is beside that of the API.
 */
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type * as net from "node:net"
import * as path from "node:path"
import * as tls from "node:tls"
import { Pool } from "undici"
import * as CertificateAuthority from "../../../../src/certificates/CertificateAuthority.ts"

const [ca = "", apiPort = "", credential = "", ...hosts] = process.argv.slice(2)

const authority = CertificateAuthority.createTemporary(hosts)
const authorityFile = path.join(path.dirname(ca), "minimal-ca.pem")
fs.writeFileSync(authorityFile, authority.rootPem)

const hostOf = (servername: string) => {
  const { certPem, keyPem } = authority.issue(servername)
  const connect = { ca: fs.readFileSync(ca), servername }
  return {
    secureContext: tls.createSecureContext({ cert: certPem, key: keyPem }),
    pool: new Pool(`https://127.0.0.1:${apiPort}`, { connect, connections: 64, pipelining: 1 })
  }
}
const known = new Map<string, ReturnType<typeof hostOf>>()
const knownHost = (name: string) => {
  const host = known.get(name) ?? hostOf(name)
  known.set(name, host)
  return host
}

const hopByHop = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding"])

const inner = http.createServer((request, response) => {
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !hopByHop.has(name)))
  const { host = "" } = request.headers
  knownHost(host).pool.request({
    method: request.method as "GET",
    path: request.url ?? "/",
    headers: { ...headers, host, authorization: credential },
    body: request.method === "GET" || request.method === "HEAD" ? null : request
  }).then(({ body, headers, statusCode }) => {
    response.writeHead(statusCode, headers)
    body.pipe(response)
  }, () => response.writeHead(502).end())
})

const server = http.createServer()
server.on("connect", (request, socket: net.Socket) => {
  const { secureContext } = knownHost((request.url ?? "").replace(/:443$/, ""))
  socket.write("HTTP/1.1 200 OK\r\n\r\n")
  const secured = new tls.TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ["http/1.1"] })
  secured.on("error", () => secured.destroy())
  secured.on("secure", () => inner.emit("connection", secured))
})
server.listen(0, "127.0.0.1", () => console.log(`${(server.address() as AddressInfo).port} ${authorityFile}`))
