/**
 * The engine of today: Node's HTTP parser on the child's side, undici's on the upstream's, so both framings are
 * llhttp's and nothing is spliced.
 *
 * One object per exchange is the request's handler at undici, the waiter for its credential and the owner of its
 * clean-up; the steps are methods of it rather than closures, because this is the path that every request takes.
 */
import type * as Http from "node:http"
import type * as Net from "node:net"
import { Readable } from "node:stream"
import type { Duplex } from "node:stream"
import type * as Tls from "node:tls"
import type { Dispatcher } from "undici"
import { DialError } from "../outbound/DialError.ts"
import { builtins } from "../platform/builtins.ts"
import type { ResolveRequest } from "./CredentialSource.ts"
import { type Injection, loggedPath, requestHeaders, requestTarget, responseHeaders } from "./HeaderInjection.ts"
import { HeldResponse } from "./HeldResponse.ts"
import type { EngineOptions, HttpEngine, Origin, Resolution } from "./HttpEngine.ts"
import { ambiguousRefusal, reasonPhrase, type Refusal, refusalBody, refusalMessage } from "./RefusalBody.ts"
import { inspect, type RequestShape } from "./RequestRules.ts"
import type { Waiter } from "./ResolveBatch.ts"
import * as ScavengeMeter from "./ScavengeMeter.ts"
import { type UpstreamConnection, UpstreamPool } from "./UpstreamPool.ts"

type Controller = Dispatcher.DispatchController & {
  readonly rawHeaders?: ReadonlyArray<Buffer> | null
  readonly rawTrailers?: ReadonlyArray<Buffer> | null
}

const MAX_PIPELINED = 64
const IDLE_MILLISECONDS = 75_000
const MAX_HEAD_BYTES = 64 * 1024
const MAX_WHOLE_BYTES = 16 * 1024

const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
const CONNECTION_LOST: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])

const kState = Symbol("connection state")
const kExchange = Symbol("exchange")

/** What the engine knows of one decrypted connection: requests on it are served one after the other. */
interface ConnectionState {
  readonly origin: Origin
  current: Exchange | undefined
  waiting: Array<Exchange> | undefined
}

type ServedSocket = Net.Socket & { [kState]?: ConnectionState }
type ServedResponse = Http.ServerResponse & { [kExchange]?: Exchange }

/**
 * The request's body as undici reads it. undici destroys its body when the upstream answers early; on the request
 * itself that would close the child's connection before the answer is out.
 */
class RequestBody extends Readable {
  readonly #request: Http.IncomingMessage

  constructor(request: Http.IncomingMessage) {
    super({ highWaterMark: 64 * 1024 })
    this.#request = request
    request.on("data", (chunk: Buffer) => {
      ScavengeMeter.count(chunk.length)
      if (!this.destroyed && !this.push(chunk)) request.pause()
    })
    request.on("end", () => this.push(null))
    request.on("error", (error) => this.destroy(error))
    request.on("aborted", () => this.destroy(new Error("the client broke off")))
    request.pause()
  }

  override _read(): void {
    this.#request.resume()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#request.resume() // what is still to come is read and dropped
    callback(error)
  }
}

const latin1Pairs = (raw: ReadonlyArray<Buffer> | null | undefined): Array<string> => {
  const out: Array<string> = []
  if (raw === null || raw === undefined) return out
  for (const item of raw) out.push(item.toString("latin1"))
  return out
}

function onResponseClosed(this: ServedResponse): void {
  this[kExchange]?.closed()
}

function onResponseDrained(this: ServedResponse): void {
  this[kExchange]?.drained()
}

/** A head goes out with the body that came with it, but does not wait for a body that is still to come. */
function flushHead(exchange: Exchange): void {
  if (!exchange.wrote && exchange.whole === undefined && !exchange.ended && !exchange.done) {
    exchange.response.flushHeaders()
  }
}

/** Requests with equal keys are equal in every respect that the daemon looks at. */
const keyOf = ({ connection, host, path, port, provider, rejected }: ResolveRequest): string =>
  `${host} ${port} ${provider} ${connection ?? ""} ${path ?? ""} ${rejected ?? ""}`

const nobody: Waiter<Resolution> = { settled: () => {} }

