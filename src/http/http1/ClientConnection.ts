/**
 * A client connection of HTTP/1.1. Responses are matched to requests by their order alone. A connection is therefore
 * reused only after a complete request and response, and only if the server has sent nothing unsolicited: this prevents
 * response desynchronization.
 */
import type * as Net from "node:net"
import {
  InvalidResponseError,
  type OutgoingRequest,
  type PendingRequest,
  type ResponseReceiver
} from "../OutgoingRequest.ts"
import { ClientRequest, type SendingConnection } from "./ClientRequest.ts"
import { idleMilliseconds } from "./KeepAlive.ts"
import { MessageParser } from "./MessageParser.ts"

interface ClientConnectionOptions {
  readonly socket: Net.Socket
  /** The idle connections of the same origin, newest last. */
  readonly idle: Array<ClientConnection>
  readonly gone: (connection: ClientConnection) => void
}

export class ClientConnection implements SendingConnection {
  readonly socket: Net.Socket
  readonly #options: ClientConnectionOptions
  readonly #parser = new MessageParser("response")
  #request: ClientRequest | undefined
  /** Whether the connection was idle before this request. The server may have closed an idle connection in the meantime. */
  #wasIdle = false
  #usable = true
  #reading = false
  /** Whether backpressure keeps received bytes of the response in the parser. */
  #paused = false
  #ended = false
  #idleTimer: NodeJS.Timeout | undefined
  #idleMilliseconds = 0

  constructor(options: ClientConnectionOptions) {
    const { socket } = options
    this.socket = socket
    this.#options = options
    socket.on("data", this.#onData)
    socket.on("drain", () => this.#request?.drained())
    socket.on("end", () => {
      this.#ended = true
      if (!this.#paused) this.#finish()
    })
    socket.on("error", (error) => this.#lose(error))
    socket.on("close", () => {
      // After a graceful close, the rest of a response may still wait in the parser.
      if (!this.#ended || !this.#paused) this.#lose(new Error("the connection was closed"))
    })
  }

  /** Sends a request. The previous response must be complete. */
  send(request: OutgoingRequest, receiver: ResponseReceiver): PendingRequest {
    const sent = new ClientRequest(this, request, receiver, this.#wasIdle)
    if (!this.#usable || !this.socket.writable) {
      this.discard()
      receiver.failed({ error: new Error("the connection was closed"), retry: "everything", code: undefined })
      return sent
    }
    this.#request = sent
    this.#parser.hasNoContent = request.method === "HEAD"
    try {
      sent.begin()
    } catch (error) {
      this.fail(sent, error as Error)
    }
    return sent
  }

  /** Makes the connection available. The newest idle connection is used first, so that the others time out. */
  keep(milliseconds: number): void {
    if (!this.#usable) return
    this.#wasIdle = true
    this.#options.idle.push(this)
    if (this.#idleTimer !== undefined && milliseconds === this.#idleMilliseconds) {
      this.#idleTimer.refresh()
      return
    }
    clearTimeout(this.#idleTimer)
    this.#idleMilliseconds = milliseconds
    this.#idleTimer = setTimeout(() => {
      if (this.#request === undefined) this.discard()
    }, milliseconds).unref()
  }

  discard(): void {
    if (!this.#usable) return
    this.#leave()
    this.socket.destroy()
  }

  pause(request: ClientRequest): void {
    if (this.#request !== request) return
    this.#paused = true
    this.socket.pause()
  }

  resume(request: ClientRequest): void {
    if (this.#request !== request || !this.#paused) return
    this.#paused = false
    if (!this.#reading) this.#read()
    if (!this.#paused && this.#usable) this.socket.resume()
  }

  abort(request: ClientRequest): void {
    if (this.#request === request) this.discard()
  }

  fail(request: ClientRequest, error: Error): void {
    if (this.#request !== request) return
    this.discard()
    request.receiver.failed({ error, retry: "nothing", code: undefined })
  }

  #lose(error: Error): void {
    const request = this.#request
    this.discard()
    if (request === undefined) return
    const stale = request.mayBeStale && !request.heard
    request.receiver.failed({ error, retry: stale ? "idempotent" : "nothing", code: undefined })
  }

  #leave(): void {
    this.#usable = false
    this.#request?.end()
    this.#request = undefined
    clearTimeout(this.#idleTimer)
    this.#parser.close()
    const { gone, idle } = this.#options
    const at = idle.indexOf(this)
    if (at !== -1) idle.splice(at, 1)
    gone(this)
  }

  readonly #onData = (bytes: Buffer): void => {
    // The server sent data without a request.
    if (this.#request === undefined) return this.discard()
    this.#request.heard = true
    this.#parser.feed(bytes)
    this.#read()
  }

  #read(): void {
    this.#reading = true
    for (let request = this.#request; request !== undefined && !this.#paused; request = this.#request) {
      const next = this.#parser.next()
      if (next === "body") request.receiver.received(this.#parser.chunk)
      else if (next === "head") this.#head(request)
      else if (next === "end") this.#end(request)
      else {
        // An invalid response is reported like a lost connection, because earlier data may be on its way to the client.
        if (next === "error") {
          process.nextTick(() => this.#lose(new InvalidResponseError(this.#parser.invalid("the response"))))
        } else if (this.#ended) this.#finish()
        break
      }
    }
    this.#reading = false
  }

  #head(request: ClientRequest): void {
    const { status, upgrade } = this.#parser
    if (status >= 200) request.responded(this.#parser)
    else if (status >= 100 && status !== 101) request.informed(this.#parser)
    else if (status !== 101 || !upgrade || request.request.upgrade === undefined) {
      this.fail(request, new InvalidResponseError(`the response has the unexpected status ${status}`))
    }
  }

  #end(request: ClientRequest): void {
    const { status } = this.#parser
    if (status === 101) this.#handOver(request)
    else if (status >= 200) this.#complete(request)
  }

  /** Handles the end of the connection, which may be the end of the response (RFC 9112 section 6.3). */
  #finish(): void {
    const request = this.#request
    if (request !== undefined && this.#parser.finish() === "end") this.#complete(request)
    else this.#lose(new Error("the server closed the connection"))
  }

  #complete(request: ClientRequest): void {
    const { hasRest, headers, keepAlive, status, trailers } = this.#parser
    const { method, upgrade } = request.request
    // Some servers send content in response to HEAD.
    const reusable = keepAlive && !hasRest && request.complete && !this.#ended && upgrade === undefined &&
      method !== "HEAD"
    const milliseconds = reusable ? idleMilliseconds(status, headers) : 0
    if (milliseconds === 0) this.discard()
    else {
      request.end()
      this.#request = undefined
      this.keep(milliseconds)
    }
    request.receiver.finished(trailers)
  }

  #handOver(request: ClientRequest): void {
    const { headers, rest, status } = this.#parser
    const { socket } = this
    this.#leave()
    socket.off("data", this.#onData)
    socket.pause()
    if (rest.length > 0) socket.unshift(rest)
    request.receiver.upgraded(status, headers, socket)
  }
}
