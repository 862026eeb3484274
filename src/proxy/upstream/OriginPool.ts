/**
 * The connections to one upstream. For requests over HTTP/2, ALPN offers both protocols. For requests over HTTP/1.1 it
 * offers HTTP/1.1, and HTTP/2 only after the upstream has refused HTTP/1.1.
 */
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { ClientConnection } from "../../http/http1/ClientConnection.ts"
import { ClientSession } from "../../http/http2/ClientSession.ts"
import type { OutgoingRequest, PendingRequest, Protocol, ResponseReceiver } from "../../http/OutgoingRequest.ts"
import { formatAuthority } from "../../outbound/Authority.ts"
import { DialError } from "../../outbound/DialError.ts"
import type { UpstreamDialer } from "../../outbound/UpstreamDialer.ts"
import type { Origin } from "../routing/Origin.ts"

const MAX_SESSIONS = 32
/** How long a connection that was opened in advance waits for its first request. */
const PREPARED_MILLISECONDS = 3000

class Waiting implements PendingRequest {
  readonly request: OutgoingRequest
  readonly receiver: ResponseReceiver
  aborted = false
  #sent: PendingRequest | undefined

  constructor(request: OutgoingRequest, receiver: ResponseReceiver) {
    this.request = request
    this.receiver = receiver
  }

  sendOn(connection: ClientConnection | ClientSession): void {
    this.#sent = connection.send(this.request, this.receiver)
  }

  fail(error: Error): void {
    if (!this.aborted) this.receiver.failed({ error, retry: "nothing", code: undefined })
  }

  pause(): void {
    this.#sent?.pause()
  }

  resume(): void {
    this.#sent?.resume()
  }

  abort(): void {
    this.aborted = true
    this.#sent?.abort()
  }
}

export class OriginPool {
  readonly #name: string
  readonly #dial: (protocols: ReadonlyArray<Protocol>) => Promise<Net.Socket | Tls.TLSSocket>
  /** The connections that may be open. They close with the run. */
  readonly #connections = new Set<ClientConnection | ClientSession>()
  readonly #idle: Array<ClientConnection> = []
  readonly #sessions: Array<ClientSession> = []
  /** Requests that will get an idle connection at the end of this event-loop turn. */
  #starting: Array<Waiting> = []
  /** Requests that wait for a session with a free stream. */
  #queue: Array<Waiting> = []
  #dialling = 0
  #growing = false
  /** A connection being opened in advance, not yet claimed by a request. */
  #prepared: Promise<Net.Socket> | undefined
  /** The only protocol that the upstream supports, once known. */
  #only: Protocol | undefined

