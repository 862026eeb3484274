/**
 * The connections to one upstream. For requests over HTTP/2, ALPN offers both protocols. For requests over HTTP/1.1 it
 * offers HTTP/1.1, and HTTP/2 only after the upstream has refused HTTP/1.1.
 */
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import type { OutgoingRequest, PendingRequest, Protocol, ResponseReceiver } from "../../http/OutgoingRequest.ts"
import { formatAuthority } from "../../outbound/Authority.ts"
import type { UpstreamDialer } from "../../outbound/UpstreamDialer.ts"
import type { Origin } from "../routing/Origin.ts"
import { type ConnectionUse, Http1Pool } from "./Http1Pool.ts"
import { Http2Pool } from "./Http2Pool.ts"
import { WaitingRequest } from "./WaitingRequest.ts"

export class OriginPool {
  readonly #http1: Http1Pool
  readonly #http2: Http2Pool
  #dialing = 0
  /** The only protocol that the upstream supports, once known. */
  #only: Protocol | undefined

  constructor({ authority, routes, scheme }: Origin, dialer: Pick<UpstreamDialer, "tcp" | "tls">) {
    const purpose = routes === undefined ? "tunnel" : "provider"
    const dial = async (protocols: ReadonlyArray<Protocol>): Promise<Net.Socket | Tls.TLSSocket> => {
      this.#dialing++
      try {
        return scheme === "https"
          ? await dialer.tls(authority, purpose, protocols)
          : await dialer.tcp(authority, purpose)
      } finally {
        this.#dialing--
      }
    }
    this.#http1 = new Http1Pool(() => dial(["http/1.1"]), (waiting) => {
      this.#only = "h2"
      this.#http2.take(waiting)
    })
    this.#http2 = new Http2Pool({
      origin: `${scheme}://${formatAuthority(authority)}`,
      dial: () => dial(["h2", "http/1.1"]),
      isUsable: () => this.#only !== "http/1.1",
      refused: (waiting, socket) => {
        this.#only = "http/1.1"
        this.#http1.take(waiting, socket)
      }
    })
  }

  get unused(): boolean {
    return this.#dialing === 0 && this.#http1.unused && this.#http2.unused
  }

  send(
    protocol: Protocol,
    request: OutgoingRequest,
    receiver: ResponseReceiver,
    connection: ConnectionUse
  ): PendingRequest {
    if (request.upgrade === undefined && (this.#only ?? protocol) === "h2") return this.#http2.send(request, receiver)
    const waiting = new WaitingRequest(request, receiver)
    this.#http1.send(waiting, connection)
    return waiting
  }

  /** Opens a connection before the first request, unless there is one. Ignores failure: the request connects again and reports it. */
  prepare(protocol: Protocol): void {
    if (!this.unused) return
    if ((this.#only ?? protocol) === "h2") this.#http2.grow()
    else void this.#http1.prepare()
  }

  close(): void {
    this.#http1.close()
    this.#http2.close()
  }
}
