/** A provider that exists during a check: an HTTPS server on loopback that records which requests arrived correctly. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Http from "node:http"
import type * as Net from "node:net"
import * as CertificateAuthority from "../../certificates/CertificateAuthority.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { builtins } from "../../platform/builtins.ts"

/** A reserved name (RFC 6761), so requests that bypass the proxy reach no server. */
export const HOST = "trust-check.credsvc.test"

export type ProbeUpstream = Effect.Success<typeof make>

const hasPlaceholder = (request: Http.IncomingMessage): boolean =>
  [request.url ?? "", ...request.rawHeaders].some((text) => text.includes(PLACEHOLDER))

export const make = Effect.gen(function*() {
  const authority = CertificateAuthority.createTemporary([HOST])
  const { certPem, keyPem } = authority.issue(HOST)
  const secret = `Bearer ${builtins.crypto.randomBytes(18).toString("base64url")}`
  const arrived = new Set<string>()
  const waiting = new Map<string, () => void>()

  const see = (request: Http.IncomingMessage): void => {
    const probe = request.url?.split("/")[1] ?? ""
    if (request.headers.authorization !== secret || hasPlaceholder(request)) return
    arrived.add(probe)
    waiting.get(probe)?.()
  }
  const server = builtins.https.createServer({ cert: certPem, key: keyPem }, (request, response) => {
    see(request)
    request.resume()
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 2 }).end("{}")
  })
  server.on("upgrade", (request, socket) => {
    see(request)
    socket.destroy()
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  return {
    port: (server.address() as Net.AddressInfo).port,
    caPem: authority.rootPem,
    /** The credential that the proxy injects. It grants no access. */
    authorization: Redacted.make(secret),
    /** Completes when a request of this probe has arrived through the proxy; otherwise waits forever. */
    arrival: (probe: string) =>
      Effect.callback<void>((resume) => {
        if (arrived.has(probe)) return resume(Effect.void)
        waiting.set(probe, () => resume(Effect.void))
        return Effect.sync(() => waiting.delete(probe))
      })
  }
})