class Exchange implements Waiter<Resolution> {
  readonly engine: UndiciEngine
  readonly request: Http.IncomingMessage
  readonly response: ServedResponse
  readonly origin: Origin
  readonly target: string
  readonly state: ConnectionState | undefined
  shape: RequestShape | undefined
  injection: Injection | undefined
  question: ResolveRequest | undefined
  held: HeldResponse | undefined
  renewed = false
  provider: string | undefined
  connection: UpstreamConnection | undefined
  controller: Controller | undefined
  status = 0
  refusal: string | undefined
  expectsContinue = false
  /** Whether the upstream connection had served a request before: only such a one can have been stale. */
  reused = false
  retried = false
  wrote = false
  /** `Content-Length` of the response, -1 without one. */
  declared = -1
  /** A whole small body, held for the write that ends the response. */
  whole: string | undefined
  ended = false
  done = false
  listensForDrain = false
  upgrade: { readonly socket: Duplex; readonly head: Buffer } | undefined

  constructor(
    engine: UndiciEngine,
    request: Http.IncomingMessage,
    response: ServedResponse,
    origin: Origin,
    target: string,
    state: ConnectionState | undefined
  ) {
    this.engine = engine
    this.request = request
    this.response = response
    this.origin = origin
    this.target = target
    this.state = state
    response[kExchange] = this
    response.sendDate = false
    response.on("close", onResponseClosed)
    engine.exchanges.add(this)
  }

