/** The connections to all upstreams, pooled by origin and never shared between authorities. */
import type { OutgoingRequest, PendingRequest, Protocol, ResponseReceiver } from "../../http/OutgoingRequest.ts"
import { formatAuthority } from "../../outbound/Authority.ts"
import type { UpstreamDialer } from "../../outbound/UpstreamDialer.ts"
import type { Origin } from "../routing/Origin.ts"
import type { ConnectionUse } from "./Http1Pool.ts"
import { OriginPool } from "./OriginPool.ts"

const MAX_ORIGINS = 256

export class UpstreamPool {
  readonly #dialer: Pick<UpstreamDialer, "tcp" | "tls">
  readonly #origins = new Map<string, OriginPool>()

  constructor(dialer: Pick<UpstreamDialer, "tcp" | "tls">) {
    this.#dialer = dialer
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
