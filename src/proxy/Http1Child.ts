/**
 * HTTP/1.1 towards the child: Node's server, so the framing is llhttp's. Requests of one connection are served one after
 * the other (D19).
 */
import type * as Http from "node:http"
import type * as Net from "node:net"
import type { Duplex } from "node:stream"
import { builtins } from "../platform/builtins.ts"
import { Exchange, type ExchangeHost } from "./Exchange.ts"
import { type HeaderPairs, responseHeaders, responseTrailers, withoutRepeated } from "./HeaderInjection.ts"
import type { Origin } from "./HttpEngine.ts"
import { reasonPhrase, type Refusal, refusalBody, refusalMessage } from "./RefusalBody.ts"
import { RequestBody } from "./RequestBody.ts"
import { inspect } from "./RequestRules.ts"

const MAX_PIPELINED = 64
const IDLE_MILLISECONDS = 75_000
const MAX_HEAD_BYTES = 64 * 1024
const MAX_WHOLE_BYTES = 16 * 1024

/** RFC 9112 section 4. The parsers of upstreams take any byte, and one of them reads UTF-8. */
const NOT_IN_A_REASON = /[^\t\x20-\x7e\x80-\xff]+/g

const kState = Symbol("connection state")
const kExchange = Symbol("exchange")

/** What is known of one decrypted connection. */
interface ConnectionState {
  readonly origin: Origin
  current: Http1Exchange | undefined
  waiting: Array<Http1Exchange> | undefined
}

type ServedSocket = Net.Socket & { [kState]?: ConnectionState }
type ServedResponse = Http.ServerResponse & { [kExchange]?: Http1Exchange }

function onResponseClosed(this: ServedResponse): void {
  this[kExchange]?.closed()
}

function onResponseDrained(this: ServedResponse): void {
  this[kExchange]?.sent?.resume()
}

/** A head goes out with the body that came with it, but does not wait for a body that is still to come. */
function flushHead(exchange: Http1Exchange): void {
  if (!exchange.wrote && exchange.whole === undefined && !exchange.ended && !exchange.done) {
    exchange.response.flushHeaders()
  }
}

/** The links of early hints, one by one (RFC 8288 section 3): Node writes no other, and takes no list of them in one text. */
const hintedLinks = (headers: HeaderPairs): Array<string> =>
  headers.flatMap((name, i) =>
    i % 2 === 0 && name.toLowerCase() === "link"
      ? (headers[i + 1] ?? "").match(/<[^>]*>(?:"(?:[^"\\]|\\.)*"|[^",])*/g)?.map((link) => link.trim()) ?? []
      : []
  )

class Http1Exchange extends Exchange {
  readonly protocol = "http/1.1"
  readonly request: Http.IncomingMessage
  readonly response: ServedResponse
  wrote = false
  /** A whole small body, held for the write that ends the response. */
  whole: string | undefined
  upgrade: { readonly socket: Duplex; readonly head: Buffer } | undefined
  readonly #server: Http1Child
  readonly #state: ConnectionState | undefined
  /** `Content-Length` of the response, -1 without one. */
  #declared = -1
  #listensForDrain = false

  constructor(
    server: Http1Child,
    request: Http.IncomingMessage,
    response: ServedResponse,
    origin: Origin,
    target: string,
    state: ConnectionState | undefined
  ) {
    super(server.host, origin, request.method ?? "", target)
    this.#server = server
    this.request = request
    this.response = response
    this.#state = state
    response[kExchange] = this
    response.sendDate = false
    response.on("close", onResponseClosed)
  }

