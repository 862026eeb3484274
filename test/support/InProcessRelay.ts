/**
 * The proxy's engine between a fake client and a fake upstream in this process: bytes in, bytes out, without TLS or a
 * daemon. Tests can create and drop any number of them.
 */
import * as DateTime from "effect/DateTime"
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import type { ProviderName } from "../../src/domain/ProviderName.ts"
import type { Injection } from "../../src/outbound/HeaderInjection.ts"
import type { Origin } from "../../src/proxy/HttpEngine.ts"
import { ProxyEngine } from "../../src/proxy/ProxyEngine.ts"
import { ResolveBatch } from "../../src/proxy/routing/ResolveBatch.ts"
import { FakeSocket, turn } from "./UpstreamPeer.ts"

export const HOST = "api.example"
export const CREDENTIAL = "Bearer sk-played-0123456789abcdef"

const injection: Injection = {
  remove: new Set(["authorization"]),
  set: ["Authorization", CREDENTIAL],
  defaults: [],
  query: [],
  removeQuery: new Set(),
  path: [],
  secret: ["authorization"],
  repeatable: []
}

const route = { host: HOST, pathPrefix: null, provider: "played" as ProviderName, connection: null, connected: true }

const origin: Origin = {
  scheme: "https",
  authority: { kind: "name", host: HOST, port: 443 },
  hostHeader: HOST,
  routes: { byPath: false, match: () => ({ _tag: "Matched", route }) }
}

const failing = () => Promise.reject(new Error("nothing is dialled without TLS"))

/** `dialled` is called with each connection to the upstream before anything is written to it. */
export const openRelay = (dialled: (api: FakeSocket) => void) => {
  const apis: Array<FakeSocket> = []
  const child = new FakeSocket({ allowHalfOpen: true })
  const engine = new ProxyEngine({
    dialer: {
      tcp: failing,
      tls: async () => {
        const api = new FakeSocket()
        apis.push(api)
        dialled(api)
        return api as unknown as Tls.TLSSocket
      },
      isPublic: () => true,
      close: () => {}
    },
    credentials: new ResolveBatch((_, done) =>
      done({ _tag: "resolved", injection, issuedAt: DateTime.makeUnsafe(0), refreshable: false })
    ),
    headMilliseconds: 60_000
  })
  engine.serve(child as unknown as Tls.TLSSocket, child as unknown as Net.Socket, origin)
  return {
    child,
    engine,
    apis,
    /** Waits until all pending work is done. */
    settle: async (): Promise<void> => {
      const said = () => child.writes.length + apis.reduce((sum, { writes }) => sum + 1 + writes.length, 0)
      for (let quiet = 0, before = said(); quiet < 8; quiet++) {
        await turn()
        if (said() !== before) quiet = 0
        before = said()
      }
    },
    /** Throws if anything has not been released. */
    close: async (): Promise<void> => {
      engine.close()
      await turn()
      if (engine.active() > 0) throw new Error("an exchange is left")
      for (const socket of [child, ...apis]) if (!socket.destroyed) throw new Error("a connection is left")
    }
  }
}
