/** HTTP/2 towards an upstream: one session of `node:http2` on a verified connection, many requests at a time. */
import type * as Http2 from "node:http2"
import type * as Tls from "node:tls"
import { builtins } from "../platform/builtins.ts"
import { regularFields, toHeaderObject } from "./Http2Headers.ts"
import { reset } from "./StreamReset.ts"
import {
  type SentRequest,
  SILENCE_MILLISECONDS,
  UnsendableError,
  type UpstreamFailure,
  type UpstreamReceiver,
  type UpstreamRequest
} from "./Upstream.ts"

const NO_ERROR = 0
const REFUSED_STREAM = 7
const CANCEL = 8
const END_STREAM = 1

const STREAM_WINDOW_BYTES = 1024 * 1024
const SESSION_WINDOW_BYTES = 16 * 1024 * 1024
const SESSION_MEBIBYTES = 64
const MAX_HEAD_BYTES = 64 * 1024
const MAX_HEADERS = 2000
const IDLE_MILLISECONDS = 60_000
/** A session that was silent for so long is asked for a sign of life before it gets another request. */
const DOUBTFUL_MILLISECONDS = 10_000
const PING_MILLISECONDS = 3000
/** As many as a gRPC server bears between two frames of its own. */
const MAX_UNANSWERED_PINGS = 2

export interface Http2ConnectionOptions {
  /** `https://host:port` */
  readonly origin: string
  readonly socket: Tls.TLSSocket
  /** A stream has ended, or the upstream allows more of them, or the session has turned out to be alive. */
  readonly roomier: () => void
  /** No request may be sent on it any more. */
  readonly gone: (connection: Http2Connection) => void
}

export class Http2Connection {
  readonly session: Http2.ClientHttp2Session
  /** The last stream that the upstream will look at, once it has said so (RFC 9113 section 6.8). */
  lastStream = Number.POSITIVE_INFINITY
  #checking = false
  #streams = 0
  /** One until the upstream has said how many it takes: what is too much would wait for streams that may never end. */
  #allowed = 1
  #settled = false
  #usable = true
  #served = 0
  #heard = performance.now()
  #pings = 0
  /** When the first request was sent after which nothing has come. */
  #unheard: number | undefined
  #watched = false
  readonly #idle: NodeJS.Timeout
  readonly #options: Http2ConnectionOptions

