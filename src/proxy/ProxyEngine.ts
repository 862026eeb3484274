/** Relays requests over HTTP/1.1 or HTTP/2 on either side. Messages are parsed and serialized again, never copied as bytes. */
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { Http1Server } from "../http/http1/Http1Server.ts"
import { llhttp } from "../http/http1/Llhttp.ts"
import type { ServerRequest } from "../http/http1/ServerRequest.ts"
import { ServerSessions } from "../http/http2/ServerSessions.ts"
import type { Protocol } from "../http/OutgoingRequest.ts"
import { HeldBudget } from "../outbound/sigv4/HeldBytes.ts"
import { builtins } from "../platform/builtins.ts"
import { type Refusal, rejection, requestRefusal } from "./ErrorResponse.ts"
import type { Exchange, ExchangeHost } from "./Exchange.ts"
import { Http1Exchange } from "./Http1Exchange.ts"
import { Http2Exchange } from "./Http2Exchange.ts"
import { type EngineOptions, type HttpEngine, type Origin, refusedEvent } from "./HttpEngine.ts"
import { IssuedTokens } from "./issued/IssuedTokens.ts"
import { OpenExchanges } from "./OpenExchanges.ts"
import { RefusalReports } from "./RefusalReports.ts"
import { confirmUses, type OpenUse, withdrawRerouted } from "./routing/CredentialUses.ts"
import { SentSecrets } from "./scrub/SentSecrets.ts"
import { Splices } from "./Splices.ts"
import { UpstreamPool } from "./upstream/UpstreamPool.ts"

export class ProxyEngine implements HttpEngine, ExchangeHost {
  readonly options: EngineOptions
  readonly upstreams: UpstreamPool
  readonly exchanges = new OpenExchanges<Exchange>()
  readonly refusals = new RefusalReports()
  readonly issued = new IssuedTokens()
  readonly budget: HeldBudget
  readonly secrets = new SentSecrets(this.issued.placeholders)
  readonly #http1: Http1Server
  readonly #http2: ServerSessions
  readonly #splices = new Splices()

  constructor(options: EngineOptions) {
    const { dialer, headMilliseconds } = options
    this.options = options
    this.budget = new HeldBudget(options.maxHeldBytes)
    this.upstreams = new UpstreamPool(dialer)
    this.#http1 = new Http1Server({ headMilliseconds, rejection })
    this.#http2 = new ServerSessions(headMilliseconds)
  }

  serve(socket: Tls.TLSSocket, transport: Net.Socket, origin: Origin): void {
    if (socket.alpnProtocol !== "h2") {
      const { onEvent } = this.options
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
      new Http2Exchange(this, stream, raw, hasBody, origin).run()
    })
  }

  expect(origin: Origin, protocol: Protocol): void {
    // Without a stored connection of the provider every request will be refused, so the upstream is not needed.
    if (origin.routes?.match("/")._tag !== "NotConnected") this.upstreams.prepare(protocol, origin)
  }

  forward(request: ServerRequest, origin: Origin, target: string): void {
    // A closed response does not notify its handler again.
    if (!request.response.isClosed) this.#relay(request, origin, target, false)
  }

  warmUp(): void {
    const steps = [
      () => void llhttp(),
      () => this.options.dialer.prepare(),
      () => void builtins.http2,
      () => this.options.placeholders?.prepare()
    ]
    // One in each turn, so that a command that ends at once waits for one of them at most.
    const next = (): void => {
      steps.shift()?.()
      if (steps.length > 0) setImmediate(next)
    }
    next()
  }

  confirm(done: () => void): void {
    confirmUses(this.#uses(), this.options.credentials, done)
  }

  reroute(): void {
    withdrawRerouted(this.#uses())
  }

  active(): number {
    return this.exchanges.size
  }

  close(): void {
    this.#splices.close()
    this.#http1.close()
    this.#http2.close()
    this.upstreams.close()
  }

  #uses(): ReadonlyArray<OpenUse> {
    const exchanges = this.exchanges.all.flatMap((exchange) => {
      const { use } = exchange
      return use === undefined ? [] : [{ use, withdraw: (refusal: Refusal) => exchange.refuse(refusal) }]
    })
    return [...exchanges, ...this.#splices.uses]
  }

  #relay(request: ServerRequest, origin: Origin, target: string, insideTunnel: boolean): void {
    new Http1Exchange(this, request, origin, target, insideTunnel, this.#splices.join).run()
  }
}
