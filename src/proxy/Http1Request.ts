/** One request on a connection of HTTP/1.1 with an upstream, and its answer. */
import type { Http1Parser } from "./Http1Parser.ts"
import { Http1RequestBody } from "./Http1RequestBody.ts"
import { declaredLength, requestHead } from "./Http1RequestHead.ts"
import type { Http1Connection } from "./Http1Upstream.ts"
import { type SentRequest, SILENCE_MILLISECONDS, type UpstreamReceiver, type UpstreamRequest } from "./Upstream.ts"

export class Http1Request implements SentRequest {
  readonly request: UpstreamRequest
  readonly receiver: UpstreamReceiver
  /** Whether its connection has been idle before. */
  readonly mayBeStale: boolean
  /** Whether anything has come since it was sent. */
  heard = false
  readonly #connection: Http1Connection
  #body: Http1RequestBody | undefined
  #silence: NodeJS.Timeout | undefined

  constructor(connection: Http1Connection, request: UpstreamRequest, receiver: UpstreamReceiver, mayBeStale: boolean) {
    this.#connection = connection
    this.request = request
    this.receiver = receiver
    this.mayBeStale = mayBeStale
  }

  /** Whether all of it was written. */
  get complete(): boolean {
    return this.request.body === null || this.#body?.complete === true
  }

  /** Throws UnsendableError before anything is written. */
  begin(): void {
    const { body, expectsContinue, headers, trailers } = this.request
    const { socket } = this.#connection
    const length = declaredLength(headers)
    const head = requestHead(this.request, length)
    if (body === null) {
      socket.write(head, "latin1")
      return
    }
    if (expectsContinue) this.#silence = setTimeout(() => this.receiver.continued(), SILENCE_MILLISECONDS)
    this.#body = new Http1RequestBody(socket, body, length, trailers, (error) => this.#connection.fail(this, error))
    this.#body.begin(head)
  }

  /** The connection takes more of the body. */
  drained(): void {
    this.#body?.resume()
  }

  /** A head that is none of the last one. */
  informed({ headers, status }: Http1Parser): void {
    if (status !== 100) return this.receiver.informed(status, headers)
    if (!this.request.expectsContinue) return
    clearTimeout(this.#silence)
    this.receiver.continued()
  }

  answered({ headers, reason, status }: Http1Parser): void {
    clearTimeout(this.#silence)
    this.receiver.answered(status, reason, headers, false)
  }

  /** No more of it is read or written. */
  end(): void {
    clearTimeout(this.#silence)
    this.#body?.stop()
  }

  pause(): void {
    this.#connection.pause(this)
  }

  resume(): void {
    this.#connection.resume(this)
  }

  abort(): void {
    this.#connection.abort(this)
  }
}
