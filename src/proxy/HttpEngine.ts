/**
 * The seam between connections and messages: an engine is handed a decrypted connection, or one parsed request, and
 * relays HTTP between it and the upstream.
 */
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import type { HeaderPairs } from "../http/HeaderFields.ts"
import type { ServerRequest } from "../http/http1/ServerRequest.ts"
import type { Protocol } from "../http/OutgoingRequest.ts"
import type { Authority } from "../outbound/Authority.ts"
import type { Injection } from "../outbound/HeaderInjection.ts"
import type { UpstreamDialer } from "../outbound/UpstreamDialer.ts"
import type { Refusal } from "./ErrorResponse.ts"
import type { ResolveRequest } from "./routing/CredentialSource.ts"
import type { ResolveBatch } from "./routing/ResolveBatch.ts"
import type { HostRoutes } from "./routing/RouteTable.ts"

/** The one authority that a message may be for: it is matched, dialled, verified and sent as `Host`. */
export interface Origin {
  readonly scheme: "http" | "https"
  readonly authority: Authority
  /** `Host` as sent upstream, the default port left out. */
  readonly hostHeader: string
  /** Absent where nothing is injected. */
  readonly routes: HostRoutes | undefined
  /** Takes out of the headers of a request what tells the address by which a child may know hosts. */
  readonly sent?: ((headers: ReadonlyArray<string>) => ReadonlyArray<string>) | undefined
  /** Changes the headers of a response, where the child knows the host by another address. */
  readonly returned?: ((headers: HeaderPairs) => HeaderPairs) | undefined
}

/** What happened to one request or tunnel. Holds no query, no header and no body. */
export interface ProxyEvent {
  /** Empty where the request was refused before its host was known. */
  readonly host: string
  readonly method: string
  /**
   * Without what may be a credential. Where in the path one can stand comes with the resolved one: of a request that has none
   * it is the prefix of its route, or empty.
   */
  readonly path: string
  /** 0 when the exchange broke off without a status. */
  readonly status: number
  readonly provider: string | undefined
  /** Why the proxy itself refused the request. */
  readonly refusal: Refusal | undefined
}

/** The event of a request or tunnel that was refused before it reached an engine. */
export const refusedEvent = (method: string, host: string, refusal: Refusal): ProxyEvent => ({
  host,
  method,
  path: "",
  status: refusal.status,
  provider: undefined,
  refusal
})

export type Resolution =
  | { readonly _tag: "resolved"; readonly injection: Injection }
  | { readonly _tag: "refused"; readonly refusal: Refusal }

export interface EngineOptions {
  readonly dialer: UpstreamDialer
  readonly credentials: ResolveBatch<ResolveRequest, Resolution>
  /** How long the head of a request may take to arrive. */
  readonly headMilliseconds: number
  readonly onEvent?: ((event: ProxyEvent) => void) | undefined
}

export interface HttpEngine {
  /** Serves a decrypted connection of which the proxy knows the authority, in its ALPN protocol, until it closes. */
  readonly serve: (socket: Tls.TLSSocket, transport: Net.Socket, origin: Origin) => void
  /** A connection is about to be served, if its handshake succeeds, and this will be its protocol. */
  readonly expect: (origin: Origin, protocol: Protocol) => void
  /** Relays one request that did not come through a tunnel, or its upgrade; `target` is path and query. */
  readonly forward: (request: ServerRequest, origin: Origin, target: string) => void
  /** Loads what the first exchange would have to wait for. */
  readonly warmUp: () => void
  /** Exchanges under way. */
  readonly active: () => number
  /** Breaks off everything. */
  readonly close: () => void
}
