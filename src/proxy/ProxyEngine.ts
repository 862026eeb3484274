/** Relays requests over HTTP/1.1 or HTTP/2 on either side. Messages are parsed and serialized again, never copied as bytes. */
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { Http1Server } from "../http/http1/Http1Server.ts"
import { llhttp } from "../http/http1/Llhttp.ts"
import type { ServerRequest } from "../http/http1/ServerRequest.ts"
import { ServerSessions } from "../http/http2/ServerSessions.ts"
import type { Protocol } from "../http/OutgoingRequest.ts"
import { HeldBudget } from "../outbound/sigv4/HeldBytes.ts"
import type { UpstreamDialer } from "../outbound/UpstreamDialer.ts"
import { builtins } from "../platform/builtins.ts"
import { type Refusal, rejection, requestRefusal } from "./ErrorResponse.ts"
import { Http1Exchange } from "./exchange/Http1Exchange.ts"
import { Http2Exchange } from "./exchange/Http2Exchange.ts"
import { OpenExchanges } from "./exchange/OpenExchanges.ts"
import { RefusalReports } from "./exchange/RefusalReports.ts"
import type { OpenExchange, RunContext } from "./exchange/RunContext.ts"
import { Splices } from "./exchange/Splices.ts"
import { IssuedTokens } from "./issued/IssuedTokens.ts"
import { refusedEvent } from "./ProxyEvent.ts"
import { confirmUses, type OpenUse, withdrawRerouted } from "./routing/CredentialUses.ts"
import type { Origin } from "./routing/Origin.ts"
import { SentSecrets } from "./scrub/SentSecrets.ts"
import { UpstreamPool } from "./upstream/UpstreamPool.ts"

export interface EngineOptions extends
  Pick<
    RunContext,
    "approvals" | "counted" | "credentials" | "onBegin" | "onEvent" | "placeholders" | "recorder" | "rules"
  >
{
  readonly dialer: UpstreamDialer
  readonly headMilliseconds: number
  /** How much of bodies all requests together may hold in memory; by default as much as the process. */
  readonly maxHeldBytes?: number | undefined
}

export class ProxyEngine {
  readonly #dialer: UpstreamDialer
  readonly #context: RunContext
  readonly #http1: Http1Server
  readonly #http2: ServerSessions
  readonly #splices = new Splices()

  constructor(options: EngineOptions) {
    const { dialer, headMilliseconds, maxHeldBytes } = options
    const issued = new IssuedTokens()
    this.#dialer = dialer
    this.#context = {
      ...options,
      upstreams: new UpstreamPool(dialer),
      exchanges: new OpenExchanges<OpenExchange>(),
      refusals: new RefusalReports(),
      issued,
      secrets: new SentSecrets(issued.placeholders),
      budget: new HeldBudget(maxHeldBytes)
    }
    this.#http1 = new Http1Server({ headMilliseconds, rejection })
    this.#http2 = new ServerSessions(headMilliseconds)
  }

  /** Serves an intercepted connection to a known authority, in its ALPN protocol, until it closes. */
  serve(socket: Tls.TLSSocket, transport: Net.Socket, origin: Origin): void {
    if (socket.alpnProtocol !== "h2") {
      const { onEvent } = this.#context
      this.#http1.serve(
        socket,
        (request) => this.#relay(request, origin, request.target, true),
        transport,
        (violation) => {
          onEvent?.(refusedEvent("", origin.authority.host, requestRefusal(violation.status, violation.message)))
          return rejection(violation)
        }
      )
      return
    }
    this.#http2.serve(socket, (stream, raw, hasBody) => {
      new Http2Exchange(this.#context, stream, raw, hasBody, origin).begin()
    })
  }

  /** Prepares for a connection whose TLS handshake is in progress and that will use this protocol. */
  expect(origin: Origin, protocol: Protocol): void {
    // Without a stored connection of the provider every request will be refused, so the upstream is not needed.
    if (origin.routes?.match("/")._tag !== "NotConnected") this.#context.upstreams.prepare(protocol, origin)
  }

  /** Relays one request that did not come through a tunnel; `target` is path and query. */
  forward(request: ServerRequest, origin: Origin, target: string): void {
    // A closed response does not notify its handler again.
    if (!request.response.isClosed) this.#relay(request, origin, target, false)
  }

  warmUp(): void {
    const steps = [
      () => void llhttp(),
      () => this.#dialer.prepare(),
      () => void builtins.http2,
      () => this.#context.placeholders?.prepare()
    ]
    // One in each turn, so that a command that ends at once waits for one of them at most.
    const next = (): void => {
      steps.shift()?.()
      if (steps.length > 0) setImmediate(next)
    }
    next()
  }

  /**
   * Asks for the credentials of the open exchanges and WebSockets again, and ends those whose use is refused. Calls `done`
   * afterwards, or sooner if the daemon takes long.
   */
  confirm(done: () => void): void {
    confirmUses(this.#uses(), this.#context.credentials, done)
  }

  /** Ends the open exchanges and WebSockets that would now use another connection. */
  reroute(): void {
    withdrawRerouted(this.#uses())
  }

  /** The number of open exchanges. */
  get active(): number {
    return this.#context.exchanges.size
  }

  close(): void {
    this.#splices.close()
    this.#http1.close()
    this.#http2.close()
    this.#context.upstreams.close()
  }

  #uses(): ReadonlyArray<OpenUse> {
    const exchanges = this.#context.exchanges.all.flatMap((exchange) => {
      const { use } = exchange
      return use === undefined ? [] : [{ use, withdraw: (refusal: Refusal) => exchange.refuse(refusal) }]
    })
    return [...exchanges, ...this.#splices.uses]
  }

  #relay(request: ServerRequest, origin: Origin, target: string, insideTunnel: boolean): void {
    new Http1Exchange(this.#context, request, origin, target, insideTunnel, this.#splices.join).begin()
  }
}
