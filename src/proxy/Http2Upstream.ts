/** HTTP/2 towards an upstream: one session of `node:http2` on a verified connection, many requests at a time. */
import type * as Http2 from "node:http2"
import type * as Tls from "node:tls"
import { builtins } from "../platform/builtins.ts"
import { MAX_LIST_BYTES } from "./Http2Headers.ts"
import { Http2Request } from "./Http2Request.ts"
import { HTTP_1_1_REQUIRED } from "./StreamReset.ts"
import type { SentRequest, UpstreamReceiver, UpstreamRequest } from "./Upstream.ts"

const STREAM_WINDOW_BYTES = 1024 * 1024
const SESSION_WINDOW_BYTES = 16 * 1024 * 1024
const SESSION_MEBIBYTES = 64
const MAX_HEADERS = 2000
const IDLE_MILLISECONDS = 60_000
/** A session that was silent for so long is asked for a sign of life: before it gets another request, or while one waits. */
const DOUBTFUL_MILLISECONDS = 10_000
/** When no sign has come by then, other requests go elsewhere. */
const PING_MILLISECONDS = 3000
/** And by then the requests that it has are lost: the way to an API may be full of a body for longer than that. */
const LOST_MILLISECONDS = 15_000
/** As many as a gRPC server bears between two frames of its own. */
const MAX_UNANSWERED_PINGS = 2

export interface Http2ConnectionOptions {
  /** `https://host:port` */
  readonly origin: string
  readonly socket: Tls.TLSSocket
  /** No request was waiting for it. */
  readonly prepared: boolean
  /** A stream has ended, or the upstream allows more of them, or the session has turned out to be alive. */
  readonly roomier: () => void
  /** The upstream wants HTTP/1.1 in its place. */
  readonly declined: () => void
  /** No request may be sent on it any more. */
  readonly gone: (connection: Http2Connection) => void
}

export class Http2Connection {
  readonly socket: Tls.TLSSocket
  readonly session: Http2.ClientHttp2Session
  /** The last stream that the upstream will look at, once it has said so (RFC 9113 section 6.8). */
  lastStream = Number.POSITIVE_INFINITY
  /** The upstream wants HTTP/1.1 in its place. */
  declined = false
  /** Asked for a sign of life that is still awaited, and since when; it may be late. */
  #checking: { readonly since: number; late: boolean } | undefined
  #streams = 0
  /** One until the upstream has said how many it takes: what is too much would wait for streams that may never end. */
  #allowed = 1
  #settled = false
  #usable = true
  #served = 0
  #heard = performance.now()
  #pings = 0
  /** Since when nothing has come although requests are under way. */
  #quiet = 0
  #watched = false
  readonly #idle: NodeJS.Timeout
  readonly #options: Http2ConnectionOptions

