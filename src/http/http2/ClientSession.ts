/** A client session of HTTP/2: many concurrent requests on one verified connection, over `node:http2`. */
import type * as Http2 from "node:http2"
import type * as Tls from "node:tls"
import { builtins } from "../../platform/builtins.ts"
import { MAX_HEAD_BYTES } from "../HeaderFields.ts"
import { forgetEndedStreams } from "../NodeQuirks.ts"
import type { OutgoingRequest, PendingRequest, ResponseReceiver } from "../OutgoingRequest.ts"
import { ClientStream, type StreamSession } from "./ClientStream.ts"
import { HTTP_1_1_REQUIRED } from "./FrameCodes.ts"
import { onSession } from "./SendHeaders.ts"

const STREAM_WINDOW_BYTES = 1024 * 1024
const SESSION_WINDOW_BYTES = 16 * 1024 * 1024
const SESSION_MEBIBYTES = 64
const MAX_HEADERS = 2000
const IDLE_MILLISECONDS = 60_000
/** A session that was silent for this long gets a PING before its next request, or while requests wait. */
const STALE_MILLISECONDS = 10_000
/** The time limit for the acknowledgement of a PING. After it, new requests use another connection. */
const PING_MILLISECONDS = 3000
/**
 * The time limit for any frame after a PING. After it, the session is lost. A large upload can delay an acknowledgement this
 * long.
 */
const LOST_MILLISECONDS = 15_000
/** The number of PINGs that a gRPC server tolerates between two frames of its own. */
const MAX_UNANSWERED_PINGS = 2

export interface ClientSessionOptions {
  readonly origin: string
  readonly socket: Tls.TLSSocket
  readonly prepared: boolean
  /** Called when more requests may fit: a stream has closed, the server allows more, or a PING was acknowledged. */
  readonly available: () => void
  readonly declined: () => void
  readonly gone: (session: ClientSession) => void
}

export class ClientSession implements StreamSession {
  readonly socket: Tls.TLSSocket
  readonly session: Http2.ClientHttp2Session
  /** The last stream that the server will process, once it has sent GOAWAY (RFC 9113 section 6.8). */
  lastStream = Number.POSITIVE_INFINITY
  declined = false
  /** A PING in flight: when it was sent, and whether its acknowledgement is overdue. */
  #probe: { readonly since: number; overdue: boolean } | undefined
  #streams = 0
  /**
   * The number of streams that the server allows. One until the server has sent its limit: further requests could wait for a
   * stream that never ends.
   */
  #allowed = 1
  #settled = false
  #usable = true
  #served = 0
  #lastFrame = performance.now()
  #pings = 0
  /** The time since which nothing has arrived although requests are in progress. */
  #quietSince = 0
  #watched = false
  readonly #idle: NodeJS.Timeout
  readonly #options: ClientSessionOptions

  constructor(options: ClientSessionOptions) {
    this.socket = options.socket
    this.#options = options
    this.session = builtins.http2.connect(options.origin, {
      createConnection: () => options.socket,
      settings: {
        enablePush: false,
        initialWindowSize: STREAM_WINDOW_BYTES,
        maxHeaderListSize: MAX_HEAD_BYTES
      },
      maxHeaderListPairs: MAX_HEADERS,
      maxSessionMemory: SESSION_MEBIBYTES,
      // Received requests are already limited; this leaves room for added fields.
      maxSendHeaderBlockLength: 2 * MAX_HEAD_BYTES
    } as Http2.SecureClientSessionOptions)
    forgetEndedStreams(this.session)
    this.session.once("connect", () => {
      onSession(this.session, () => this.session.setLocalWindowSize(SESSION_WINDOW_BYTES))
    })
    this.session.on("remoteSettings", ({ maxConcurrentStreams }) => {
      this.frameReceived()
      this.#settled = true
      this.#allowed = maxConcurrentStreams ?? Number.POSITIVE_INFINITY
      options.available()
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

  get hasRoom(): boolean {
    const { closed, destroyed } = this.session
    return this.#usable && !closed && !destroyed && this.#probe === undefined && this.#streams < this.#allowed
  }

  get isAwaited(): boolean {
    return this.#probe === undefined ? !this.#settled : !this.#probe.overdue
  }

  get mayBeStale(): boolean {
    return this.#options.prepared || this.#served > 0
  }

  get unused(): boolean {
    return this.#served === 0 && this.#streams === 0
  }

  /** Whether the session has been silent for too long to send a request without a PING. */
  get isStale(): boolean {
    return this.#streams === 0 && performance.now() - this.#lastFrame > STALE_MILLISECONDS
  }

  /** Sends a PING. The session becomes available again, or closes. */
  probe(): void {
    if (this.session.closed && this.#streams === 0) return this.#retire()
    const probe = { since: performance.now(), overdue: false }
    this.#probe = probe
    this.#pings++
    let timer = setTimeout(() => {
      if (this.#streams === 0) return this.destroy()
      probe.overdue = true
      this.#options.available()
      timer = setTimeout(() => {
        if (this.#lastFrame < probe.since) this.destroy()
        else this.#confirm()
      }, LOST_MILLISECONDS - PING_MILLISECONDS)
    }, PING_MILLISECONDS)
    const ended = (error: Error | null): void => {
      clearTimeout(timer)
      if (error !== null) return this.destroy()
      this.#markAlive()
      this.#confirm()
    }
    if (!onSession(this.session, () => this.session.ping(ended))) ended(new Error("the session has ended"))
  }

  #confirm(): void {
    this.#probe = undefined
    this.#options.available()
  }

  send(request: OutgoingRequest, receiver: ResponseReceiver): PendingRequest {
    if (this.#streams++ === 0) this.#quietSince = performance.now()
    if (!this.#watched) this.#watch()
    return new ClientStream(this, request, receiver)
  }

  frameReceived(): void {
    this.#pings = 0
    this.#markAlive()
  }

  #markAlive(): void {
    this.#lastFrame = performance.now()
    this.#quietSince = this.#lastFrame
  }

  /** Probes the session while requests wait and nothing arrives: the requests or their responses may be lost. */
  #watch(): void {
    this.#watched = true
    const rest = STALE_MILLISECONDS - (performance.now() - this.#quietSince)
    setTimeout(() => {
      this.#watched = false
      if (this.#streams === 0 || this.session.destroyed) return
      const isQuiet = performance.now() - this.#quietSince >= STALE_MILLISECONDS
      if (isQuiet && this.#probe === undefined && this.#pings < MAX_UNANSWERED_PINGS) this.probe()
      this.#watch()
    }, rest > 0 ? rest : STALE_MILLISECONDS).unref()
  }

  streamClosed(responded: boolean): void {
    this.#streams--
    if (responded) this.#served++
    if (this.#streams === 0) this.#idle.refresh()
    this.#options.available()
  }

  decline(): void {
    this.declined = true
    this.#options.declined()
  }

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
