/** Serves the clients' connections to a proxy, and routes the requests that are admitted. */
import type * as Net from "node:net"
import { Http1Server } from "../../http/http1/Http1Server.ts"
import type { ServerConnection } from "../../http/http1/ServerConnection.ts"
import type { ServerRequest } from "../../http/http1/ServerRequest.ts"
import { ConnectionLimit, type Standing } from "../../platform/sockets/ConnectionLimit.ts"
import type { Refusal } from "../ErrorResponse.ts"
import { type ProxyEvent, rejectBytes } from "../ProxyEvent.ts"
import { HEAD_MILLISECONDS } from "./Engine.ts"
import { type RefusalOptions, refuseRequest } from "./RefuseRequest.ts"

export const CONNECTION_OPTIONS = {
  allowHalfOpen: true, // a tunnel can end in one direction first
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000
}

/** The length of the kernel's accept queue. When it overflows, a client retries its SYN only after a second. */
export const BACKLOG = 4096

export type Verdict =
  | { readonly _tag: "admitted"; readonly route: (request: ServerRequest) => void }
  | { readonly _tag: "refused"; readonly refusal: Refusal; readonly options?: RefusalOptions | undefined }

/** Decides who may use the proxy. Calls `report` once at most. */
export type Admit = (request: ServerRequest, report: (verdict: Verdict) => void) => void

interface ListenerOptions {
  readonly admit: Admit
  readonly maxConnections: number
  readonly headMilliseconds?: number | undefined
  /** Called for refused requests. */
  readonly onEvent?: ((event: ProxyEvent) => void) | undefined
}

export class Listener {
  readonly #options: ListenerOptions
  readonly #http: Http1Server
  /** Limits the connections of all sockets together. */
  readonly #limit: ConnectionLimit
  readonly #served = new WeakMap<Net.Socket, ServerConnection>()
  /** The connections on which at least one request was admitted. */
  readonly #admitted = new WeakSet<Net.Socket>()

  constructor(options: ListenerOptions) {
    this.#options = options
    this.#http = new Http1Server({
      headMilliseconds: options.headMilliseconds ?? HEAD_MILLISECONDS,
      rejection: rejectBytes("", options.onEvent)
    })
    this.#limit = new ConnectionLimit(options.maxConnections, (socket) => this.#standingOf(socket))
  }

  /** Serves a connection that a socket has accepted. */
  accept(socket: Net.Socket): void {
    if (this.count(socket)) this.serve(socket)
  }

  /** Counts a connection. Returns false if it was closed because there are too many. */
  count(socket: Net.Socket): boolean {
    return this.#limit.add(socket)
  }

  /** Serves a connection that was counted. */
  serve(socket: Net.Socket): void {
    this.#served.set(socket, this.#http.serve(socket, this.#requested))
  }

  closeIdle(): void {
    this.#http.closeIdle()
  }

  close(): void {
    this.#http.close()
    for (const socket of this.#limit.open) socket.destroy()
  }

  readonly #requested = (request: ServerRequest): void => {
    this.#options.admit(request, (verdict) => {
      if (verdict._tag === "admitted") this.#admitted.add(request.socket)
      if (request.response.isClosed) return
      if (verdict._tag === "admitted") verdict.route(request)
      else refuseRequest(request, verdict.refusal, this.#options.onEvent, verdict.options)
    })
  }

  #standingOf(socket: Net.Socket): Standing {
    const connection = this.#served.get(socket)
    // The connection of a client that uses no proxy: its bytes are relayed, or were not read yet.
    if (connection === undefined) return "busy"
    if (this.#admitted.has(socket)) return connection.isIdle ? "idle" : "busy"
    return connection.isIdle ? "silent" : "unknown"
  }
}
