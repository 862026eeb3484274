/** An HTTP/1.1 connection with an upstream that the test scripts byte by byte, and the events of requests on it. */
import type * as Net from "node:net"
import { Duplex, Readable } from "node:stream"
import { ClientConnection } from "../../src/http/http1/ClientConnection.ts"
import type { OutgoingRequest, RequestFailure, ResponseReceiver } from "../../src/http/OutgoingRequest.ts"

/** Waits for a turn of the event loop, so that deferred work runs. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Our end of the connection. */
export class FakeSocket extends Duplex {
  /** Everything written to it, each write in latin1. */
  readonly writes: Array<string> = []
  /** Whether it accepts writes. If not, writes wait for `drain`. */
  open = true
  /** Called after each write. */
  onWritten: () => void = () => {}
  #waiting: (() => void) | undefined

  constructor({ allowHalfOpen = false }: { readonly allowHalfOpen?: boolean } = {}) {
    super({ highWaterMark: 16 * 1024, decodeStrings: true, allowHalfOpen })
    this.on("error", () => {})
  }

  get written(): string {
    return this.writes.join("")
  }

  /** Sends text in latin1; null ends the upstream's side. */
  async receive(text: string | null): Promise<void> {
    this.push(text === null ? null : Buffer.from(text, "latin1"))
    await turn()
  }

  drain(): void {
    this.open = true
    const done = this.#waiting
    this.#waiting = undefined
    done?.()
  }

  override _read(): void {}

  override _writev(
    chunks: ReadonlyArray<{ readonly chunk: Buffer }>,
    done: (error?: Error | null) => void
  ): void {
    this.writes.push(Buffer.concat(chunks.map(({ chunk }) => chunk)).toString("latin1"))
    if (this.open) done()
    else this.#waiting = done
    this.onWritten()
  }

  resetAndDestroy(): void {
    this.destroy()
  }
}

/** Records the calls to a receiver. */
export class RecordedResponse implements ResponseReceiver {
  readonly informs: Array<readonly [status: number, headers: ReadonlyArray<string>]> = []
  continues = 0
  head: readonly [status: number, reason: string, headers: ReadonlyArray<string>] | undefined
  body = ""
  trailers: ReadonlyArray<string> | undefined
  failure: RequestFailure | undefined
  switched: Duplex | undefined
  onReceived: () => void = () => {}

  continued(): void {
    this.continues++
  }

  informed(status: number, headers: Array<string>): void {
    this.informs.push([status, headers])
  }

  responded(status: number, reason: string, headers: Array<string>): void {
    this.head = [status, reason, headers]
  }

  received(chunk: Buffer): void {
    this.body += chunk.toString("latin1")
    this.onReceived()
  }

  finished(trailers: Array<string>): void {
    this.trailers = trailers
  }

  failed(failure: RequestFailure): void {
    this.failure = failure
  }

  upgraded(_status: number, _headers: Array<string>, socket: Duplex): void {
    this.switched = socket
  }

  /** The comparable part of the result. */
  get outcome(): readonly [status: number | undefined, body: string, end: "finished" | "failed" | "switched" | "open"] {
    const end = this.failure !== undefined
      ? "failed"
      : this.trailers !== undefined
      ? "finished"
      : this.switched !== undefined
      ? "switched"
      : "open"
    return [this.head?.[0], this.body, end]
  }
}

export const request = (more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: "GET",
  path: "/",
  headers: ["Host", "example"],
  secret: [],
  body: null,
  expectsContinue: false,
  trailers: undefined,
  wantsTrailers: false,
  upgrade: undefined,
  ...more
})

/** A body that the test writes. */
export const openBody = (): Readable => new Readable({ read: () => {} }).on("error", () => {})

export const connect = () => {
  const socket = new FakeSocket()
  const idle: Array<ClientConnection> = []
  const connection = new ClientConnection({ socket: socket as unknown as Net.Socket, idle, gone: () => {} })
  return {
    socket,
    connection,
    idle,
    send: (more?: Partial<OutgoingRequest>) => {
      const response = new RecordedResponse()
      // The pool does this before it reuses an idle connection.
      if (idle.includes(connection)) idle.pop()
      return { response, sent: connection.send(request(more), response) }
    }
  }
}
