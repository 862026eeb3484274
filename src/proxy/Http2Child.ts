/** HTTP/2 towards the child: a session of `node:http2` on the decrypted connection, each stream an exchange of its own. */
import type * as Http2 from "node:http2"
import type * as Tls from "node:tls"
import { type HeaderPairs, requestTrailers, responseTrailers } from "../outbound/HeaderInjection.ts"
import { builtins } from "../platform/builtins.ts"
import { Exchange, type ExchangeHost } from "./Exchange.ts"
import { toHeaderObject } from "./Http2Headers.ts"
import type { Origin } from "./HttpEngine.ts"
import { grpcRefusal, type Refusal, refusalBody } from "./RefusalBody.ts"
import { bodyOf, type RequestBody } from "./RequestBody.ts"
import { reset } from "./StreamReset.ts"
import { inspectStream, MAX_HEAD_BYTES, type StreamRequest } from "./StreamRules.ts"
import type { UpstreamFailure } from "./Upstream.ts"

const NO_ERROR = 0
const INTERNAL_ERROR = 2
const SETTINGS_TIMEOUT = 4
const END_STREAM = 1

const IDLE_MILLISECONDS = 75_000
const STREAM_WINDOW_BYTES = 256 * 1024
const SESSION_WINDOW_BYTES = 4 * 1024 * 1024
/** Frames that a child has not taken, each as long as a head at most: more than what one exchange may bring at once. */
const MAX_UNTAKEN_FRAMES = 300
/** What all streams of a session may hold of bodies on their way, before Node resets new ones. */
const SESSION_MEBIBYTES = 64

/** The limits of a session (D33). What is not here, nghttp2 limits by itself: acknowledgements owed and CONTINUATION. */
const LIMITS = {
  settings: {
    enablePush: false,
    // No extended CONNECT (RFC 8441): a tunnel within the tunnel would be looked at by nobody (D29).
    enableConnectProtocol: false,
    maxConcurrentStreams: 512,
    initialWindowSize: STREAM_WINDOW_BYTES,
    maxHeaderListSize: MAX_HEAD_BYTES
  },
  maxHeaderListPairs: 2000,
  maxSendHeaderBlockLength: 128 * 1024,
  maxSettings: 32,
  maxSessionMemory: SESSION_MEBIBYTES,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // Rapid reset (CVE-2023-44487): so many at once, then so many in a second.
  streamResetBurst: 1000,
  streamResetRate: 33,
  strictSingleValueFields: false
} satisfies Http2.ServerSessionOptions

class Http2Exchange extends Exchange {
  readonly protocol = "h2"
  protected readonly headers: HeaderPairs
  readonly #stream: Http2.ServerHttp2Stream
  readonly #request: StreamRequest
  #requestTrailers: ReadonlyArray<string> = []
  #responseTrailers: HeaderPairs = []
  #listensForDrain = false

  constructor(host: ExchangeHost, stream: Http2.ServerHttp2Stream, request: StreamRequest, origin: Origin) {
    super(host, origin, request.method, request.target)
    this.#stream = stream
    this.#request = request
    this.headers = request.headers
    stream.on("error", () => {}) // `close` follows
    // A reset stream takes no answer any more, and closes only once what it has received is read.
    stream.on("aborted", () => this.closed())
    stream.on("close", () => this.closed())
    // A reset with NO_ERROR does not destroy a stream that is being written.
    stream.on("aborted", () => {
      if (this.done) return
      this.closed()
      stream.destroy()
    })
    stream.on("trailers", (_headers, _flags, raw: Array<string>) => {
      this.#requestTrailers = raw
    })
  }

  protected get headSent(): boolean {
    return this.#stream.headersSent
  }

  protected override get wantsTrailers(): boolean {
    return this.#request.wantsTrailers
  }

