/**
 * mockttp with the same changes to a request as credsvc's proxy, but with a constant credential.
 *
 * Arguments: directory of its package, working directory, CA file of the API, API port, host, credential. Prints its
 * port and the path of its certificate.
 */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"

const [peers = "", directory = "", ca = "", apiPort = "", host = "", credential = ""] = process.argv.slice(2)

interface Rule {
  readonly thenForwardTo: (target: string, options: object) => Promise<void>
}
interface Server {
  readonly port: number
  readonly start: () => Promise<void>
  readonly forUnmatchedRequest: () => Rule
}
const mockttp = createRequire(path.join(peers, "package.json"))("mockttp") as {
  readonly generateCACertificate: (options: object) => Promise<{ readonly key: string; readonly cert: string }>
  readonly getLocal: (options: object) => Server
}

const https = await mockttp.generateCACertificate({ bits: 2048 })
const file = path.join(directory, "mockttp-ca.pem")
fs.writeFileSync(file, https.cert)
const server = mockttp.getLocal({ https, recordTraffic: false, http2: true })
await server.start()
await server.forUnmatchedRequest().thenForwardTo(`https://127.0.0.1:${apiPort}`, {
  additionalTrustedCAs: [{ certPath: ca }],
  ignoreHostHttpsErrors: ["127.0.0.1"],
  transformRequest: {
    replaceHost: { targetHost: `127.0.0.1:${apiPort}`, updateHostHeader: host },
    updateHeaders: { authorization: credential }
  }
})
console.log(`${server.port} ${file}`)
