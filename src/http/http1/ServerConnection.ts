/** One connection of an HTTP/1.1 server. Hands out one request after the other, each as soon as its head is complete. */
import type * as Net from "node:net"
import { resetConnection } from "../../platform/sockets/Transport.ts"
import { LONG_HEAD } from "../HeaderFields.ts"
import { stopFlowing } from "../NodeQuirks.ts"
import { MessageParser } from "./MessageParser.ts"
import { type DetachedSocket, type ProtocolViolation, type RequestConnection, ServerRequest } from "./ServerRequest.ts"
import { WriteQueue } from "./WriteQueue.ts"

const IDLE_MILLISECONDS = 75_000
const LINGER_MILLISECONDS = 1000
/**
 * How many bytes of later requests are read during a response. Small chunks are also limited by number, because each
 * costs memory.
 */
const MAX_AHEAD_BYTES = 64 * 1024
const MAX_AHEAD_PIECES = 256

interface ServerConnectionOptions {
  /** The TCP socket below a TLS socket, otherwise the socket itself. */
  readonly transport: Net.Socket
  readonly requested: (request: ServerRequest) => void
  readonly closed: (connection: ServerConnection) => void
  readonly rejection: (violation: ProtocolViolation) => string
}

export class ServerConnection implements RequestConnection {
  readonly socket: Net.Socket
  readonly queue: WriteQueue
  readonly #options: ServerConnectionOptions
  readonly #parser = new MessageParser("request")
  #current: ServerRequest | undefined
  #received = true
  #ahead: Array<Buffer> = []
  #aheadBytes = 0
  /** A part of a body that has no reader yet. */
  #part: Buffer | undefined
  #reading = false
  #last = false
  #detached = false
  /**
   * The time since which the connection has waited for a request, for the rest of a head, or for the rest of an
   * unwanted body.
   */
  #since = performance.now()
  #served = false

