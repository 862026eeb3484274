/** An exchange with a client over HTTP/2. */
import type * as Http2 from "node:http2"
import { fieldOf, type HeaderPairs } from "../../http/HeaderFields.ts"
import { INTERNAL_ERROR, NO_ERROR } from "../../http/http2/FrameCodes.ts"
import { sendHead, sendInformation, sendTrailers } from "../../http/http2/SendHeaders.ts"
import { resetStream } from "../../http/NodeQuirks.ts"
import type { Following } from "../../http/OutgoingRequest.ts"
import { type BodyObserver, bodyOf, type RequestBody } from "../../http/RequestBody.ts"
import { requestTrailers } from "../../outbound/HeaderInjection.ts"
import { responseHeaders, responseTrailers } from "../../outbound/ResponseFields.ts"
import { grpcRefusal, type Refusal, refusalBody, refusalFields, upstreamRefusal } from "../ErrorResponse.ts"
import type { Origin } from "../routing/Origin.ts"
import { readHead, receivedOverHttp2 } from "../routing/RequestValidation.ts"
import { Exchange } from "./Exchange.ts"
import type { RunContext } from "./RunContext.ts"

/** The number of unread frames above which informational responses are dropped. One exchange alone stays below it. */
const MAX_UNREAD_FRAMES = 300

export class Http2Exchange extends Exchange {
  readonly protocol = "h2"
  readonly #stream: Http2.ServerHttp2Stream
  #requestTrailers: ReadonlyArray<string> = []
  #responseTrailers: HeaderPairs = []
  #listensForDrain = false

  /** `raw`: the header list as received. `hasBody`: whether the stream continues after it. */
  constructor(
    context: RunContext,
    stream: Http2.ServerHttp2Stream,
    raw: ReadonlyArray<string>,
    hasBody: boolean,
    origin: Origin
  ) {
    super(context, origin, readHead(receivedOverHttp2(raw, hasBody, origin), origin, context.placeholders.exact))
    this.#stream = stream
    stream.on("error", () => {}) // `close` follows
    stream.on("close", () => this.closed())
    // After a reset by the client, Node closes the stream only when its received data is read, and after NO_ERROR only when the
    // response is written as well.
    stream.on("aborted", () => {
      if (this.isClosed) return
      this.closed()
      stream.destroy()
    })
    stream.on("trailers", (_headers, _flags, raw: Array<string>) => {
      this.#requestTrailers = raw
    })
  }

  get headSent(): boolean {
    return this.#stream.headersSent
  }

  get trailers(): () => HeaderPairs {
    return () => requestTrailers(this.#requestTrailers, this.credential.injection)
  }

  openBody(observer: BodyObserver | undefined): RequestBody {
    return bodyOf(this.#stream, observer)
  }

  sendContinue(): void {
    sendInformation(this.#stream, 100, [])
  }

  /** Sends an informational response, unless the client reads too slowly: flow control does not apply to header frames. */
  sendInformation(status: number, headers: HeaderPairs): void {
    const unread = this.#stream.session?.state.outboundQueueSize ?? 0
    if (unread > MAX_UNREAD_FRAMES) return
    // An HTTP/1.1 upstream may put framing fields into an informational response; HTTP/2 does not allow them.
    sendInformation(this.#stream, status, responseTrailers(headers, this.credential.headSearch))
  }

  sendHead(status: number, _reason: string, raw: HeaderPairs, follows: Following): void {
    const stream = this.#stream
    const length = fieldOf(raw, "content-length")
    const bare = follows === "nothing" || length === "0" || status === 204 || status === 304 ||
      this.head.method === "HEAD"
    // Waiting for trailers costs an extra frame. A body of known length has none unless `Trailer` announces them.
    const trailed = !bare && (length === undefined || fieldOf(raw, "trailer") !== undefined)
    const headers = this.returned(
      responseHeaders(raw, trailed ? "trailers" : "no trailers", this.credential.headSearch)
    )
    if (!sendHead(stream, status, headers, { endStream: bare, waitForTrailers: trailed })) {
      if (stream.closed) return this.closed()
      // Unlike HTTP/1.1, Node's HTTP/2 allows no status above 599.
      return this.refuse(
        upstreamRefusal(`${this.origin.authority.host} sent a response (${status}) that HTTP/2 does not allow`)
      )
    }
    if (trailed) sendTrailers(stream, () => this.#responseTrailers)
    this.#closeAfterResponse()
  }

  /** Stops the client from sending the rest of the request once the response is complete (RFC 9113 section 8.1). */
  #closeAfterResponse(): void {
    const stream = this.#stream
    stream.once("finish", () => {
      if (!stream.endAfterHeaders && !stream.readableEnded) stream.close(NO_ERROR)
    })
  }

  sendData(chunk: Buffer): boolean {
    const stream = this.#stream
    if (stream.write(chunk)) return true
    if (!this.#listensForDrain) {
      this.#listensForDrain = true
      stream.on("drain", () => this.relay.resume())
    }
    return false
  }

  sendEnd(trailers: HeaderPairs): void {
    this.#responseTrailers = responseTrailers(trailers, this.credential.headSearch)
    this.#stream.end()
  }

  protected sendRefusal(refusal: Refusal): void {
    const stream = this.#stream
    this.#closeAfterResponse()
    const error = refusalFields(refusal)
    if (this.head.isGrpc) {
      const fields = [...Object.entries(grpcRefusal(refusal)).flat(), ...error]
      if (!sendHead(stream, 200, fields, { endStream: true })) this.abort(undefined)
      return
    }
    const { body, type } = refusalBody(refusal, this.head.userAgent)
    const fields = ["content-type", type, "content-length", String(Buffer.byteLength(body)), ...error]
    if (!sendHead(stream, refusal.status, fields, {})) return this.abort(undefined)
    stream.end(this.head.method === "HEAD" ? undefined : body)
  }

  /** Passes on the upstream's reset, because its code tells the client whether it may retry (RFC 9113 section 8.7). */
  override lost(code: number | undefined, error?: Error): void {
    if (code === undefined) super.lost(code, error)
    else this.abort(code)
  }

  abort(code: number | undefined): void {
    this.closed()
    resetStream(this.#stream, code ?? INTERNAL_ERROR)
  }
}
