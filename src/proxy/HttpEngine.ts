/** The interface between the proxy's connections and its engine, which relays HTTP requests to upstreams. */
import type * as DateTime from "effect/DateTime"
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import type { RuleRecorder } from "../domain/rules/RuleRecorder.ts"
import type { CompiledRules } from "../domain/rules/RuleSet.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { HeaderPairs } from "../http/HeaderFields.ts"
import type { ServerRequest } from "../http/http1/ServerRequest.ts"
import type { Protocol } from "../http/OutgoingRequest.ts"
import type { Authority } from "../outbound/Authority.ts"
import type { Injection } from "../outbound/HeaderInjection.ts"
import type { HmacCredential } from "../outbound/HmacSignature.ts"
import type { SigningCredential } from "../outbound/sigv4/RequestSigner.ts"
import type { UpstreamDialer } from "../outbound/UpstreamDialer.ts"
import type { Approvals } from "./Approvals.ts"
import type { Refusal } from "./ErrorResponse.ts"
import type { Issuing } from "./issued/IssuedTokens.ts"
import type { PlaceholderWatch } from "./placeholders/PlaceholderWatch.ts"
import type { CredentialRequest } from "./routing/CredentialSource.ts"
import type { ResolveBatch } from "./routing/ResolveBatch.ts"
import type { HostRoutes } from "./routing/RouteTable.ts"

/** The only authority that a request may address: it is matched, dialed, verified and sent as `Host`. */
export interface Origin {
  readonly scheme: "http" | "https"
  readonly authority: Authority
  /** `Host` as sent upstream, without the default port. */
  readonly hostHeader: string
  /** Undefined if no credential is injected. */
  readonly routes: HostRoutes | undefined
  /** The connection that the base URL names. */
  readonly connection?: ConnectionName | undefined
  /** Removes header fields from a request that would disclose the run's base URL. */
  readonly sent?: ((headers: ReadonlyArray<string>) => ReadonlyArray<string>) | undefined
  /** Rewrites the header of a response for a client that reaches the host through the run's base URL. */
  readonly returned?: ((headers: HeaderPairs) => HeaderPairs) | undefined
}

/** The outcome of one request or tunnel, for logs. Contains no query, header field or body. */
export interface ProxyEvent {
  /** Empty if the request was refused before its host was known. */
  readonly host: string
  readonly method: string
  /** The path without any credential. Until one is resolved, its place is unknown, and only the route's prefix is reported. */
  readonly path: string
  /** 0 if the exchange was aborted without a status. */
  readonly status: number
  readonly provider: string | undefined
  readonly connection: string | undefined
  /** Whether the host belongs to a provider of the run. */
  readonly isRouted: boolean
  /** The rule of the run that allows the request. */
  readonly rule: string | null
  /** The bytes of the bodies of the request and of the response that passed the proxy. */
  readonly bytesIn: number
  readonly bytesOut: number
  /** Whether the request was sent with a credential. */
  readonly injected: boolean
  /** When a relayed request began, as a time of `performance.now`. */
  readonly startedAt: number | undefined
  /** Why the proxy itself refused the request. */
  readonly refusal: Refusal | undefined
}

export const refusedEvent = (method: string, host: string, refusal: Refusal): ProxyEvent => ({
  host,
  method,
  path: "",
  status: refusal.status,
  provider: undefined,
  connection: undefined,
  isRouted: false,
  rule: null,
  bytesIn: 0,
  bytesOut: 0,
  injected: false,
  startedAt: undefined,
  refusal
})

export type Resolution =
  | {
    readonly _tag: "resolved"
    readonly connection?: ConnectionName | undefined
    readonly injection: Injection
    /** The key for requests that are signed in place of carrying a secret. */
    readonly signing?: SigningCredential | undefined
    /** The recipe for requests that are signed by HMAC. */
    readonly hmac?: HmacCredential | undefined
    /** The tokens that the host issues. */
    readonly issuing?: ReadonlyArray<Issuing> | undefined
    readonly issuedAt: DateTime.Utc
    readonly refreshable: boolean
  }
  | { readonly _tag: "refused"; readonly refusal: Refusal }

export interface EngineOptions {
  readonly dialer: UpstreamDialer
  readonly credentials: ResolveBatch<CredentialRequest, Resolution>
  readonly headMilliseconds: number
  /** How much of bodies all requests together may hold in memory; by default as much as the process. */
  readonly maxHeldBytes?: number | undefined
  /** Called when a request begins that ends with an event. */
  readonly onBegin?: (() => void) | undefined
  /** The rules for requests to hosts with routes. */
  readonly rules?: CompiledRules | undefined
  /** Asks the user about requests outside the rules. */
  readonly approvals?: Approvals | undefined
  /** Collects the requests to hosts with routes that are sent. */
  readonly recorder?: RuleRecorder | undefined
  /** Whether the daemon counts the requests that get a credential, so each of them must ask for it. */
  readonly counted?: boolean | undefined
  /** Finds placeholders that a request has where they are not replaced. */
  readonly placeholders?: PlaceholderWatch | undefined
  readonly onEvent?: ((event: ProxyEvent) => void) | undefined
}

export interface HttpEngine {
  /** Serves an intercepted connection to a known authority, in its ALPN protocol, until it closes. */
  readonly serve: (socket: Tls.TLSSocket, transport: Net.Socket, origin: Origin) => void
  /** Prepares for a connection whose TLS handshake is in progress and that will use this protocol. */
  readonly expect: (origin: Origin, protocol: Protocol) => void
  /** Relays one request that did not come through a tunnel; `target` is path and query. */
  readonly forward: (request: ServerRequest, origin: Origin, target: string) => void
  /**
   * Asks for the credentials of the open exchanges and WebSockets again, and ends those whose use is refused. Calls `done`
   * afterwards, or sooner if the daemon takes long.
   */
  readonly confirm: (done: () => void) => void
  /** Ends the open exchanges and WebSockets that would now use another connection. */
  readonly reroute: () => void
  readonly warmUp: () => void
  readonly active: () => number
  readonly close: () => void
}
