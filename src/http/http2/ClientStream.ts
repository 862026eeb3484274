/** One request over HTTP/2 and its response: a stream of a client session. */
import type * as Http2 from "node:http2"
import type * as Tls from "node:tls"
import { builtins } from "../../platform/builtins.ts"
import { MAX_HEAD_BYTES } from "../HeaderFields.ts"
import { joinUnread, observeEnd, resetStream } from "../NodeQuirks.ts"
import {
  CONTINUE_WAIT_MILLISECONDS,
  type OutgoingRequest,
  type PendingRequest,
  type RequestFailure,
  type ResponseReceiver,
  UnsendableError
} from "../OutgoingRequest.ts"
import {
  CANCEL,
  END_STREAM,
  ENHANCE_YOUR_CALM,
  FLOW_CONTROL_ERROR,
  HTTP_1_1_REQUIRED,
  NO_ERROR,
  REFUSED_STREAM
} from "./FrameCodes.ts"
import { listSize, regularFields } from "./HeaderList.ts"
import { sendRequest, sendTrailers } from "./SendHeaders.ts"

export interface StreamSession {
  readonly socket: Tls.TLSSocket
  readonly session: Http2.ClientHttp2Session
  readonly mayBeStale: boolean
  readonly lastStream: number
  readonly declined: boolean
  readonly frameReceived: () => void
  readonly streamClosed: (responded: boolean) => void
  readonly decline: () => void
  readonly destroy: () => void
}

export class ClientStream implements PendingRequest {
  readonly #session: StreamSession
  readonly #request: OutgoingRequest
  readonly #receiver: ResponseReceiver
  readonly #mayBeStale: boolean
  /** Whether the connection had ended before the request was sent. */
  readonly #unsent: boolean
  #stream: Http2.ClientHttp2Stream | undefined
  #end: ReturnType<typeof observeEnd> | undefined
  #over = false
  #responded = false
  #trailers: ReadonlyArray<string> = []
  #error: Error | undefined

  constructor(session: StreamSession, request: OutgoingRequest, receiver: ResponseReceiver) {
    this.#session = session
    this.#request = request
    this.#receiver = receiver
    this.#mayBeStale = session.mayBeStale
    this.#unsent = !session.socket.writable
    const [, host = "", ...fields] = request.headers
    if (request.wantsTrailers) fields.push("te", "trailers")
    if (request.expectsContinue) fields.push("expect", "100-continue")
    this.#stream = sendRequest(
      session.session,
      { ":method": request.method, ":scheme": "https", ":authority": host, ":path": request.path },
      fields,
      request.secret,
      { endStream: request.body === null, waitForTrailers: request.trailers !== undefined }
    )
    if (this.#stream === undefined) {
      process.nextTick(() => {
        session.streamClosed(false)
        const error = new UnsendableError("the request cannot be sent as HTTP/2")
        this.#fail({ error, retry: "nothing", code: undefined })
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
    if (this.#stream !== undefined) resetStream(this.#stream, CANCEL)
  }

  #listen(stream: Http2.ClientHttp2Stream): void {
    const { body, trailers } = this.#request
    stream.on("headers", (headers, _flags, raw: Array<string>) => {
      this.#session.frameReceived()
      if (this.#over || this.#rejectOverlong(stream, raw)) return
      const status = Number(headers[":status"])
      if (status === 100) this.#receiver.continued()
      else this.#receiver.informed(status, regularFields(raw))
    })
    stream.on("response", (headers, flags, raw: Array<string>) => this.#respond(stream, headers, flags, raw))
    stream.on("trailers", (_headers, _flags, raw: Array<string>) => {
      if (!this.#rejectOverlong(stream, raw)) this.#trailers = raw
    })
    stream.on("error", (error: Error) => {
      this.#error = error
    })
    stream.on("close", () => this.#closed(stream))
    joinUnread(stream)
    this.#end = observeEnd(stream, () => this.#destroyReset(stream))
    if (this.#request.expectsContinue) {
      const timer = setTimeout(() => this.#receiver.continued(), CONTINUE_WAIT_MILLISECONDS)
      stream.once("close", () => clearTimeout(timer))
    }
    if (body === null || this.#unsent) return
    if (trailers !== undefined) sendTrailers(stream, trailers)
    body.once("error", () => this.abort())
    body.pipe(stream)
  }

  #respond(
    stream: Http2.ClientHttp2Stream,
    headers: Http2.IncomingHttpHeaders & Http2.IncomingHttpStatusHeader,
    flags: number,
    raw: Array<string>
  ): void {
    this.#session.frameReceived()
    if (this.#over || this.#rejectOverlong(stream, raw)) return
    this.#responded = true
    const status = headers[":status"] ?? 0
    const reason = builtins.http.STATUS_CODES[status] ?? ""
    this.#receiver.responded(status, reason, regularFields(raw), (flags & END_STREAM) === 0 ? "content" : "nothing")
    stream.on("data", (chunk: Buffer) => {
      this.#session.frameReceived()
      if (!this.#over) this.#receiver.received(chunk)
    })
    stream.on("end", () => {
      if (this.#over) return
      if (this.#end?.isComplete !== true) return void stream.destroy()
      this.#over = true
      // The rest of the request is unwanted.
      if (this.#request.body?.readableEnded === false) {
        this.#request.body.destroy()
        if (!stream.closed) resetStream(stream, CANCEL)
      }
      this.#destroyReset(stream)
      this.#receiver.finished(regularFields(this.#trailers))
    })
  }

  /** Aborts a response whose header list exceeds the announced limit, which the server may not have acknowledged yet. */
  #rejectOverlong(stream: Http2.ClientHttp2Stream, raw: ReadonlyArray<string>): boolean {
    if (listSize(raw) <= MAX_HEAD_BYTES) return false
    resetStream(stream, ENHANCE_YOUR_CALM)
    stream.destroy()
    return true
  }

  /** Destroys a stream that was reset with NO_ERROR while it was being written, because Node leaves it open. */
  #destroyReset(stream: Http2.ClientHttp2Stream): void {
    const unread = this.#responded && !stream.readableEnded
    if (stream.closed && !stream.writableFinished && !unread) stream.destroy()
  }

  #closed(stream: Http2.ClientHttp2Stream): void {
    this.#session.streamClosed(this.#responded)
    // Node 24 ends the session by itself; Node 22 would read and drop everything beyond the window of a stream.
    if (stream.rstCode === FLOW_CONTROL_ERROR) this.#session.destroy()
    this.#request.body?.unpipe(stream)
    if (this.#over) return
    const { destroyed } = this.#session.session
    const error = this.#error ?? new Error("the stream was closed")
    // When a session is lost, Node reports the session's code to each stream, although the code does not concern the stream.
    const code = destroyed ? undefined : stream.rstCode
    if (code === REFUSED_STREAM || (stream.id ?? 0) > this.#session.lastStream) {
      this.#fail({ error, retry: "everything", code: REFUSED_STREAM })
    } else if (code === HTTP_1_1_REQUIRED) {
      this.#session.decline()
      this.#fail({ error, retry: "everything", code })
    } else if (this.#unsent) {
      this.#fail({ error, retry: "everything", code: undefined })
    } else {
      const stale = destroyed && (this.#mayBeStale || this.#session.declined) && !this.#responded
      this.#fail({ error, retry: stale ? "idempotent" : "nothing", code: code === NO_ERROR ? undefined : code })
    }
  }

  #fail(failure: RequestFailure): void {
    if (this.#over) return
    this.#over = true
    this.#receiver.failed(failure)
  }
}
