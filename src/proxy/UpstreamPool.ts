/**
 * Keep-alive connections to upstreams, one request at a time on each, never shared between authorities (D19).
 *
 * The newest idle connection is used first, so that the others reach their idle timeout.
 */
import type { Client as UndiciClient, Dispatcher } from "undici"
import { formatAuthority } from "../outbound/Authority.ts"
import type { UpstreamDialer } from "../outbound/UpstreamDialer.ts"
import type { Origin } from "./HttpEngine.ts"

export interface UpstreamConnection {
  readonly dispatch: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => void
  /** Requests that it answered completely. */
  served: number
  usable: boolean
}

const MAX_ORIGINS = 256
const IDLE_MILLISECONDS = 15_000
const MAX_HEAD_BYTES = 64 * 1024

const originKey = (origin: Origin): string => `${origin.scheme}://${formatAuthority(origin.authority)}`

class PooledConnection implements UpstreamConnection {
  served = 0
  usable = true
  readonly client: UndiciClient
  readonly idle: Array<PooledConnection>

  constructor(client: UndiciClient, idle: Array<PooledConnection>, gone: (connection: PooledConnection) => void) {
    this.client = client
    this.idle = idle
    // With a request on it that was not written yet, undici connects again by itself: it must be let.
    client.on("disconnect", () => {
      this.usable = false
      if (!idle.includes(this)) return
      this.destroy()
      gone(this)
    })
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.client.dispatch(options, handler)
  }

  destroy(): void {
    this.usable = false
    const at = this.idle.indexOf(this)
    if (at !== -1) this.idle.splice(at, 1)
    // Not within undici's own callback.
    setImmediate(() => void this.client.destroy().catch(() => undefined))
  }
}

export class UpstreamPool {
  readonly #dialer: UpstreamDialer
  readonly #idle = new Map<string, Array<PooledConnection>>()
  readonly #all = new Set<PooledConnection>()
  #Client: typeof UndiciClient | undefined

  constructor(dialer: UpstreamDialer) {
    this.#dialer = dialer
  }

  /** undici is loaded on first use, or earlier by this call. */
  async load(): Promise<void> {
    this.#Client ??= (await import("undici/lib/dispatcher/client.js")).default as typeof UndiciClient
  }

  get loaded(): boolean {
    return this.#Client !== undefined
  }

  acquire(origin: Origin, fresh = false): UpstreamConnection {
    const key = originKey(origin)
    let idle = this.#idle.get(key)
    if (idle === undefined) {
      if (this.#idle.size >= MAX_ORIGINS) {
        for (const [other, connections] of this.#idle) if (connections.length === 0) this.#idle.delete(other)
      }
      this.#idle.set(key, idle = [])
    }
    const reused = fresh ? undefined : idle.pop()
    if (reused !== undefined) return reused
    const Client = this.#Client
    if (Client === undefined) throw new Error("undici is not loaded")
    const purpose = origin.routes === undefined ? "tunnel" : "provider"
    const dial = origin.scheme === "https" ? this.#dialer.tls : this.#dialer.tcp
    const client = new Client(`${origin.scheme}://${formatAuthority(origin.authority)}`, {
      connect: (_options, callback) => {
        dial(origin.authority, purpose).then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null)
        )
      },
      pipelining: 1,
      keepAliveTimeout: IDLE_MILLISECONDS,
      keepAliveMaxTimeout: 4 * IDLE_MILLISECONDS,
      // A model may think for minutes before its first byte, and an event stream may be silent for hours.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEAD_BYTES,
      allowH2: false
    })
    const connection = new PooledConnection(client, idle, (gone) => this.#all.delete(gone))
    this.#all.add(connection)
    return connection
  }

  /** The exchange on it was complete: the next one may use it. */
  release(connection: UpstreamConnection): void {
    if (!(connection instanceof PooledConnection)) return
    connection.served++
    if (connection.usable) connection.idle.push(connection)
    else this.discard(connection)
  }

  /** After an error, or when its socket was taken over: nothing else may use it. */
  discard(connection: UpstreamConnection): void {
    if (!(connection instanceof PooledConnection)) return
    this.#all.delete(connection)
    connection.destroy()
  }

  close(): void {
    for (const connection of this.#all) connection.destroy()
    this.#all.clear()
  }
}
