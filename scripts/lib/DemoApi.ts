/** An HTTPS API on loopback, with its own certificate authority, that records what it receives. */
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

/** Starts the API, at which `key` is valid. A device login (RFC 8628) at `/device` and `/token` is approved at the second poll. */
export const startDemoApi = async (hosts: ReadonlyArray<string>, key: string): Promise<DemoApi> => {
  const authority = CertificateAuthority.createTemporary(hosts)
  const received: Array<string> = []
  let polls = 0
  const respond = (path: string | undefined, authorization: string): readonly [status: number, body: object] => {
    switch (path) {
      case "/device":
        return [200, {
          device_code: "demo-device",
          user_code: "DEMO-1234",
          verification_uri: `https://${hosts.at(-1)}/activate`,
          expires_in: 600,
          interval: 1
        }]
      case "/token":
        return ++polls % 2 === 1
          ? [400, { error: "authorization_pending" }]
          : [200, { access_token: key, token_type: "Bearer", expires_in: 3600, refresh_token: "demo-refresh-token" }]
      default:
        received.push(authorization)
        return authorization === `Bearer ${key}`
          ? [200, { hello: "Ada", plan: "demo" }]
          : [401, { error: "unknown key" }]
    }
  }
  const certificates = hosts.map((host) => {
    const { certPem, keyPem } = authority.issue(host)
    return { cert: certPem, key: keyPem }
  })
  const server = https.createServer({ ...certificates[0] }, (request, response) => {
    const [status, body] = respond(request.url, request.headers.authorization ?? "")
    response.writeHead(status, { "content-type": "application/json" })
    response.end(`${JSON.stringify(body)}\n`)
  })
  for (const [index, host] of hosts.entries()) server.addContext(host, certificates[index]!)
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