  constructor(options: Http2ConnectionOptions) {
    this.socket = options.socket
    this.#options = options
    this.session = builtins.http2.connect(options.origin, {
      createConnection: () => options.socket,
      settings: {
        enablePush: false,
        initialWindowSize: STREAM_WINDOW_BYTES,
        maxHeaderListSize: MAX_LIST_BYTES
      },
      maxHeaderListPairs: MAX_HEADERS,
      maxSessionMemory: SESSION_MEBIBYTES,
      // What the child sent is limited already; this leaves room for the credential.
      maxSendHeaderBlockLength: 2 * MAX_LIST_BYTES,
      strictSingleValueFields: false
    } as Http2.SecureClientSessionOptions)
    this.session.once("connect", () => this.session.setLocalWindowSize(SESSION_WINDOW_BYTES))
    this.session.on("remoteSettings", ({ maxConcurrentStreams }) => {
      this.hear()
      this.#settled = true
      this.#allowed = maxConcurrentStreams ?? Number.POSITIVE_INFINITY
      options.roomier()
    })
    this.session.on("goaway", (code: number, lastStream: number) => {
      this.lastStream = lastStream
      if (code === HTTP_1_1_REQUIRED) this.decline()
      this.#retire()
    })
    this.session.on("error", () => this.#retire())
    this.session.on("close", () => this.#retire())
    this.#idle = setTimeout(() => {
      if (this.#streams === 0) this.close()
    }, IDLE_MILLISECONDS).unref()
  }

  /** Whether another request may be sent. */
  get hasRoom(): boolean {
    const { closed, destroyed } = this.session
    return this.#usable && !closed && !destroyed && this.#checking === undefined && this.#streams < this.#allowed
  }

  /** Whether it may have room as soon as the upstream has said something. */
  get isAwaited(): boolean {
    return this.#checking === undefined ? !this.#settled : !this.#checking.late
  }

  /** Whether it has been idle before, and may be closed just as it is used. */
  get mayBeStale(): boolean {
    return this.#options.prepared || this.#served > 0
  }

  get unused(): boolean {
    return this.#served === 0 && this.#streams === 0
  }

  /** Whether its last sign of life is too old to send a request on trust; nothing is asked while streams are open. */
  get doubtful(): boolean {
    return this.#streams === 0 && performance.now() - this.#heard > DOUBTFUL_MILLISECONDS
  }

  /** Asks for a sign of life: makes itself available again, or goes. */
  check(): void {
    if (this.session.closed && this.#streams === 0) return this.#retire()
    const checking = { since: performance.now(), late: false }
    this.#checking = checking
    this.#pings++
    let silent = setTimeout(() => {
      if (this.#streams === 0) return this.destroy()
      checking.late = true
      this.#options.roomier()
      silent = setTimeout(() => {
        if (this.#heard < checking.since) this.destroy()
        else this.#vouch()
      }, LOST_MILLISECONDS - PING_MILLISECONDS)
    }, PING_MILLISECONDS)
    this.session.ping((error) => {
      clearTimeout(silent)
      if (error !== null) return this.destroy()
      this.#listen()
      this.#vouch()
    })
  }

  /** It has turned out to be alive. */
  #vouch(): void {
    this.#checking = undefined
    this.#options.roomier()
  }

  send(request: UpstreamRequest, receiver: UpstreamReceiver): SentRequest {
    if (this.#streams++ === 0) this.#quiet = performance.now()
    if (!this.#watched) this.#watch()
    return new Http2Request(this, request, receiver)
  }

  /** Something has come from the upstream. */
  hear(): void {
    this.#pings = 0
    this.#listen()
  }

  #listen(): void {
    this.#heard = performance.now()
    this.#quiet = this.#heard
  }

  /** Requests that wait while nothing at all comes may be on their way to nobody, or their answers be lost. */
  #watch(): void {
    this.#watched = true
    const rest = DOUBTFUL_MILLISECONDS - (performance.now() - this.#quiet)
    setTimeout(() => {
      this.#watched = false
      if (this.#streams === 0 || this.session.destroyed) return
      const isQuiet = performance.now() - this.#quiet >= DOUBTFUL_MILLISECONDS
      if (isQuiet && this.#checking === undefined && this.#pings < MAX_UNANSWERED_PINGS) this.check()
      this.#watch()
    }, rest > 0 ? rest : DOUBTFUL_MILLISECONDS).unref()
  }

  /** A stream has closed. */
  left(answered: boolean): void {
    this.#streams--
    if (answered) this.#served++
    if (this.#streams === 0) this.#idle.refresh()
    this.#options.roomier()
  }

  decline(): void {
    this.declined = true
    this.#options.declined()
  }

  /** Lets the streams that are open end. */
  close(): void {
    this.#retire()
    this.session.close()
  }

  destroy(): void {
    this.#retire()
    this.session.destroy()
  }

  #retire(): void {
    if (!this.#usable) return
    this.#usable = false
    clearTimeout(this.#idle)
    this.#options.gone(this)
  }
}
