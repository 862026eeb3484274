/**
 * HTTP/1.1 towards an upstream: one connection, on which a request follows another, read by llhttp.
 *
 * Which answer is whose is a matter of order alone. So a connection is used again only when nothing speaks against it:
 * request and answer were complete, and the upstream has said nothing that it was not asked (D19).
 */
import type * as Net from "node:net"
import { Http1Parser } from "./Http1Parser.ts"
import { idleMilliseconds } from "./Http1Persistence.ts"
import { Http1Request } from "./Http1Request.ts"
import type { SentRequest, UpstreamReceiver, UpstreamRequest } from "./Upstream.ts"

export interface Http1ConnectionOptions {
  readonly socket: Net.Socket
  /** Those of this origin that wait for their next request. */
  readonly idle: Array<Http1Connection>
  /** No request may be sent on it any more. */
  readonly gone: (connection: Http1Connection) => void
}

export class Http1Connection {
  readonly socket: Net.Socket
  readonly #options: Http1ConnectionOptions
  readonly #parser = new Http1Parser("response")
  #request: Http1Request | undefined
  /** It has been idle, and may be closed just as it is used. */
  #waited = false
  #usable = true
  #reading = false
  /** The answer's body is held back: what was read of it is with the parser. */
  #paused = false
  /** The upstream has ended its side. */
  #ended = false
  #idle: NodeJS.Timeout | undefined
  #idleMilliseconds = 0

  constructor(options: Http1ConnectionOptions) {
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
      // In order, and with an answer that is still being read.
      if (!this.#ended || !this.#paused) this.#lose(new Error("the connection was closed"))
    })
  }

  /** The one before must have been answered. */
  send(request: UpstreamRequest, receiver: UpstreamReceiver): SentRequest {
    const sent = new Http1Request(this, request, receiver, this.#waited)
    if (!this.#usable || !this.socket.writable) {
      this.discard()
      receiver.failed({ error: new Error("the connection was closed"), retry: "everything", code: undefined })
      return sent
    }
    this.#request = sent
    this.#parser.bodiless = request.method === "HEAD"
    try {
      sent.begin()
    } catch (error) {
      this.fail(sent, error as Error)
    }
    return sent
  }

  /** Lets another request use it. The newest idle one is used first, so others run out. */
  keep(milliseconds: number): void {
    if (!this.#usable) return
    this.#waited = true
    this.#options.idle.push(this)
    if (this.#idle !== undefined && milliseconds === this.#idleMilliseconds) {
      this.#idle.refresh()
      return
    }
    clearTimeout(this.#idle)
    this.#idleMilliseconds = milliseconds
    this.#idle = setTimeout(() => {
      if (this.#request === undefined) this.discard()
    }, milliseconds).unref()
  }

  /** Nothing else may use it. */
  discard(): void {
    if (!this.#usable) return
    this.#leave()
    this.socket.destroy()
  }

  pause(request: Http1Request): void {
    if (this.#request !== request) return
    this.#paused = true
    this.socket.pause()
  }

  resume(request: Http1Request): void {
    if (this.#request !== request || !this.#paused) return
    this.#paused = false
    if (!this.#reading) this.#read()
    if (!this.#paused && this.#usable) this.socket.resume()
  }

  abort(request: Http1Request): void {
    if (this.#request === request) this.discard()
  }

  /** It is not the connection's fault: the request would fail on another one as well. */
  fail(request: Http1Request, error: Error): void {
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
    clearTimeout(this.#idle)
    this.#parser.close()
    const { gone, idle } = this.#options
    const at = idle.indexOf(this)
    if (at !== -1) idle.splice(at, 1)
    gone(this)
  }

  readonly #onData = (bytes: Buffer): void => {
    // Nobody has asked.
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
        // Told as a connection that is lost: what came before it may be on its way to the child.
        if (next === "error") process.nextTick(() => this.#lose(new Error("the answer is not HTTP/1.1")))
        else if (this.#ended) this.#finish()
        break
      }
    }
    this.#reading = false
  }

  #head(request: Http1Request): void {
    const { status, upgrade } = this.#parser
    if (status >= 200) request.answered(this.#parser)
    else if (status >= 100 && status !== 101) request.informed(this.#parser)
    else if (status !== 101 || !upgrade || !request.request.upgrade) {
      this.fail(request, new Error(`the answer has the status ${status}`))
    }
  }

  #end(request: Http1Request): void {
    const { status } = this.#parser
    if (status === 101) this.#handOver(request)
    else if (status >= 200) this.#complete(request)
  }

  /** The answer may be one that the end of the connection ends. */
  #finish(): void {
    const request = this.#request
    if (request !== undefined && this.#parser.finish() === "end") this.#complete(request)
    else this.#lose(new Error("the upstream has closed the connection"))
  }

  #complete(request: Http1Request): void {
    const { hasRest, headers, keepAlive, status, trailers } = this.#parser
    const { method, upgrade } = request.request
    // What a server sends after an answer to HEAD may be a body all the same.
    const reusable = keepAlive && !hasRest && request.complete && !this.#ended && !upgrade && method !== "HEAD"
    const milliseconds = reusable ? idleMilliseconds(status, headers) : 0
    if (milliseconds === 0) this.discard()
    else {
      request.end()
      this.#request = undefined
      this.keep(milliseconds)
    }
    request.receiver.finished(trailers)
  }

  #handOver(request: Http1Request): void {
    const { headers, rest, status } = this.#parser
    const { socket } = this
    this.#leave()
    socket.off("data", this.#onData)
    socket.pause()
    if (rest.length > 0) socket.unshift(rest)
    request.receiver.upgraded(status, headers, socket)
  }
}
