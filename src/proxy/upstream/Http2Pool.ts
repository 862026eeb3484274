/** The sessions of HTTP/2 with one upstream. */
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { ClientSession } from "../../http/http2/ClientSession.ts"
import type { OutgoingRequest, PendingRequest, ResponseReceiver } from "../../http/OutgoingRequest.ts"
import { PREPARED_MILLISECONDS } from "./Http1Pool.ts"
import { WaitingRequest } from "./WaitingRequest.ts"

const MAX_SESSIONS = 32

interface Http2PoolOptions {
  /** The URL of the upstream. */
  readonly origin: string
  /** Connects with both protocols in the ALPN offer. */
  readonly dial: () => Promise<Net.Socket | Tls.TLSSocket>
  /** Whether the upstream may support HTTP/2. */
  readonly isUsable: () => boolean
  /** Called with the waiting requests if the upstream supports only HTTP/1.1, and with its connection of that protocol, if any. */
  readonly refused: (waiting: ReadonlyArray<WaitingRequest>, socket: Net.Socket | undefined) => void
}

export class Http2Pool {
  readonly #options: Http2PoolOptions
  readonly #sessions: Array<ClientSession> = []
  /** Requests that wait for a session with a free stream. */
  #queue: Array<WaitingRequest> = []
  #growing = false

  constructor(options: Http2PoolOptions) {
    this.#options = options
  }

  get unused(): boolean {
    return this.#sessions.length === 0 && this.#queue.length === 0
  }

  send(request: OutgoingRequest, receiver: ResponseReceiver): PendingRequest {
    const session = this.#session()
    if (session !== undefined) return session.send(request, receiver)
    const waiting = new WaitingRequest(request, receiver)
    this.#queue.push(waiting)
    this.grow()
    return waiting
  }

  /** Sends a request that the upstream refuses over HTTP/1.1. */
  take(waiting: WaitingRequest): void {
    this.#queue.push(waiting)
    this.#drain()
  }

  close(): void {
    for (const session of this.#sessions.slice()) session.destroy()
  }

  /** Finds the oldest session with a free stream, so that newer ones become idle and close. Probes stale sessions instead of using them. */
  #session(): ClientSession | undefined {
    for (const session of this.#sessions) {
      if (!session.hasRoom) continue
      if (!session.isStale) return session
      session.probe()
    }
    return undefined
  }

  #drain(): void {
    while (true) {
      while (this.#queue[0]?.aborted === true) this.#queue.shift()
      if (this.#queue.length === 0) return
      const session = this.#session()
      if (session === undefined) break
      this.#queue.shift()?.sendOn(session)
    }
    this.grow()
  }

  /** Opens a session, unless one is about to have a free stream. */
  grow(): void {
    if (this.#growing || this.#sessions.length >= MAX_SESSIONS || this.#sessions.some(({ isAwaited }) => isAwaited)) {
      return
    }
    this.#growing = true
    this.#options.dial().then((socket) => {
      this.#growing = false
      if (!("alpnProtocol" in socket) || socket.alpnProtocol !== "h2") this.#giveUp(socket)
      else if (this.#options.isUsable()) this.#join(socket)
      else socket.destroy()
    }).catch((error: Error) => {
      this.#growing = false
      // Requests that wait for an existing, full session get a stream when one is free.
      if (this.#sessions.length > 0) return
      for (const waiting of this.#queue.splice(0)) waiting.fail(error)
    })
  }

  #join(socket: Tls.TLSSocket): void {
    const prepared = this.#queue.length === 0
    const session = new ClientSession({
      origin: this.#options.origin,
      socket,
      prepared,
      available: () => this.#drain(),
      // HTTP_1_1_REQUIRED (RFC 9113 section 7).
      declined: () => this.#giveUp(undefined),
      gone: (gone) => {
        this.#sessions.splice(this.#sessions.indexOf(gone), 1)
        this.#drain()
      }
    })
    this.#sessions.push(session)
    if (prepared) {
      setTimeout(() => {
        if (session.unused) session.close()
      }, PREPARED_MILLISECONDS).unref()
    }
    this.#drain()
  }

  #giveUp(socket: Net.Socket | undefined): void {
    this.#options.refused(this.#queue.splice(0).filter(({ aborted }) => !aborted), socket)
  }
}