  begin(): void {
    const inspection = inspect(this.request, this.origin, this.#state !== undefined)
    if (inspection.refusal === undefined && this.upgrades && inspection.shape.hasBody) {
      const refusal = { status: 400, error: "RequestRefusedError", message: "an upgrade request has no body" }
      return this.run({ ...inspection, refusal })
    }
    this.run(inspection)
  }

  protected get headers(): ReadonlyArray<string> {
    return this.request.rawHeaders
  }

  protected get headSent(): boolean {
    return this.response.headersSent
  }

  protected override get upgrades(): boolean {
    return this.upgrade !== undefined
  }

  /** Trailers of a request over HTTP/1.1 are left out: next to no client has any. */
  protected get trailers(): undefined {
    return undefined
  }

  protected openBody(): RequestBody {
    return new RequestBody(this.request)
  }

  protected sendContinue(): void {
    this.response.writeContinue()
  }

  protected sendInformation(status: number, headers: HeaderPairs): void {
    if (this.request.httpVersionMinor === 0) return
    if (status === 103) {
      const links = hintedLinks(responseHeaders(headers, false, this.injection?.repeatable))
      try {
        if (links.length > 0) this.response.writeEarlyHints({ link: links })
      } catch {
        // Node checks the syntax of a hint. One that it does not like is only a hint.
      }
    } else this.response.writeProcessing()
  }

  protected sendHead(status: number, reason: string, headers: HeaderPairs): void {
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i] ?? ""
      if (name.length === 14 && name.toLowerCase() === "content-length") this.#declared = Number(headers[i + 1])
    }
    const framed = this.#declared !== -1
    const bare = status === 204 || status === 304 || this.method === "HEAD"
    const chunked = !framed && !bare && this.request.httpVersionMinor === 1
    // A child that was not told to send its body keeps it, and its next request would be taken for that body.
    if (this.awaitsContinue) this.response.shouldKeepAlive = false
    try {
      this.response.writeHead(
        status,
        withoutRepeated(reason, this.injection?.repeatable).replace(NOT_IN_A_REASON, " "),
        this.returned(headers, chunked)
      )
    } catch {
      // A status that is none. Thrown on from here it would end the run.
      this.sent?.abort()
      this.lost({ error: new Error("the answer cannot be passed on"), retry: "nothing", code: undefined })
      return
    }
    process.nextTick(flushHead, this)
  }

  protected sendData(chunk: Buffer): boolean {
    if (!this.wrote && chunk.length === this.#declared && chunk.length <= MAX_WHOLE_BYTES) {
      // As a string it goes out with the head in one piece.
      this.whole = chunk.toString("latin1")
      return true
    }
    this.wrote = true
    if (this.response.write(chunk)) return true
    if (!this.#listensForDrain) {
      this.#listensForDrain = true
      this.response.on("drain", onResponseDrained)
    }
    return false
  }

  protected sendEnd(trailers: HeaderPairs): void {
    const { response } = this
    if (trailers.length > 0 && response.chunkedEncoding) {
      const pairs: Array<[string, string]> = []
      const kept = responseTrailers(trailers, this.injection?.repeatable)
      for (let i = 0; i < kept.length; i += 2) pairs.push([kept[i] ?? "", kept[i + 1] ?? ""])
      response.addTrailers(pairs)
    }
    if (this.whole === undefined) response.end()
    else response.end(this.whole, "latin1")
  }

  protected sendRefusal(refusal: Refusal): void {
    const { response } = this
    const { body, type } = refusalBody(refusal, this.shape?.userAgent)
    // A body that was not read, or a message that was not understood, would be taken for the next request.
    const close = refusal.status === 400 || this.shape?.hasBody === true
    response.writeHead(refusal.status, reasonPhrase(refusal.message), [
      "Content-Type",
      type,
      "Content-Length",
      String(Buffer.byteLength(body)),
      "Cache-Control",
      "no-store",
      "X-Credsvc-Error",
      refusal.error,
      ...(refusal.status === 405 ? ["Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"] : []),
      ...(close ? ["Connection", "close"] : [])
    ])
    response.end(this.method === "HEAD" ? undefined : body)
  }

  /** The connection is reset rather than closed: an end could be taken for the end of the answer. */
  protected breakOff(): void {
    const { socket } = this.response
    this.closed()
    if (socket !== null) this.#server.reset(socket)
  }

  override upgraded(status: number, headers: HeaderPairs, upstream: Duplex): void {
    const { upgrade } = this
    if (upgrade === undefined || this.done) {
      upstream.destroy()
      return
    }
    let head = `HTTP/1.1 ${status} Switching Protocols\r\n`
    for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
    this.status = status
    this.response.detachSocket(upgrade.socket as Net.Socket)
    upgrade.socket.write(withoutRepeated(head, this.injection?.repeatable) + "\r\n", "latin1")
    if (upgrade.head.length > 0) upstream.write(upgrade.head)
    this.#server.splice(upgrade.socket, upstream)
    this.ended = true
    this.closed()
  }

  override closed(): void {
    if (this.done) return
    super.closed()
    const state = this.#state
    if (state === undefined) return
    if (state.current === this) {
      const next = state.waiting?.shift()
      state.current = next
      next?.begin()
    } else if (state.waiting !== undefined) {
      state.waiting = state.waiting.filter((exchange) => exchange !== this)
    }
  }
}

export class Http1Child {
  readonly host: ExchangeHost
  readonly #server: Http.Server
  readonly #sockets = new Set<Duplex>()
  readonly #transports = new WeakMap<Net.Socket, Net.Socket>()