  run(): void {
    const { origin, request } = this
    const { refusal, shape } = inspect(request, origin, this.state !== undefined)
    this.shape = shape
    if (refusal !== undefined) return this.refuse(refusal)
    if (this.upgrade !== undefined && shape.hasBody) {
      return this.refuse({ status: 400, error: "RequestRefusedError", message: "an upgrade request has no body" })
    }
    const match = origin.routes?.match(this.target)
    // OPTIONS is not injected: it needs no credential, and some servers echo what they get (D21).
    if (match === undefined || match._tag === "Unmatched" || request.method === "OPTIONS") return this.begin()
    // An unconnected provider is asked for as well: the connection may have been made since the table was.
    const candidates = match._tag === "Matched" ? [match.route] : match.candidates
    const [route] = candidates
    if (match._tag === "Ambiguous" || route === undefined) {
      return this.refuse(ambiguousRefusal(origin.authority.host, candidates.map(({ provider }) => provider)))
    }
    this.provider = route.provider
    const { host, port } = origin.authority
    const path = origin.routes?.byPath === true ? this.target.replace(/[?#].*$/s, "") : undefined
    const connection = route.connection ?? undefined
    this.question = { host, port, path, provider: route.provider, connection }
    this.engine.options.credentials.ask(keyOf(this.question), this.question, this)
  }

  settled(outcome: Resolution): void {
    if (this.done) return
    if (this.held !== undefined) return this.decided(this.held, outcome)
    if (outcome._tag === "refused") return this.refuse(outcome.refusal)
    this.injection = outcome.injection
    this.begin()
  }

  /** Tells the daemon that the API does not take the token. Whoever waits gets the token as it is then. */
  reject(waiter: Waiter<Resolution>): void {
    const rejected = { ...this.question!, rejected: this.injection!.issuedAt }
    this.engine.options.credentials.ask(keyOf(rejected), rejected, waiter)
  }

  /** Once more with another token, if there is one; else the child gets the 401. */
  decided(held: HeldResponse, outcome: Resolution): void {
    this.held = undefined
    if (outcome._tag === "resolved" && outcome.injection.issuedAt !== this.injection?.issuedAt) {
      this.injection = outcome.injection
      this.renewed = true
      this.ended = false
      return this.begin()
    }
    this.startResponse(401, held.statusText, held.headers)
    for (const chunk of held.chunks) this.response.write(chunk)
    this.response.end()
  }

  begin(): void {
    const { engine } = this
    if (!engine.pool.loaded) {
      engine.pool.load().then(() => {
        if (!this.done) this.begin()
      }, () => this.refuse({ status: 502, error: "Unexpected", message: "the HTTP client could not be loaded" }))
      return
    }
    const { injection, origin, request, shape } = this
    const body = shape?.hasBody === true ? new RequestBody(request) : null
    if (body !== null && this.expectsContinue) this.response.writeContinue()
    this.connection = engine.pool.acquire(origin, this.upgrade !== undefined || this.retried)
    this.reused = this.connection.served > 0
    try {
      this.connection.dispatch({
        path: requestTarget(this.target, injection),
        method: request.method as Dispatcher.HttpMethod,
        headers: requestHeaders(request.rawHeaders, origin.hostHeader, injection),
        body,
        ...(this.upgrade === undefined ? {} : { upgrade: "websocket" })
      }, this as Dispatcher.DispatchHandler)
    } catch {
      // undici's message may quote a header.
      this.discardConnection()
      this.refuse({ status: 400, error: "RequestRefusedError", message: "the request cannot be sent as HTTP/1.1" })
    }
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller
    if (this.done) controller.abort(new Error("the client broke off"))
  }

  onResponseStart(controller: Controller, status: number, _headers: unknown, statusText?: string): void {
    if (this.done) return
    const { response } = this
    const raw = latin1Pairs(controller.rawHeaders)
    if (status < 200) {
      if (this.request.httpVersionMinor === 0) return
      if (status === 103) {
        const links = raw.flatMap((name, i) => i % 2 === 0 && name.toLowerCase() === "link" ? [raw[i + 1] ?? ""] : [])
        try {
          if (links.length > 0) response.writeEarlyHints({ link: links })
        } catch {
          // Node checks the syntax of a hint. One that it does not like is only a hint.
        }
      } else if (status === 102) response.writeProcessing()
      return
    }
    if (status === 401 && this.injection?.issuedAt !== undefined && !this.renewed) {
      if (this.upgrade === undefined && this.shape?.hasBody !== true && IDEMPOTENT.has(this.request.method ?? "")) {
        this.held = new HeldResponse(statusText ?? "", raw)
        return
      }
      // Too late for this request, in time for the next.
      this.reject(nobody)
    }
    this.startResponse(status, statusText ?? "", raw)
  }

  startResponse(status: number, statusText: string, raw: Array<string>): void {
    const { response } = this
    this.status = status
    for (let i = 0; i < raw.length; i += 2) {
      const name = raw[i] ?? ""
      if (name.length === 14 && name.toLowerCase() === "content-length") this.declared = Number(raw[i + 1])
    }
    const framed = this.declared !== -1
    const bare = status === 204 || status === 304 || this.request.method === "HEAD"
    const chunked = !framed && !bare && this.request.httpVersionMinor === 1
    const headers = responseHeaders(raw, chunked, this.injection?.repeatable)
    response.writeHead(status, statusText, this.origin.returned?.(headers) ?? headers)
    process.nextTick(flushHead, this)
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.done) return
    if (this.held !== undefined) {
      if (!this.held.add(chunk)) this.release(this.held, controller)
      return
    }
    if (!this.wrote && chunk.length === this.declared && chunk.length <= MAX_WHOLE_BYTES) {
      // As a string it goes out with the head in one piece.
      this.whole = chunk.toString("latin1")
      return
    }
    this.wrote = true
    ScavengeMeter.count(chunk.length)
    if (!this.response.write(chunk)) {
      controller.pause()
      if (!this.listensForDrain) {
        this.listensForDrain = true
        this.response.on("drain", onResponseDrained)
      }
    }
  }

  /** Passes on what was kept back, and everything that follows. */
  release(held: HeldResponse, controller: Controller): void {
    this.held = undefined
    this.reject(nobody)
    this.startResponse(401, held.statusText, held.headers)
    for (const chunk of held.chunks) this.onResponseData(controller, chunk)
  }

  drained(): void {
    this.controller?.resume()
  }

  onResponseEnd(controller: Controller): void {
    const { response } = this
    this.ended = true
    if (this.upgrade !== undefined) this.discardConnection()
    else if (this.connection !== undefined) this.engine.pool.release(this.connection)
    this.connection = undefined
    if (this.done) return
    if (this.held !== undefined) return this.reject(this)
    const trailers = latin1Pairs(controller.rawTrailers)
    if (trailers.length > 0 && response.chunkedEncoding) {
      const pairs: Array<[string, string]> = []
      for (let i = 0; i < trailers.length; i += 2) pairs.push([trailers[i] ?? "", trailers[i + 1] ?? ""])
      try {
        response.addTrailers(pairs)
      } catch {
        // A trailer that HTTP does not allow is left out.
      }
    }
    if (this.whole === undefined) response.end()
    else response.end(this.whole, "latin1")
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    this.discardConnection()
    if (this.done) return
    if (this.response.headersSent) return this.breakOff()
    const code = (error as { code?: unknown }).code
    if (this.held !== undefined) {
      // The API has answered, if not to the end: its answer counts, and there is nothing stale to try again.
      this.held = undefined
      this.reject(nobody)
    } else if (
      !this.retried && typeof code === "string" && CONNECTION_LOST.has(code) && this.reused &&
      this.shape?.hasBody !== true && IDEMPOTENT.has(this.request.method ?? "")
    ) {
      // The upstream closed an idle connection just as it was used again. RFC 9110 section 9.2.2 allows a second try.
      this.retried = true
      return this.begin()
    }
    if (error instanceof DialError) {
      const forbidden = error.problem === "forbidden" || error.problem === "private_address"
      return this.refuse({
        status: forbidden ? 403 : 502,
        error: forbidden ? "RequestRefusedError" : "EndpointUnreachableError",
        message: error.message
      })
    }
    this.refuse({
      status: 502,
      error: "EndpointUnreachableError",
      message: `${this.origin.authority.host} broke off the exchange`
    })
  }

  onRequestUpgrade(controller: Controller, status: number, _headers: unknown, upstream: Duplex): void {
    const { upgrade } = this
    this.discardConnection()
    if (upgrade === undefined || this.done) {
      upstream.destroy()
      return
    }
    const raw = latin1Pairs(controller.rawHeaders)
    let head = `HTTP/1.1 ${status} Switching Protocols\r\n`
    for (let i = 0; i < raw.length; i += 2) head += `${raw[i]}: ${raw[i + 1]}\r\n`
    this.status = status
    this.response.detachSocket(upgrade.socket as Net.Socket)
    upgrade.socket.write(head + "\r\n", "latin1")
    if (upgrade.head.length > 0) upstream.write(upgrade.head)
    this.engine.splice(upgrade.socket, upstream)
    this.ended = true
    this.closed()
  }

  discardConnection(): void {
    if (this.connection !== undefined) this.engine.pool.discard(this.connection)
    this.connection = undefined
  }

  refuse(refusal: Refusal): void {
    if (this.done) return
    const { request, response } = this
    this.refusal = refusal.error
    this.status = refusal.status
    if (response.headersSent) return this.breakOff()
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
    response.end(request.method === "HEAD" ? undefined : body)
  }

  /** The answer cannot be completed: the child must see that, so the connection is reset rather than closed. */
  breakOff(): void {
    const socket = this.response.socket
    this.closed()
    if (socket === null) return
    this.engine.reset(socket)
  }

  closed(): void {
    if (this.done) return
    this.done = true
    const { engine, request, state } = this
    engine.exchanges.delete(this)
    if (!this.ended) this.controller?.abort(new Error("the client broke off"))
    engine.options.onEvent?.({
      host: this.origin.authority.host,
      method: request.method ?? "",
      path: loggedPath(this.target, this.injection),
      status: this.status,
      provider: this.provider,
      refusal: this.refusal
    })
    if (state === undefined) return
    if (state.current === this) {
      const next = state.waiting?.shift()
      state.current = next
      next?.run()
    } else if (state.waiting !== undefined) {
      state.waiting = state.waiting.filter((exchange) => exchange !== this)
    }
  }
}

export class UndiciEngine implements HttpEngine {
  readonly options: EngineOptions
  readonly pool: UpstreamPool
  readonly exchanges = new Set<Exchange>()
  readonly #server: Http.Server
  readonly #sockets = new Set<Duplex>()
  readonly #transports = new WeakMap<Net.Socket, Net.Socket>()