  protected get trailers(): () => HeaderPairs {
    return () => requestTrailers(this.#requestTrailers, this.injection)
  }

  protected openBody(): RequestBody {
    return bodyOf(this.#stream)
  }

  protected sendContinue(): void {
    this.#inform({ ":status": 100 })
  }

  /** Left out for a child that has not read what came before: no window holds back a head. */
  protected sendInformation(status: number, headers: HeaderPairs): void {
    const untaken = this.#stream.session?.state.outboundQueueSize ?? 0
    if (untaken > MAX_UNTAKEN_FRAMES) return
    // No interim answer has a body, but over HTTP/1.1 nobody minds when one declares it.
    const kept = responseTrailers(headers, this.injection?.repeatable)
    this.#inform(toHeaderObject(kept, { ":status": status }))
  }

  /** The stream may be gone, and this exchange be told so only later in this turn. */
  #inform(headers: Http2.OutgoingHttpHeaders): void {
    if (!this.#stream.closed && !this.#stream.destroyed) this.#stream.additionalHeaders(headers)
  }

  protected sendHead(status: number, _reason: string, raw: HeaderPairs, last: boolean): void {
    const stream = this.#stream
    const length = raw.find((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === "content-length")
    const bare = last || length === "0" || status === 204 || status === 304 || this.method === "HEAD"
    // A body of announced length hardly ever has trailers; without them its last frame ends the stream.
    const trailed = !bare && (length === undefined || raw.some((name, i) => i % 2 === 0 && /^trailer$/i.test(name)))
    const headers = this.returned(raw, trailed)
    try {
      stream.respond(toHeaderObject(headers, { ":status": status }), {
        endStream: bare,
        waitForTrailers: trailed,
        sendDate: false
      } as Http2.ServerStreamResponseOptions)
    } catch {
      this.breakOff(INTERNAL_ERROR)
      return
    }
    if (trailed) {
      stream.on("wantTrailers", () => {
        if (!stream.closed) stream.sendTrailers(toHeaderObject(this.#responseTrailers))
      })
    }
    this.#endWithAnswer()
  }

  /** After the whole answer the rest of the request is declined (RFC 9113 section 8.1). */
  #endWithAnswer(): void {
    const stream = this.#stream
    stream.once("finish", () => {
      if (!stream.endAfterHeaders && !stream.readableEnded) stream.close(NO_ERROR)
    })
  }

  protected sendData(chunk: Buffer): boolean {
    const stream = this.#stream
    if (stream.write(chunk)) return true
    if (!this.#listensForDrain) {
      this.#listensForDrain = true
      stream.on("drain", () => this.sent?.resume())
    }
    return false
  }

  protected sendEnd(trailers: HeaderPairs): void {
    this.#responseTrailers = responseTrailers(trailers, this.injection?.repeatable)
    this.#stream.end()
  }

  protected sendRefusal(refusal: Refusal): void {
    const stream = this.#stream
    this.#endWithAnswer()
    const error = { "x-credsvc-error": refusal.error, "cache-control": "no-store" }
    if (this.#request.grpc) {
      stream.respond({ ":status": 200, ...grpcRefusal(refusal), ...error }, { endStream: true })
      return
    }
    const { body, type } = refusalBody(refusal, this.shape?.userAgent)
    stream.respond({
      ":status": refusal.status,
      "content-type": type,
      "content-length": Buffer.byteLength(body),
      ...error,
      ...(refusal.status === 405 ? { allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" } : {})
    })
    stream.end(this.method === "HEAD" ? undefined : body)
  }

  /** The upstream's reset is passed on: its code tells a client what it may do next (RFC 9113 section 8.7). */
  protected override lost(failure: UpstreamFailure): void {
    if (failure.code === undefined) super.lost(failure)
    else this.breakOff(failure.code)
  }

  protected breakOff(code: number | undefined): void {
    this.closed()
    reset(this.#stream, code ?? INTERNAL_ERROR)
  }
}

export class Http2Child {
  readonly #host: ExchangeHost
  readonly #sessions = new Set<Http2.ServerHttp2Session>()

  constructor(host: ExchangeHost) {
    this.#host = host
  }

  serve(socket: Tls.TLSSocket, origin: Origin): void {
    const session = builtins.http2.performServerHandshake(socket, LIMITS)
    session.setLocalWindowSize(SESSION_WINDOW_BYTES)
    this.#sessions.add(session)
    let open = 0
    let idle: NodeJS.Timeout | undefined
    const becomeIdle = () => {
      idle = setTimeout(() => session.close(), IDLE_MILLISECONDS)
    }
    // Until then the limits above are not in force (RFC 9113 section 6.5.3), and nothing may have been said at all.
    const unacknowledged = setTimeout(() => {
      session.destroy(new Error("the settings were not acknowledged"), SETTINGS_TIMEOUT)
    }, this.#host.options.headMilliseconds)
    session.once("localSettings", () => {
      clearTimeout(unacknowledged)
      if (open === 0) becomeIdle()
    })
    session.on("error", () => {}) // `close` follows
    session.on("close", () => {
      clearTimeout(unacknowledged)
      clearTimeout(idle)
      this.#sessions.delete(session)
    })
    session.on("stream", (stream, _headers, flags, raw: Array<string>) => {
      clearTimeout(idle)
      open++
      stream.once("close", () => {
        open--
        if (open === 0 && !session.closed) becomeIdle()
      })
      const request = inspectStream(raw, (flags & END_STREAM) === 0, origin)
      new Http2Exchange(this.#host, stream, request, origin).run(request.inspection)
    })
  }

  close(): void {
    for (const session of this.#sessions) session.destroy()
  }
}
