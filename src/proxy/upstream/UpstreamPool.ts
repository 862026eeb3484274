/** The connections to all upstreams, pooled by origin and never shared between authorities. */
import type * as Net from "node:net"
import type { OutgoingRequest, PendingRequest, Protocol, ResponseReceiver } from "../../http/OutgoingRequest.ts"
import { formatAuthority } from "../../outbound/Authority.ts"
import { DialError } from "../../outbound/DialError.ts"
import type { UpstreamDialer } from "../../outbound/UpstreamDialer.ts"
import type { Origin } from "../routing/Origin.ts"
import type { ConnectionUse } from "./Http1Pool.ts"
import { OriginPool } from "./OriginPool.ts"

const MAX_ORIGINS = 256
/** The maximum number of connections, because each stream of a client over HTTP/2 may need a connection of HTTP/1.1. */
const MAX_CONNECTIONS = 2048

export class UpstreamPool {
  readonly #dialer: Pick<UpstreamDialer, "tcp" | "tls">
  readonly #origins = new Map<string, OriginPool>()

  /** The number of connections that are open or being opened. */
  #connections = 0

  constructor(dialer: Pick<UpstreamDialer, "tcp" | "tls">) {
    this.#dialer = {
      tcp: (...target) => this.#counted(() => dialer.tcp(...target)),
      tls: (...target) => this.#counted(() => dialer.tls(...target))
    }
  }

  send(
    protocol: Protocol,
    origin: Origin,
    request: OutgoingRequest,
    receiver: ResponseReceiver,
    connection: ConnectionUse
  ): PendingRequest {
    return this.#pool(origin).send(protocol, request, receiver, connection)
  }

  prepare(protocol: Protocol, origin: Origin): void {
    this.#pool(origin).prepare(protocol)
  }

  close(): void {
    for (const pool of this.#origins.values()) pool.close()
  }

  async #counted<A extends Net.Socket>(dial: () => Promise<A>): Promise<A> {
    if (this.#connections >= MAX_CONNECTIONS) {
      throw new DialError(
        "unreachable",
        `the limit of ${MAX_CONNECTIONS} connections is reached: wait until other requests are complete`
      )
    }
    this.#connections++
    const closed = () => void this.#connections--
    const socket = await dial().catch((error: unknown) => {
      closed()
      throw error
    })
    if (socket.closed) closed()
    else socket.once("close", closed)
    return socket
  }

  #pool(origin: Origin): OriginPool {
    // A connection opened under the address rules for tunnels must never carry a credential.
    const key = `${origin.routes === undefined ? "" : "provider "}${origin.scheme}://${
      formatAuthority(origin.authority)
    }`
    const known = this.#origins.get(key)
    if (known !== undefined) return known
    if (this.#origins.size >= MAX_ORIGINS) {
      for (const [other, pool] of this.#origins) if (pool.unused) this.#origins.delete(other)
    }
    const pool = new OriginPool(origin, this.#dialer)
    this.#origins.set(key, pool)
    return pool
  }
}
