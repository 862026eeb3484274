/**
 * The proxy's engine between a fake client and a fake upstream in this process: bytes in, bytes out, without TLS or a
 * daemon. Tests can create and drop any number of them.
 */
import * as DateTime from "effect/DateTime"
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import type { ProviderName } from "../../src/domain/wire/ProviderName.ts"
import type { Injection } from "../../src/outbound/HeaderInjection.ts"
import type { UpstreamDialer } from "../../src/outbound/UpstreamDialer.ts"
import { type RunContext, runContext, type RunServices } from "../../src/proxy/exchange/RunContext.ts"
import { Engine } from "../../src/proxy/listen/Engine.ts"
import { CredentialGate } from "../../src/proxy/routing/CredentialGate.ts"
import type { Origin } from "../../src/proxy/routing/Origin.ts"
import { ResolveBatch } from "../../src/proxy/routing/ResolveBatch.ts"
import { UpstreamPool } from "../../src/proxy/upstream/UpstreamPool.ts"
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
  placeholders: [],
  secret: ["authorization"],
  body: undefined,
  messages: undefined,
  values: []
}

const route = { host: HOST, pathPrefix: null, provider: "played" as ProviderName, connection: null, connected: true }

/** An origin without routes. */
export const originOf = (host: string): Origin => ({
  scheme: "https",
  authority: { kind: "name", host, port: 443 },
  hostHeader: host,
  routes: undefined
})

const origin: Origin = {
  ...originOf(HOST),
  routes: { byPath: false, isFixed: () => false, isOutside: false, match: () => ({ _tag: "Matched", route }) }
}

/** A run without a daemon, in which each request has the same credential. */
export const contextTo = (upstreams: Pick<UpstreamPool, "send">): RunContext => {
  const services = {
    credentials: new ResolveBatch((_, done) =>
      done({ _tag: "resolved", injection, issuedAt: DateTime.makeUnsafe(0), refreshable: false })
    ),
    gate: new CredentialGate(),
    listed: [],
    telemetry: { began: () => {}, ended: () => {} },
    reports: { add: () => {} }
  } as unknown as RunServices
  const context = runContext({ headMilliseconds: 60_000 }, services, { client: "run", ownPorts: () => new Set() })
  return { ...context, upstreams: upstreams as UpstreamPool }
}

export const engineTo = (dialer: Partial<UpstreamDialer>): Engine =>
  new Engine(contextTo(new UpstreamPool(dialer as UpstreamDialer)))

/** Opens a relay. Calls `dialed` with each connection to the upstream before anything is written to it. */
export const openRelay = (dialed: (upstream: FakeSocket) => void) => {
  const upstreams: Array<FakeSocket> = []
  const client = new FakeSocket({ allowHalfOpen: true })
  const engine = engineTo({
    tls: async () => {
      const upstream = new FakeSocket()
      upstreams.push(upstream)
      dialed(upstream)
      return upstream as unknown as Tls.TLSSocket
    }
  })
  engine.serve(client as unknown as Tls.TLSSocket, client as unknown as Net.Socket, origin)
  return {
    client,
    engine,
    upstreams,
    /** Waits until all pending work is done. */
    settle: async (): Promise<void> => {
      const writes = () => client.writes.length + upstreams.reduce((sum, { writes }) => sum + 1 + writes.length, 0)
      for (let quiet = 0, before = writes(); quiet < 8; quiet++) {
        await turn()
        if (writes() !== before) quiet = 0
        before = writes()
      }
    },
    /** Throws if anything has not been released. */
    close: async (): Promise<void> => {
      engine.close()
      await turn()
      if (engine.active > 0) throw new Error("an exchange is left")
      for (const socket of [client, ...upstreams]) if (!socket.destroyed) throw new Error("a connection is left")
    }
  }
}
