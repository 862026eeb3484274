/** HTTP/1.1 towards the child: its connections, and those that a WebSocket has taken over. */
import type * as Net from "node:net"
import type { Duplex } from "node:stream"
import type { ExchangeHost } from "./Exchange.ts"
import { Http1Exchange } from "./Http1Exchange.ts"
import type { Http1Message } from "./Http1Message.ts"
import { Http1Server } from "./Http1Server.ts"
import type { Origin } from "./HttpEngine.ts"

/** How long an API may be silent on a WebSocket of which the child has ended its side. */
const CHILD_ENDED_MILLISECONDS = 300_000

export class Http1Child {
  readonly #host: ExchangeHost
  readonly #server: Http1Server
  readonly #spliced = new Set<Duplex>()

  constructor(host: ExchangeHost) {
    this.#host = host
    this.#server = new Http1Server(host.options)
  }

  serve(socket: Net.Socket, transport: Net.Socket, origin: Origin): void {
    this.#server.serve(socket, (message) => this.#begin(message, origin, message.target, true), transport)
  }

  /** One request that did not come through a tunnel. */
  forward(message: Http1Message, origin: Origin, target: string): void {
    // Its end has been told already, and would not be told again.
    if (!message.isOver) this.#begin(message, origin, target, false)
  }

  close(): void {
    for (const socket of this.#spliced) socket.destroy()
    this.#server.close()
  }

  #begin(message: Http1Message, origin: Origin, target: string, insideTunnel: boolean): void {
    new Http1Exchange(this.#host, message, origin, target, insideTunnel, this.#splice).begin()
  }

  /**
   * Both ways until both ends are done. Silence ends nothing as long as both go on: the kernel sees whether they are still
   * there, because both connections are kept alive.
   */
  readonly #splice = (child: Duplex, upstream: Duplex): void => {
    let silence: NodeJS.Timeout | undefined
    this.#spliced.add(child)
    const release = () => {
      clearTimeout(silence)
      this.#spliced.delete(child)
      child.destroy()
      upstream.destroy()
    }
    child.once("end", () => {
      silence = setTimeout(release, CHILD_ENDED_MILLISECONDS)
      upstream.on("data", () => silence?.refresh())
    })
    child.on("error", release)
    upstream.on("error", release)
    child.once("close", release)
    upstream.once("close", release)
    child.pipe(upstream)
    upstream.pipe(child)
  }
}
