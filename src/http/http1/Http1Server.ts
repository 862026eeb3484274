/** An HTTP/1.1 server for sockets that it is handed, with time limits for heads and idle connections. */
import type * as Net from "node:net"
import { ServerConnection } from "./ServerConnection.ts"
import type { ProtocolViolation, ServerRequest } from "./ServerRequest.ts"
import { flushAll } from "./WriteQueue.ts"

interface Http1ServerOptions {
  readonly headMilliseconds: number
  /** The response to bytes that are not a valid request, as text in latin1. */
  readonly rejection: (violation: ProtocolViolation) => string
}

export class Http1Server {
  readonly #options: Http1ServerOptions
  readonly #connections = new Set<ServerConnection>()
  readonly #timer: NodeJS.Timeout

  constructor(options: Http1ServerOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#enforceLimits(), Math.min(2000, options.headMilliseconds)).unref()
  }

  /**
   * Serves a connection. `transport`: the TCP socket below a TLS socket. `rejection` replaces the server's `rejection`
   * for this connection.
   */
  serve(
    socket: Net.Socket,
    requested: (request: ServerRequest) => void,
    transport: Net.Socket = socket,
    rejection = this.#options.rejection
  ): ServerConnection {
    const closed = (gone: ServerConnection) => this.#connections.delete(gone)
    const connection = new ServerConnection(socket, { transport, requested, closed, rejection })
    this.#connections.add(connection)
    return connection
  }

  closeIdle(): void {
    flushAll()
    for (const connection of this.#connections) if (connection.isIdle) connection.socket.destroy()
  }

  close(): void {
    clearInterval(this.#timer)
    flushAll()
    for (const connection of this.#connections) {
      if (connection.isIdle) connection.socket.destroy()
      else connection.reset()
    }
  }

  #enforceLimits(): void {
    for (const connection of this.#connections) connection.enforceLimits(this.#options.headMilliseconds)
  }
}