  constructor(options: Http2ConnectionOptions) {
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
      // What the child sent is limited already; this leaves room for the credential.
      maxSendHeaderBlockLength: 2 * MAX_HEAD_BYTES,
      strictSingleValueFields: false
    } as Http2.SecureClientSessionOptions)
    this.session.once("connect", () => this.session.setLocalWindowSize(SESSION_WINDOW_BYTES))
    this.session.on("remoteSettings", ({ maxConcurrentStreams }) => {
      this.hear()
      this.#settled = true
      this.#allowed = maxConcurrentStreams ?? Number.POSITIVE_INFINITY
      options.roomier()
    })
    this.session.on("goaway", (_code: number, lastStream: number) => {
      this.lastStream = lastStream
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
    return this.#usable && !this.session.closed && !this.#checking && this.#streams < this.#allowed
  }

  /** Whether it may have room as soon as the upstream has said something. */
  get isAwaited(): boolean {
    return this.#checking || !this.#settled
  }

  get reused(): boolean {
    return this.#served > 0
  }

  /** Whether its last sign of life is too old to send a request on trust; nothing is asked while streams are open. */
  get doubtful(): boolean {
    return this.#streams === 0 && performance.now() - this.#heard > DOUBTFUL_MILLISECONDS
  }

  /** Asks for a sign of life: makes itself available again, or goes. */
  check(): void {
    if (this.session.closed) return this.#retire()
    this.#checking = true
    this.#pings++
    const silent = setTimeout(() => this.destroy(), PING_MILLISECONDS)
    this.session.ping((error) => {
      clearTimeout(silent)
      this.#checking = false
      if (error !== null) return this.destroy()
      this.#heard = performance.now()
      this.#unheard = undefined
      this.#options.roomier()
    })
  }

  send(request: UpstreamRequest, receiver: UpstreamReceiver): SentRequest {
    this.#streams++
    this.#unheard ??= performance.now()
    if (!this.#watched) this.#watch()
    return new Http2Request(this, request, receiver)
  }

  /** Something has come from the upstream. */
  hear(): void {
    this.#heard = performance.now()
    this.#unheard = undefined
    this.#pings = 0
  }

  /** Requests after which nothing at all comes for a while may be on their way to nobody. */
  #watch(): void {
    this.#watched = true
    const since = performance.now() - (this.#unheard ?? 0)
    setTimeout(() => {
      this.#watched = false
      if (this.#unheard === undefined || this.#streams === 0 || !this.#usable) return
      if (performance.now() - this.#unheard < DOUBTFUL_MILLISECONDS) return this.#watch()
      if (!this.#checking && this.#pings < MAX_UNANSWERED_PINGS) this.check()
    }, DOUBTFUL_MILLISECONDS - since).unref()
  }

  /** A stream has closed. */
  left(answered: boolean): void {
    this.#streams--
    if (answered) this.#served++
    if (this.#streams === 0) this.#idle.refresh()
    this.#options.roomier()
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

class Http2Request implements SentRequest {
  readonly #connection: Http2Connection
  readonly #request: UpstreamRequest
  readonly #receiver: UpstreamReceiver
  readonly #reused: boolean
  #stream: Http2.ClientHttp2Stream | undefined
  #over = false
  #answered = false
  /**
   * END_STREAM was received. Node ends the readable side for a reset with NO_ERROR as well; where nothing is held back, the
   * one comes before the stream is closed and the other after it.
   */
  #whole = false
  #trailers: ReadonlyArray<string> = []
  #error: Error | undefined

  constructor(connection: Http2Connection, request: UpstreamRequest, receiver: UpstreamReceiver) {
    this.#connection = connection
    this.#request = request
    this.#receiver = receiver
    this.#reused = connection.reused
    const [, host = "", ...fields] = request.headers
    if (request.wantsTrailers) fields.push("te", "trailers")
    if (request.expectsContinue) fields.push("expect", "100-continue")
    try {
      this.#stream = connection.session.request(
        toHeaderObject(
          fields,
          { ":method": request.method, ":scheme": "https", ":authority": host, ":path": request.path },
          request.secret
        ),
        { endStream: request.body === null, waitForTrailers: request.trailers !== undefined }
      )
    } catch {
      // Node's message may quote a header.
      process.nextTick(() => {
        connection.left(false)
        this.#fail({
          error: new UnsendableError("the request cannot be sent as HTTP/2"),
          retry: "nothing",
          code: undefined
        })
      })
      return
    }
    this.#listen(this.#stream)
  }

  pause(): void {
    this.#stream?.pause()
  }

  resume(): void {
    this.#stream?.resume()
  }

  abort(): void {
    this.#over = true
    if (this.#stream !== undefined) reset(this.#stream, CANCEL)
  }

  #listen(stream: Http2.ClientHttp2Stream): void {
    const { body, trailers } = this.#request
    stream.on("headers", (headers, _flags, raw: Array<string>) => {
      this.#connection.hear()
      if (this.#over) return
      const status = Number(headers[":status"])
      if (status === 100) this.#receiver.continued()
      else this.#receiver.informed(status, regularFields(raw))
    })
    stream.on("response", (headers, flags, raw: Array<string>) => this.#respond(stream, headers, flags, raw))
    stream.on("trailers", (_headers, _flags, raw: Array<string>) => {
      this.#trailers = raw
    })
    stream.on("error", (error: Error) => {
      this.#error = error
    })
    stream.on("close", () => this.#closed(stream))
    const push = stream.push.bind(stream)
    stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (chunk === null && (!stream.closed || stream.isPaused() || stream.readableLength > 0)) this.#whole = true
      if (chunk === null && stream.closed) setImmediate(() => this.#sweep(stream))
      return push(chunk, encoding)
    }
    if (this.#request.expectsContinue) {
      const silence = setTimeout(() => this.#receiver.continued(), SILENCE_MILLISECONDS)
      stream.once("close", () => clearTimeout(silence))
    }
    if (body === null) return
    if (trailers !== undefined) stream.on("wantTrailers", () => stream.sendTrailers(toHeaderObject(trailers())))
    body.once("error", () => this.abort())
    body.pipe(stream)
  }

  #respond(
    stream: Http2.ClientHttp2Stream,
    headers: Http2.IncomingHttpHeaders & Http2.IncomingHttpStatusHeader,
    flags: number,
    raw: Array<string>
  ): void {
    this.#connection.hear()
    if (this.#over) return
    this.#answered = true
    const status = headers[":status"] ?? 0
    const reason = builtins.http.STATUS_CODES[status] ?? ""
    this.#receiver.answered(status, reason, regularFields(raw), (flags & END_STREAM) !== 0)
    stream.on("data", (chunk: Buffer) => {
      this.#connection.hear()
      if (!this.#over) this.#receiver.received(chunk)
    })
    stream.on("end", () => {
      if (this.#over) return
      if (!this.#whole) return void stream.destroy()
      this.#over = true
      // Nobody reads what of the request is still to come.
      if (this.#request.body?.readableEnded === false) {
        this.#request.body.destroy()
        if (!stream.closed) reset(stream, CANCEL)
      }
      this.#sweep(stream)
      this.#receiver.finished(regularFields(this.#trailers))
    })
  }

  /** Node does not destroy a stream by itself that was reset with NO_ERROR while it was being written. */
  #sweep(stream: Http2.ClientHttp2Stream): void {
    const unread = this.#answered && !stream.readableEnded
    if (stream.closed && !stream.writableFinished && !unread) stream.destroy()
  }

  #closed(stream: Http2.ClientHttp2Stream): void {
    this.#connection.left(this.#answered)
    this.#request.body?.destroy()
    if (this.#over) return
    const { destroyed } = this.#connection.session
    const error = this.#error ?? new Error("the stream was closed")
    if (stream.rstCode === REFUSED_STREAM || (stream.id ?? 0) > this.#connection.lastStream) {
      this.#fail({ error, retry: "everything", code: REFUSED_STREAM })
    } else if (destroyed || stream.rstCode === NO_ERROR) {
      // Node closes the streams of a lost connection as if they had been cancelled.
      const stale = destroyed && this.#reused && !this.#answered
      this.#fail({ error, retry: stale ? "idempotent" : "nothing", code: undefined })
    } else this.#fail({ error, retry: "nothing", code: stream.rstCode })
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#over) return
    this.#over = true
    this.#receiver.failed(failure)
  }
}
