/**
 * The engine: an exchange's policy between two protocols. HTTP/1.1 is parsed by llhttp, HTTP/2 by `node:http2`, on
 * both sides; messages are written anew, never spliced.
 */
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { builtins } from "../platform/builtins.ts"
import type { Exchange, ExchangeHost } from "./Exchange.ts"
import { Http1Child } from "./Http1Child.ts"
import type { Http1Message } from "./Http1Message.ts"
import { Http2Child } from "./Http2Child.ts"
import type { EngineOptions, HttpEngine, Origin } from "./HttpEngine.ts"
import { llhttp } from "./Llhttp.ts"
import type { Protocol } from "./Upstream.ts"
import { UpstreamPool } from "./UpstreamPool.ts"

export class ProxyEngine implements HttpEngine, ExchangeHost {
  readonly options: EngineOptions
  readonly upstreams: UpstreamPool
  readonly exchanges = new Set<Exchange>()
  readonly #http1: Http1Child
  readonly #http2: Http2Child

  constructor(options: EngineOptions) {
    this.options = options
    this.upstreams = new UpstreamPool(options.dialer)
    this.#http1 = new Http1Child(this)
    this.#http2 = new Http2Child(this)
  }

  serve(socket: Tls.TLSSocket, transport: Net.Socket, origin: Origin): void {
    if (socket.alpnProtocol === "h2") this.#http2.serve(socket, origin)
    else this.#http1.serve(socket, transport, origin)
  }

  expect(origin: Origin, protocol: Protocol): void {
    // Where nothing is connected, every request is refused.
    if (origin.routes?.match("/")._tag !== "NotConnected") this.upstreams.prepare(protocol, origin)
  }

  forward(message: Http1Message, origin: Origin, target: string): void {
    this.#http1.forward(message, origin, target)
  }

  warmUp(): void {
    llhttp()
    void builtins.http2
  }

  active(): number {
    return this.exchanges.size
  }

  close(): void {
    this.#http1.close()
    this.#http2.close()
    this.upstreams.close()
  }
}