  constructor(options: EngineOptions) {
    this.options = options
    this.pool = new UpstreamPool(options.dialer)
    this.#server = builtins.http.createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: options.headMilliseconds,
      connectionsCheckingInterval: Math.min(2000, options.headMilliseconds),
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

  serve(socket: Tls.TLSSocket, transport: Net.Socket, origin: Origin): void {
    const served = socket as ServedSocket
    this.#transports.set(socket, transport)
    served[kState] = { origin, current: undefined, waiting: undefined }
    this.#sockets.add(socket)
    socket.once("close", () => this.#sockets.delete(socket))
    this.#server.emit("connection", socket)
  }

  forward(
    request: Http.IncomingMessage,
    response: Http.ServerResponse,
    origin: Origin,
    target: string,
    expectsContinue: boolean
  ): void {
    const exchange = new Exchange(this, request, response, origin, target, undefined)
    exchange.expectsContinue = expectsContinue
    exchange.run()
  }

  active(): number {
    return this.exchanges.size
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.pool.close()
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
    const exchange = new Exchange(this, request, response, state.origin, request.url ?? "", state)
    exchange.expectsContinue = expectsContinue
    if (state.current === undefined) {
      state.current = exchange
      exchange.run()
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
    if (request.headers.upgrade?.toLowerCase() !== "websocket" || request.method !== "GET") {
      this.#answer(socket, {
        status: 400,
        error: "RequestRefusedError",
        message: "only a WebSocket upgrade is relayed"
      })
      return
    }
    const response = new builtins.http.ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket as Net.Socket)
    response.on("finish", () => {
      response.detachSocket(socket as Net.Socket)
      socket.end()
      response.emit("close")
    })
    socket.once("close", () => response.emit("close"))
    const exchange = new Exchange(this, request, response, state.origin, request.url ?? "", state)
    exchange.upgrade = { socket, head }
    state.current = exchange
    exchange.run()
  }

  #answer(socket: Duplex, refusal: Refusal): void {
    socket.on("error", () => socket.destroy())
    socket.end(refusalMessage(refusal))
  }
}
