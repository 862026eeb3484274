/** Relays requests over HTTP/1.1 or HTTP/2 on either side. Parses each message and serializes it again. */
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { Http1Server } from "../../http/http1/Http1Server.ts"
import { llhttp } from "../../http/http1/Llhttp.ts"
import type { ServerRequest } from "../../http/http1/ServerRequest.ts"
import { ServerSessions } from "../../http/http2/ServerSessions.ts"
import type { Protocol } from "../../http/OutgoingRequest.ts"
import { builtins } from "../../platform/builtins.ts"
import { Http1Exchange } from "../exchange/Http1Exchange.ts"
import { Http2Exchange } from "../exchange/Http2Exchange.ts"
import type { RunContext } from "../exchange/RunContext.ts"
import { rejectBytes } from "../ProxyEvent.ts"
import type { Origin } from "../routing/Origin.ts"

/** The time limit for the head of a request. */
export const HEAD_MILLISECONDS = 10_000

export class Engine {
  readonly #context: RunContext
  readonly #http1: Http1Server
  readonly #http2: ServerSessions

  constructor(context: RunContext) {
    const { headMilliseconds = HEAD_MILLISECONDS } = context
    this.#context = context
    this.#http1 = new Http1Server({ headMilliseconds, rejection: rejectBytes("", context.onEvent) })
    this.#http2 = new ServerSessions(headMilliseconds)
  }

  /** Serves an intercepted connection to a known authority, in the negotiated ALPN protocol, until the connection closes. */
  serve(socket: Tls.TLSSocket, transport: Net.Socket, origin: Origin): void {
    if (socket.alpnProtocol !== "h2") {
      const requested = (request: ServerRequest) =>
        new Http1Exchange(this.#context, request, origin, request.target, "tunnel").begin()
      this.#http1.serve(socket, requested, transport, rejectBytes(origin.authority.host, this.#context.onEvent))
      return
    }
    this.#http2.serve(socket, (stream, raw, hasBody) => {
      new Http2Exchange(this.#context, stream, raw, hasBody, origin).begin()
    })
  }

  /** Prepares for a connection whose TLS handshake is in progress and that will use this protocol. */
  expect(origin: Origin, protocol: Protocol): void {
    // Without a stored connection of the provider, the proxy will refuse every request and needs no upstream.
    if (origin.routes?.match("/")._tag !== "NotConnected") this.#context.upstreams.prepare(protocol, origin)
  }

  /** Relays one request that did not come through a tunnel; `target` is path and query. */
  forward(request: ServerRequest, origin: Origin, target: string): void {
    // A closed response does not notify its handler again.
    if (request.response.isClosed) return
    new Http1Exchange(this.#context, request, origin, target, "forward").begin()
  }

  warmUp(): void {
    const { dialer, placeholders } = this.#context
    const steps = [() => void llhttp(), () => dialer.prepare(), () => void builtins.http2, () => placeholders.prepare()]
    // One step in each event-loop turn, so that a command that ends immediately waits for at most one step.
    const next = (): void => {
      steps.shift()?.()
      if (steps.length > 0) setImmediate(next)
    }
    next()
  }

  /** The number of open exchanges. */
  get active(): number {
    return this.#context.exchanges.size
  }

  close(): void {
    this.#context.webSockets.close()
    this.#http1.close()
    this.#http2.close()
    this.#context.upstreams.close()
  }
}
