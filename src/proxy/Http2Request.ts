/** One request on a session of HTTP/2 with an upstream, and its answer. */
import type * as Http2 from "node:http2"
import { builtins } from "../platform/builtins.ts"
import { listSize, MAX_LIST_BYTES, regularFields, toHeaderObject } from "./Http2Headers.ts"
import type { Http2Connection } from "./Http2Upstream.ts"
import { HTTP_1_1_REQUIRED, reset } from "./StreamReset.ts"
import {
  type SentRequest,
  SILENCE_MILLISECONDS,
  UnsendableError,
  type UpstreamFailure,
  type UpstreamReceiver,
  type UpstreamRequest
} from "./Upstream.ts"

const NO_ERROR = 0
const FLOW_CONTROL_ERROR = 3
const REFUSED_STREAM = 7
const CANCEL = 8
const ENHANCE_YOUR_CALM = 11
const END_STREAM = 1

export class Http2Request implements SentRequest {
  readonly #connection: Http2Connection
  readonly #request: UpstreamRequest
  readonly #receiver: UpstreamReceiver
  readonly #mayBeStale: boolean
  /** Its connection had ended already. */
  readonly #unsent: boolean
  #stream: Http2.ClientHttp2Stream | undefined
  #over = false
  #answered = false
  /**
   * END_STREAM was received. Node ends the readable side for a reset with NO_ERROR as well, but closes the stream before. Its
   * own server sends such a reset after all of an answer, in place of END_STREAM, when the answer has used up the window.
   */
  #whole = false
  #trailers: ReadonlyArray<string> = []
  #error: Error | undefined

  constructor(connection: Http2Connection, request: UpstreamRequest, receiver: UpstreamReceiver) {
    this.#connection = connection
    this.#request = request
    this.#receiver = receiver
    this.#mayBeStale = connection.mayBeStale
    this.#unsent = !connection.socket.writable
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
      if (this.#over || this.#isOverlong(stream, raw)) return
      const status = Number(headers[":status"])
      if (status === 100) this.#receiver.continued()
      else this.#receiver.informed(status, regularFields(raw))
    })
    stream.on("response", (headers, flags, raw: Array<string>) => this.#respond(stream, headers, flags, raw))
    stream.on("trailers", (_headers, _flags, raw: Array<string>) => {
      if (!this.#isOverlong(stream, raw)) this.#trailers = raw
    })
    stream.on("error", (error: Error) => {
      this.#error = error
    })
    stream.on("close", () => this.#closed(stream))
    const push = stream.push.bind(stream)
    stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (chunk === null && (!stream.closed || stream.state.localWindowSize === 0)) this.#whole = true
      if (chunk === null && stream.closed) setImmediate(() => this.#sweep(stream))
      return push(chunk, encoding)
    }
    if (this.#request.expectsContinue) {
      const silence = setTimeout(() => this.#receiver.continued(), SILENCE_MILLISECONDS)
      stream.once("close", () => clearTimeout(silence))
    }
    if (body === null || this.#unsent) return
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
    if (this.#over || this.#isOverlong(stream, raw)) return
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

  /** Gives up an answer with a longer list than the API was told to send: it need not have agreed to that yet, or ever. */
  #isOverlong(stream: Http2.ClientHttp2Stream, raw: ReadonlyArray<string>): boolean {
    if (listSize(raw) <= MAX_LIST_BYTES) return false
    reset(stream, ENHANCE_YOUR_CALM)
    stream.destroy()
    return true
  }

  /** Node does not destroy a stream by itself that was reset with NO_ERROR while it was being written. */
  #sweep(stream: Http2.ClientHttp2Stream): void {
    const unread = this.#answered && !stream.readableEnded
    if (stream.closed && !stream.writableFinished && !unread) stream.destroy()
  }

  #closed(stream: Http2.ClientHttp2Stream): void {
    this.#connection.left(this.#answered)
    // Node 24 ends the session by itself; Node 22 would read and forget all that comes beyond the window of a stream.
    if (stream.rstCode === FLOW_CONTROL_ERROR) this.#connection.destroy()
    this.#request.body?.unpipe(stream)
    if (this.#over) return
    const { destroyed } = this.#connection.session
    const error = this.#error ?? new Error("the stream was closed")
    // Of a session that was lost Node tells each stream the code, which says nothing of that stream.
    const code = destroyed ? undefined : stream.rstCode
    if (code === REFUSED_STREAM || (stream.id ?? 0) > this.#connection.lastStream) {
      this.#fail({ error, retry: "everything", code: REFUSED_STREAM })
    } else if (code === HTTP_1_1_REQUIRED) {
      this.#connection.decline()
      this.#fail({ error, retry: "everything", code })
    } else if (this.#unsent) {
      this.#fail({ error, retry: "everything", code: undefined })
    } else {
      const stale = destroyed && (this.#mayBeStale || this.#connection.declined) && !this.#answered
      this.#fail({ error, retry: stale ? "idempotent" : "nothing", code: code === NO_ERROR ? undefined : code })
    }
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#over) return
    this.#over = true
    this.#receiver.failed(failure)
  }
}