  constructor(host: ExchangeHost) {
    this.host = host
    const { headMilliseconds } = host.options
    this.#server = builtins.http.createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: headMilliseconds,
      connectionsCheckingInterval: Math.min(2000, headMilliseconds),
      requestTimeout: 0,
      keepAliveTimeout: IDLE_MILLISECONDS,
      requireHostHeader: false, // checked with the rest of the rules
      noDelay: true,
      insecureHTTPParser: false
    })
    this.#server.timeout = 0
    // It is handed its connections and never listens, but only this event starts the clock of `headersTimeout`.
    this.#server.emit("listening")
    this.#server.on("request", (request, response) => this.#accept(request, response, false))
    this.#server.on("checkContinue", (request, response) => this.#accept(request, response, true))
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head))
    this.#server.on("connect", (_request, socket) => {
      this.#answer(socket, { status: 400, error: "RequestRefusedError", message: "CONNECT inside a tunnel" })
    })
    this.#server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) {
        socket.destroy()
        return
      }
      this.#answer(socket, { status: 400, error: "RequestRefusedError", message: "the request is not valid HTTP/1.1" })
    })
  }

  serve(socket: Net.Socket, transport: Net.Socket, origin: Origin): void {
    const served = socket as ServedSocket
    this.#transports.set(socket, transport)
    served[kState] = { origin, current: undefined, waiting: undefined }
    this.#sockets.add(socket)
    socket.once("close", () => this.#sockets.delete(socket))
    this.#server.emit("connection", socket)
  }

  /** One request that another server has parsed. */
  forward(
    request: Http.IncomingMessage,
    response: Http.ServerResponse,
    origin: Origin,
    target: string,
    expectsContinue: boolean
  ): void {
    // Its end has been told already, and would not be told again.
    if (response.destroyed) return
    const exchange = new Http1Exchange(this, request, response, origin, target, undefined)
    exchange.expectsContinue = expectsContinue
    exchange.begin()
  }

  forwardUpgrade(
    request: Http.IncomingMessage,
    socket: Duplex,
    head: Buffer,
    origin: Origin,
    target: string
  ): void {
    socket.on("error", () => socket.destroy())
    if (socket.destroyed) return
    this.#handshake(request, socket, head, origin, target, undefined)?.begin()
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  /** A TLS socket cannot send a reset: the TCP socket below it does. */
  reset(socket: Net.Socket): void {
    const transport = this.#transports.get(socket) ?? socket
    // The TLS socket follows by itself; destroying it as well, in this order, is what crashes Node 24.
    if (transport.destroyed) socket.destroy()
    else transport.resetAndDestroy()
  }

  /** Both ways until both ends are done. */
  splice(child: Duplex, upstream: Duplex): void {
    this.#sockets.add(child)
    const release = () => {
      this.#sockets.delete(child)
      child.destroy()
      upstream.destroy()
    }
    child.on("error", release)
    upstream.on("error", release)
    child.once("close", release)
    upstream.once("close", release)
    child.pipe(upstream)
    upstream.pipe(child)
  }

  #accept(request: Http.IncomingMessage, response: Http.ServerResponse, expectsContinue: boolean): void {
    const state = (request.socket as ServedSocket)[kState]
    if (state === undefined) {
      request.socket.destroy()
      return
    }
    const exchange = new Http1Exchange(this, request, response, state.origin, request.url ?? "", state)
    exchange.expectsContinue = expectsContinue
    if (state.current === undefined) {
      state.current = exchange
      exchange.begin()
      return
    }
    const waiting = state.waiting ??= []
    if (waiting.length >= MAX_PIPELINED) request.socket.destroy()
    else waiting.push(exchange)
  }

  #upgrade(request: Http.IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy())
    const state = (socket as ServedSocket)[kState]
    if (state === undefined || state.current !== undefined) {
      socket.destroy()
      return
    }
    state.current = this.#handshake(request, socket, head, state.origin, request.url ?? "", state)
    state.current?.begin()
  }

  /** The exchange that is to relay it; undefined when it is answered already. */
  #handshake(
    request: Http.IncomingMessage,
    socket: Duplex,
    head: Buffer,
    origin: Origin,
    target: string,
    state: ConnectionState | undefined
  ): Http1Exchange | undefined {
    if (request.headers.upgrade?.toLowerCase() !== "websocket" || request.method !== "GET") {
      this.#answer(socket, {
        status: 400,
        error: "RequestRefusedError",
        message: "only a WebSocket upgrade is relayed"
      })
      return undefined
    }
    const response = new builtins.http.ServerResponse(request)
    response.shouldKeepAlive = false
    try {
      response.assignSocket(socket as Net.Socket)
    } catch {
      // An earlier request of the connection waits for its answer yet, and what comes next is no request any more.
      socket.destroy()
      return undefined
    }
    response.on("finish", () => {
      response.detachSocket(socket as Net.Socket)
      socket.end()
      response.emit("close")
    })
    socket.once("close", () => response.emit("close"))
    const exchange = new Http1Exchange(this, request, response, origin, target, state)
    exchange.upgrade = { socket, head }
    return exchange
  }

  #answer(socket: Duplex, refusal: Refusal): void {
    socket.on("error", () => socket.destroy())
    socket.end(refusalMessage(refusal))
  }
}
