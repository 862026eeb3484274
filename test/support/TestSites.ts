/**
 * HTTPS servers on loopback with public-looking names, reached through the `upstream` section of `config.json`.
 *
 * Uses plain promises, so that scripts and child processes can use it; `scoped` ties one to a scope.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import type * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import type { Duplex } from "node:stream"
import { builtins } from "../../src/platform/builtins.ts"
import { authority } from "./TestCertificates.ts"

export interface ReachableSite {
  /** Its host names, at port 443. */
  readonly hosts: ReadonlyArray<string>
  /** The listening port. */
  readonly port: number
  readonly caPem: string
}

export interface Site extends ReachableSite {
  readonly close: () => Promise<void>
}

export const openSite = async (
  hosts: ReadonlyArray<string>,
  handler: Http.RequestListener,
  upgrade?: (request: Http.IncomingMessage, socket: Duplex, head: Buffer) => void
): Promise<Site> => {
  const server = builtins.https.createServer(authority.issue(hosts), handler)
  server.on("tlsClientError", () => {})
  if (upgrade !== undefined) server.on("upgrade", upgrade)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    hosts,
    port: (server.address() as AddressInfo).port,
    caPem: authority.caPem,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

export const scoped = <S extends { readonly close: () => Promise<void> }>(
  open: () => Promise<S>
): Effect.Effect<S, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(open), (site) => Effect.promise(site.close))

/** Writes the `config.json` with which a home reaches the sites and trusts their authorities. */
export const writeConfig = (home: string, sites: ReadonlyArray<ReachableSite>): void => {
  fs.mkdirSync(home, { recursive: true, mode: 0o700 })
  const authorities = [...new Set(sites.map(({ caPem }) => caPem))].map((caPem, index) => {
    const file = path.join(home, `test-authority-${index}.pem`)
    fs.writeFileSync(file, caPem, { mode: 0o600 })
    return file
  })
  const resolve = sites.flatMap(({ hosts, port }) => hosts.map((host) => [`${host}:443`, `127.0.0.1:${port}`]))
  fs.writeFileSync(
    path.join(home, "config.json"),
    JSON.stringify({ version: 1, upstream: { extra_ca_certs: authorities, resolve: Object.fromEntries(resolve) } }),
    { mode: 0o600 }
  )
}
