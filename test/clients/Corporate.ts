/** A corporate network: a host with a certificate of the company's own authority, and a proxy as the only way out. */
import type * as Http from "node:http"
import type * as Net from "node:net"
import { builtins } from "../../src/platform/builtins.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

export const INTRANET_HOST = "wiki.corp.test"
const PROXY_USER = "employee:pass"

export interface Corporate {
  readonly proxyUrl: string
  readonly caPem: string
  /** Credentials that reached the host, which belongs to no provider. */
  readonly received: ReadonlyArray<string>
  readonly close: () => void
}

const listen = (server: Net.Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as Net.AddressInfo).port)))

/** `routes` maps further names that the proxy knows to ports. */
export const startCorporate = async (routes: Readonly<Record<string, number>>): Promise<Corporate> => {
  const authority = makeAuthority("corporate")
  const received: Array<string> = []
  const host = builtins.https.createServer(authority.issue([INTRANET_HOST]), (request, response) => {
    received.push(request.headers.authorization ?? "")
    request.resume()
    response.end("served")
  })
  const ports: Readonly<Record<string, number>> = { ...routes, [INTRANET_HOST]: await listen(host) }
  const proxy: Http.Server = builtins.http.createServer((_request, response) => response.writeHead(405).end())
  const sockets = new Set<Net.Socket>()
  proxy.on("connection", (socket: Net.Socket) => sockets.add(socket))
  proxy.on("connect", (request, child: Net.Socket, head) => {
    child.on("error", () => child.destroy())
    const port = ports[(request.url ?? "").replace(/:443$/, "")]
    const expected = `Basic ${Buffer.from(PROXY_USER).toString("base64")}`
    if (port === undefined || request.headers["proxy-authorization"] !== expected) {
      child.end(`HTTP/1.1 ${port === undefined ? 502 : 407} Refused\r\n\r\n`)
      return
    }
    const target = builtins.net.connect(port, "127.0.0.1", () => {
      child.write("HTTP/1.1 200 OK\r\n\r\n")
      target.write(head)
      child.pipe(target).pipe(child)
    })
    target.on("error", () => child.destroy())
    child.on("close", () => target.destroy())
  })
  const port = await listen(proxy)
  return {
    proxyUrl: `http://${PROXY_USER}@127.0.0.1:${port}`,
    caPem: authority.caPem,
    received,
    close: () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      host.closeAllConnections()
      host.close()
    }
  }
}
