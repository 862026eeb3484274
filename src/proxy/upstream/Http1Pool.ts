/** The connections of HTTP/1.1 to one upstream. */
import type * as Net from "node:net"
import { ClientConnection } from "../../http/http1/ClientConnection.ts"
import { DialError } from "../../outbound/DialError.ts"
import type { WaitingRequest } from "./WaitingRequest.ts"

/** How long a connection that was opened in advance waits for its first request. */
export const PREPARED_MILLISECONDS = 3000

/** Whether a request may use any connection, or only a new one. */
export type ConnectionUse = "any" | "new"

export class Http1Pool {
  readonly #dial: () => Promise<Net.Socket>
  readonly #refused: (waiting: WaitingRequest) => void
  /** The connections that may be open. They close with the run. */
  readonly #open = new Set<ClientConnection>()
  readonly #idle: Array<ClientConnection> = []
  /** Requests that will get an idle connection at the end of this event-loop turn. */
  #starting: Array<WaitingRequest> = []
  /** A connection being opened in advance, not yet claimed by a request. */
  #prepared: Promise<Net.Socket> | undefined

  /** `refused` is called with a request if the upstream supports only HTTP/2. */
  constructor(dial: () => Promise<Net.Socket>, refused: (waiting: WaitingRequest) => void) {
    this.#dial = dial
    this.#refused = refused
  }

  get unused(): boolean {
    return this.#open.size === 0 && this.#starting.length === 0
  }

  send(waiting: WaitingRequest, connection: ConnectionUse): void {
    const { expectsContinue, upgrade } = waiting.request
    if (connection === "new" || upgrade !== undefined || expectsContinue || this.#idle.length === 0) {
      this.#connect(waiting)
    } else if (this.#starting.push(waiting) === 1) setImmediate(() => this.#start())
  }

  async prepare(): Promise<void> {
    const prepared = this.#dial()
    this.#prepared = prepared
    const socket = await prepared.catch(() => undefined)
    if (this.#prepared !== prepared) return
    this.#prepared = undefined
    if (socket !== undefined) this.#adopt(socket).keep(PREPARED_MILLISECONDS)
  }

  /** Sends requests that the upstream refuses over HTTP/2. The first one gets `socket`, if any, and the others open their own. */
  take(requests: ReadonlyArray<WaitingRequest>, socket: Net.Socket | undefined): void {
    const [first] = requests
    const connection = socket && this.#adopt(socket)
    if (connection !== undefined && first !== undefined) this.#first(connection, first)
    else connection?.keep(PREPARED_MILLISECONDS)
    for (const waiting of connection === undefined ? requests : requests.slice(1)) this.#connect(waiting)
  }

  close(): void {
    for (const connection of this.#open) connection.discard()
  }

  /** Sends the starting requests. Runs after the event loop has read all data, so connections that the upstream has closed are not idle. */
  #start(): void {
    const starting = this.#starting
    this.#starting = []
    for (const waiting of starting) {
      if (waiting.aborted) continue
      const connection = this.#idle.pop()
      if (connection === undefined) this.#connect(waiting)
      else waiting.sendOn(connection)
    }
  }

  #connect(waiting: WaitingRequest): void {
    const prepared = this.#prepared
    this.#prepared = undefined
    const connected = (prepared ?? this.#dial()).then((socket) => this.#first(this.#adopt(socket), waiting))
    connected.catch((error: Error) => {
      const isRefused = error instanceof DialError && error.problem === "protocol"
      if (isRefused && waiting.request.upgrade === undefined) this.#refused(waiting)
      else waiting.fail(error)
    })
  }

  #adopt(socket: Net.Socket): ClientConnection {
    const gone = (connection: ClientConnection) => this.#open.delete(connection)
    const connection = new ClientConnection({ socket, idle: this.#idle, gone })
    this.#open.add(connection)
    return connection
  }

  /** Sends the first request of a connection, a turn later so that unsolicited data from the upstream is noticed. */
  #first(connection: ClientConnection, waiting: WaitingRequest): void {
    setImmediate(() => {
      if (waiting.aborted) connection.discard()
      else waiting.sendOn(connection)
    })
  }
}