  constructor(origin: Origin, dialer: Pick<UpstreamDialer, "tcp" | "tls">) {
    const { authority, routes, scheme } = origin
    const purpose = routes === undefined ? "tunnel" : "provider"
    this.#name = `${scheme}://${formatAuthority(authority)}`
    this.#dial = async (protocols) => {
      this.#dialling++
      try {
        return scheme === "https"
          ? await dialer.tls(authority, purpose, protocols)
          : await dialer.tcp(authority, purpose)
      } finally {
        this.#dialling--
      }
    }
  }

  get unused(): boolean {
    return this.#connections.size === 0 && this.#dialling === 0 && this.#starting.length === 0 &&
      this.#queue.length === 0
  }

  /** Sends a request. `fresh`: on a new connection. */
  send(protocol: Protocol, request: OutgoingRequest, receiver: ResponseReceiver, fresh: boolean): PendingRequest {
    if (request.upgrade !== undefined || (this.#only ?? protocol) === "http/1.1") {
      const waiting = new Waiting(request, receiver)
      if (fresh || request.upgrade !== undefined || request.expectsContinue || this.#idle.length === 0) {
        void this.#connect(waiting)
      } else if (this.#starting.push(waiting) === 1) setImmediate(() => this.#start())
      return waiting
    }
    const session = this.#session()
    if (session !== undefined) return session.send(request, receiver)
    const waiting = new Waiting(request, receiver)
    this.#queue.push(waiting)
    void this.#grow()
    return waiting
  }

  /** Opens a connection before the first request, unless there is one. Ignores failure: the request connects again and reports it. */
  prepare(protocol: Protocol): void {
    if (!this.unused) return
    if ((this.#only ?? protocol) === "h2") return void this.#grow()
    void this.#connectAhead()
  }

  close(): void {
    for (const connection of this.#connections) {
      if (connection instanceof ClientSession) connection.destroy()
      else connection.discard()
    }
  }

  /** Sends the starting requests. Runs after the event loop has read all data, so connections that the upstream has closed are not idle. */
  #start(): void {
    const starting = this.#starting
    this.#starting = []
    for (const waiting of starting) {
      if (waiting.aborted) continue
      const connection = this.#idle.pop()
      if (connection === undefined) void this.#connect(waiting)
      else waiting.sendOn(connection)
    }
  }

  async #connectAhead(): Promise<void> {
    const prepared = this.#dial(["http/1.1"])
    this.#prepared = prepared
    const socket = await prepared.catch(() => undefined)
    if (this.#prepared !== prepared) return
    this.#prepared = undefined
    if (socket !== undefined) this.#adopt(socket).keep(PREPARED_MILLISECONDS)
  }

  async #connect(waiting: Waiting): Promise<void> {
    const prepared = this.#prepared
    this.#prepared = undefined
    try {
      this.#first(this.#adopt(await (prepared ?? this.#dial(["http/1.1"]))), waiting)
    } catch (error) {
      if (!(error instanceof DialError) || error.problem !== "protocol" || waiting.request.upgrade !== undefined) {
        waiting.fail(error as Error)
        return
      }
      this.#only = "h2"
      this.#queue.push(waiting)
      this.#drain()
    }
  }

  #adopt(socket: Net.Socket): ClientConnection {
    const gone = (connection: ClientConnection) => this.#connections.delete(connection)
    const connection = new ClientConnection({ socket, idle: this.#idle, gone })
    this.#connections.add(connection)
    return connection
  }

  /** Sends the first request of a connection, a turn later so that unsolicited data from the upstream is noticed. */
  #first(connection: ClientConnection, waiting: Waiting): void {
    setImmediate(() => {
      if (waiting.aborted) connection.discard()
      else waiting.sendOn(connection)
    })
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
    void this.#grow()
  }

  async #grow(): Promise<void> {
    if (this.#growing || this.#sessions.length >= MAX_SESSIONS || this.#sessions.some(({ isAwaited }) => isAwaited)) {
      return
    }
    this.#growing = true
    try {
      const socket = await this.#dial(["h2", "http/1.1"]) as Tls.TLSSocket
      this.#growing = false
      if (socket.alpnProtocol !== "h2") this.#giveUp(socket)
      else if (this.#only === "http/1.1") socket.destroy()
      else this.#join(socket)
    } catch (error) {
      this.#growing = false
      // Requests that wait for an existing, full session get a stream when one is free.
      if (this.#sessions.length > 0) return
      for (const waiting of this.#queue.splice(0)) waiting.fail(error as Error)
    }
  }

  #join(socket: Tls.TLSSocket): void {
    const prepared = this.#queue.length === 0
    const session = new ClientSession({
      origin: this.#name,
      socket,
      prepared,
      available: () => this.#drain(),
      declined: () => this.#fallBack(),
      gone: (gone) => {
        this.#connections.delete(gone)
        this.#sessions.splice(this.#sessions.indexOf(gone), 1)
        this.#drain()
      }
    })
    this.#connections.add(session)
    this.#sessions.push(session)
    if (prepared) {
      setTimeout(() => {
        if (session.unused) session.close()
      }, PREPARED_MILLISECONDS).unref()
    }
    this.#drain()
  }

  /** Switches to HTTP/1.1 after the upstream has declined HTTP/2 (HTTP_1_1_REQUIRED, RFC 9113 section 7). */
  #fallBack(): void {
    this.#only = "http/1.1"
    for (const waiting of this.#queue.splice(0)) if (!waiting.aborted) void this.#connect(waiting)
  }

  /** Switches to HTTP/1.1: the first waiting request gets this connection, the others open their own. */
  #giveUp(socket: Tls.TLSSocket): void {
    this.#only = "http/1.1"
    const waiting = this.#queue.splice(0).filter(({ aborted }) => !aborted)
    const first = waiting.shift()
    if (first === undefined) this.#adopt(socket).keep(PREPARED_MILLISECONDS)
    else this.#first(this.#adopt(socket), first)
    for (const other of waiting) void this.#connect(other)
  }
}
