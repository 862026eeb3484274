/**
 * HTTP/1.1 as a server, on connections that it is handed: requests one after the other (D19), each given to an owner as soon as its
 * head is there, and bounds for how long that may take (D33).
 */
import type * as Net from "node:net"
import { Http1Message } from "./Http1Message.ts"
import { flushAll, Http1Output } from "./Http1Output.ts"
import { Http1Parser } from "./Http1Parser.ts"
import { refusalMessage, requestRefusal } from "./RefusalBody.ts"

const IDLE_MILLISECONDS = 75_000
const LINGER_MILLISECONDS = 1000
/** What of later requests is read while one is answered. A piece costs more than its bytes. */
const MAX_AHEAD_BYTES = 64 * 1024
const MAX_AHEAD_PIECES = 256

export interface Http1ServerOptions {
  /** How long the head of a request may take to arrive. */
  readonly headMilliseconds: number
}

/** Whose connection it is now. */
export interface TakenOver {
  readonly socket: Net.Socket
  /** What had arrived after the request. */
  readonly head: Buffer
}

export class Http1ServerConnection {
  readonly socket: Net.Socket
  readonly output: Http1Output
  readonly #transport: Net.Socket
  readonly #requested: (message: Http1Message) => void
  readonly #gone: (connection: Http1ServerConnection) => void
  readonly #parser = new Http1Parser("request")
  #current: Http1Message | undefined
  /** Of the current request. */
  #received = true
  /** What was read and must wait. */
  #ahead: Array<Buffer> = []
  #aheadBytes = 0
  /** A part of a body that nobody has asked for yet. */
  #part: Buffer | undefined
  #reading = false
  #last = false
  /** When it began to wait for a request, or for the rest of its head, or for more of a body that nobody wants. */
  #since = Date.now()
  #served = false

  constructor(
    socket: Net.Socket,
    transport: Net.Socket,
    requested: (message: Http1Message) => void,
    gone: (connection: Http1ServerConnection) => void
  ) {
    this.socket = socket
    this.output = new Http1Output(socket)
    this.#transport = transport
    this.#requested = requested
    this.#gone = gone
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
    this.#since = Date.now()
    this.proceed()
  }

  /** A client that has ended its side is taken for gone: those that wait for an answer keep it open. */
  readonly #onEnd = (): void => {
    // It may read on: what it has of an answer must not look like all of it.
    if (this.#current !== undefined) return this.reset()
    this.#last = true
    this.output.flush()
    this.socket.end()
  }

  /** `close` follows. */
  readonly #onError = (): void => {
    this.socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#last = true
    this.#parser.close()
    this.#gone(this)
    this.#current?.lost()
  }

  /** Whether what comes next has to wait: for an answer, or for somebody to read a body, or the answers before it. */
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

  get isIdle(): boolean {
    return this.#current === undefined
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
      else this.#malformed(this.#parser.overlong ? "the request's head is too long" : "this is not valid HTTP/1.1")
    }
    this.#reading = false
    if (!this.#last && !this.#isFarAhead && this.socket.isPaused()) this.socket.resume()
  }

  #feed(chunk: Buffer): void {
    if (!this.#isInHead) this.#since = Date.now()
    this.#parser.feed(chunk)
  }

  /** Goes on with what had to wait. */
  proceed(): void {
    if (!this.#reading && !this.#isHeld && !this.#last) this.#read()
  }

  #begin(): void {
    this.#received = false
    const message = new Http1Message(this, this.#parser)
    this.#current = message
    this.#requested(message)
  }

  #pass(part: Buffer): void {
    if (this.#current === undefined) return // nobody reads it any more
    if (this.#current.isOpen) this.#current.received(part)
    else this.#part = part
  }

  #finish(): void {
    this.#received = true
    this.#current?.receivedAll()
    this.#since = Date.now()
  }

  /** The body of the current request is wanted. */
  opened(message: Http1Message): void {
    const part = this.#part
    this.#part = undefined
    if (part !== undefined) message.received(part)
    if (this.#received) message.receivedAll()
    process.nextTick(() => this.proceed())
  }

  /** The current request is answered. */
  answered(keepAlive: boolean): void {
    this.#current = undefined
    this.#part = undefined
    this.#since = Date.now()
    if (!keepAlive) return this.#conclude()
    if (this.#received && this.#ahead.length === 0 && !this.#parser.hasRest) return
    process.nextTick(() => this.proceed())
  }

  /** What is written goes out, and what comes in is not looked at: a reset could overtake the answer. */
  #conclude(): void {
    this.#last = true
    this.#ahead = []
    this.output.flush()
    this.socket.end(() => setTimeout(() => this.socket.destroy(), LINGER_MILLISECONDS).unref())
    this.socket.resume()
  }

  /** What arrives from here on belongs to the caller, who must listen for errors. */
  takeOver(): TakenOver {
    const { socket } = this
    this.output.flush()
    // The end of the request itself may not have been read yet.
    if (!this.#received) this.#parser.next()
    const head = Buffer.concat([this.#parser.rest, ...this.#ahead])
    this.#last = true
    this.#current = undefined
    socket.off("data", this.#onData).off("drain", this.#onDrain).off("end", this.#onEnd)
    socket.off("error", this.#onError).off("close", this.#onClose)
    this.#parser.close()
    this.#gone(this)
    // As after `new Socket`: it flows when somebody listens.
    socket.pause()
    Object.assign(socket, { readableFlowing: null })
    return { socket, head }
  }

  /** Shows the peer that an answer is not whole. A TLS socket cannot send a reset: the TCP socket below it does. */
  reset(): void {
    this.#last = true
    // The TLS socket follows by itself; destroying it as well, in this order, is what crashes Node 24.
    if (this.#transport.destroyed) this.socket.destroy()
    else {
      this.output.flush()
      this.#transport.resetAndDestroy()
    }
  }

  /** Closes it if it takes too long. */
  check(now: number, headMilliseconds: number): void {
    // What is still on its way to the client is waited for as long as the client likes.
    if (this.#current !== undefined || this.#last || this.socket.writableLength > 0) return
    const waited = now - this.#since
    if (this.#isInHead) {
      if (waited > headMilliseconds) this.#malformed("the request's head did not arrive in time", 408)
    } else if (waited > (this.#served ? IDLE_MILLISECONDS : headMilliseconds)) this.socket.destroy()
  }

  #malformed(message: string, status = 400): void {
    const refusal = requestRefusal(status, message)
    this.#last = true
    if (this.#current?.answerer !== undefined) return this.#current.malformed(refusal)
    this.#current?.lost()
    this.output.write(refusalMessage(refusal))
    this.#conclude()
  }
}

export class Http1Server {
  readonly #options: Http1ServerOptions
  readonly #connections = new Set<Http1ServerConnection>()
  readonly #timer: NodeJS.Timeout

  constructor(options: Http1ServerOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#check(), Math.min(2000, options.headMilliseconds)).unref()
  }

  /** `transport`: the TCP socket below a TLS socket. */
  serve(socket: Net.Socket, requested: (message: Http1Message) => void, transport: Net.Socket = socket): void {
    this.#connections.add(
      new Http1ServerConnection(socket, transport, requested, (connection) => this.#connections.delete(connection))
    )
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

  #check(): void {
    const now = Date.now()
    for (const connection of this.#connections) connection.check(now, this.#options.headMilliseconds)
  }
}
