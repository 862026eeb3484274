/** An HTTPS API on loopback, with its own certificate authority, that records what it receives. */
// oxlint-disable-next-line no-restricted-imports -- a script, started once
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import * as CertificateAuthority from "../../src/certificates/CertificateAuthority.ts"

export interface DemoApi {
  readonly port: number
  readonly caPem: string
  /** The `Authorization` header of each request, in order. */
  readonly received: ReadonlyArray<string>
  readonly close: () => void
}

export const startDemoApi = async (host: string, key: string): Promise<DemoApi> => {
  const authority = CertificateAuthority.make([host])
  const leaf = authority.issue(host)
  const received: Array<string> = []
  const server = https.createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    const authorization = request.headers.authorization ?? ""
    received.push(authorization)
    const known = authorization === `Bearer ${key}`
    response.writeHead(known ? 200 : 401, { "content-type": "application/json" })
    response.end(`${JSON.stringify(known ? { hello: "Ada", plan: "demo" } : { error: "unknown key" })}\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    caPem: authority.rootPem,
    received,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