  constructor(socket: Net.Socket, options: ServerConnectionOptions) {
    this.socket = socket
    this.queue = new WriteQueue(socket)
    this.#options = options
    socket.on("data", this.#onData)
    socket.on("drain", this.#onDrain)
    socket.on("end", this.#onEnd)
    socket.on("error", this.#onError)
    socket.on("close", this.#onClose)
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#last) return
    this.#served = true
    if (this.#isHeld || this.#reading || this.#ahead.length > 0 || this.#parser.hasRest) {
      this.#ahead.push(chunk)
      this.#aheadBytes += chunk.length
      if (this.#isFarAhead) this.socket.pause()
      return
    }
    this.#feed(chunk)
    this.#read()
  }

  readonly #onDrain = (): void => {
    if (this.#current !== undefined) return this.#current.drained()
    this.#since = performance.now()
    this.proceed()
  }

  /** Ends the connection of a client that half-closes: clients that wait for a response keep their side open. */
  readonly #onEnd = (): void => {
    // The client may still read: an incomplete response must not look complete.
    if (this.#current !== undefined) return this.reset()
    this.#last = true
    this.queue.flush()
    this.socket.end()
  }

  /** Only destroys the socket, because the event `close` follows. */
  readonly #onError = (): void => {
    this.socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#last = true
    this.#parser.close()
    this.#options.closed(this)
    this.#current?.lost()
  }

  /** Whether reading has to wait: for a response, for a reader of the body, or for earlier responses to be read. */
  get #isHeld(): boolean {
    if (this.#part !== undefined) return true
    if (this.#current !== undefined) return this.#received || this.#current.isFull
    return this.#received && this.socket.writableNeedDrain
  }

  get #isFarAhead(): boolean {
    return this.#aheadBytes > MAX_AHEAD_BYTES || this.#ahead.length > MAX_AHEAD_PIECES
  }

  get #isInHead(): boolean {
    return this.#received && this.#parser.underWay
  }

  /** Whether the connection waits for a request. A detached one does not. */
  get isIdle(): boolean {
    return this.#current === undefined && !this.#detached
  }

  #read(): void {
    this.#reading = true
    while (!this.#last && !this.#isHeld) {
      const next = this.#parser.next()
      if (next === "more") {
        const chunk = this.#ahead.shift()
        if (chunk === undefined) break
        this.#aheadBytes -= chunk.length
        this.#feed(chunk)
      } else if (next === "head") this.#begin()
      else if (next === "body") this.#pass(this.#parser.chunk)
      else if (next === "end") this.#finish()
      else {
        if (this.#parser.overlong) this.#reject(431, LONG_HEAD)
        else this.#reject(400, this.#parser.invalid("this"))
      }
    }
    this.#reading = false
    if (!this.#last && !this.#isFarAhead && this.socket.isPaused()) this.socket.resume()
  }

  #feed(chunk: Buffer): void {
    if (!this.#isInHead) this.#since = performance.now()
    this.#parser.feed(chunk)
  }

  proceed(): void {
    if (!this.#reading && !this.#isHeld && !this.#last) this.#read()
  }

  #begin(): void {
    this.#received = false
    const request = new ServerRequest(this, this.#parser)
    this.#current = request
    this.#options.requested(request)
  }

  #pass(part: Buffer): void {
    if (this.#current === undefined) return // the response is complete, and the rest of the body is not wanted
    if (this.#current.isOpen) this.#current.received(part)
    else this.#part = part
  }

  #finish(): void {
    this.#received = true
    this.#current?.receivedAll()
    this.#since = performance.now()
  }

  bodyOpened(request: ServerRequest): void {
    const part = this.#part
    this.#part = undefined
    if (part !== undefined) request.received(part)
    if (this.#received) request.receivedAll()
    process.nextTick(() => this.proceed())
  }

  finished(keepAlive: boolean): void {
    this.#current = undefined
    this.#part = undefined
    this.#since = performance.now()
    if (!keepAlive) return this.#closeGracefully()
    if (this.#received && this.#ahead.length === 0 && !this.#parser.hasRest) return
    process.nextTick(() => this.proceed())
  }

  /** Writes what is queued and ignores what arrives: a reset could overtake the response (RFC 9112 section 9.6). */
  #closeGracefully(): void {
    this.#last = true
    this.#ahead = []
    this.queue.flush()
    this.socket.end(() => setTimeout(() => this.socket.destroy(), LINGER_MILLISECONDS).unref())
    this.socket.resume()
  }

  /** Hands over the socket. The caller must listen for errors. */
  detach(): DetachedSocket {
    const { socket } = this
    this.queue.flush()
    // The parser may still have to report the end of the request.
    if (!this.#received) this.#parser.next()
    const head = Buffer.concat([this.#parser.rest, ...this.#ahead])
    this.#last = true
    this.#detached = true
    this.#current = undefined
    socket.off("data", this.#onData).off("drain", this.#onDrain).off("end", this.#onEnd)
    socket.off("error", this.#onError).off("close", this.#onClose)
    this.#parser.close()
    this.#options.closed(this)
    stopFlowing(socket)
    return { socket, head }
  }

  /** Resets the connection. A TLS socket cannot send a reset: the TCP socket below it does. */
  reset(): void {
    const { transport } = this.#options
    this.#last = true
    // The TLS socket is destroyed with its TCP socket; destroying it first crashes Node 24.
    if (transport.destroyed) this.socket.destroy()
    else {
      this.queue.flush()
      resetConnection(transport)
    }
  }

  enforceLimits(headMilliseconds: number): void {
    // There is no limit for the time in which a client reads a response.
    if (this.#current !== undefined || this.#last || this.socket.writableLength > 0) return
    const waited = performance.now() - this.#since
    if (this.#isInHead) {
      if (waited > headMilliseconds) this.#reject(408, "the request's head did not arrive in time")
    } else if (waited > (this.#served ? IDLE_MILLISECONDS : headMilliseconds)) this.socket.destroy()
  }

  #reject(status: number, message: string): void {
    const violation = { status, message }
    this.#last = true
    if (this.#current?.handler !== undefined) return this.#current.malformed(violation)
    this.#current?.lost()
    this.queue.write(this.#options.rejection(violation))
    this.#closeGracefully()
  }
}
