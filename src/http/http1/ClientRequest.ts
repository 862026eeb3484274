/** One request on a client connection of HTTP/1.1, and the limits of its wait for 100 (Continue). */
import type * as Net from "node:net"
import {
  CONTINUE_WAIT_MILLISECONDS,
  type OutgoingRequest,
  type PendingRequest,
  type ResponseReceiver
} from "../OutgoingRequest.ts"
import type { MessageParser } from "./MessageParser.ts"
import { RequestBodyWriter } from "./RequestBodyWriter.ts"
import { declaredLength, requestHead } from "./RequestHeadWriter.ts"

export interface SendingConnection {
  readonly socket: Net.Socket
  readonly pause: (request: ClientRequest) => void
  readonly resume: (request: ClientRequest) => void
  readonly abort: (request: ClientRequest) => void
  /** Called when the request would fail on any other connection as well. */
  readonly fail: (request: ClientRequest, error: Error) => void
}

export class ClientRequest implements PendingRequest {
  readonly request: OutgoingRequest
  readonly receiver: ResponseReceiver
  /** Whether the connection was idle before this request. */
  readonly mayBeStale: boolean
  /** Whether anything has arrived since the request was sent. */
  heard = false
  readonly #connection: SendingConnection
  #body: RequestBodyWriter | undefined
  #continueTimer: NodeJS.Timeout | undefined

  constructor(
    connection: SendingConnection,
    request: OutgoingRequest,
    receiver: ResponseReceiver,
    mayBeStale: boolean
  ) {
    this.#connection = connection
    this.request = request
    this.receiver = receiver
    this.mayBeStale = mayBeStale
  }

  get complete(): boolean {
    return this.request.body === null || this.#body?.complete === true
  }

  /** Sends the request. Throws an `UnsendableError` before anything is written. */
  begin(): void {
    const { body, expectsContinue, headers, trailers } = this.request
    const { socket } = this.#connection
    const length = declaredLength(headers)
    const head = requestHead(this.request, length)
    if (body === null) {
      socket.write(head, "latin1")
      return
    }
    if (expectsContinue) this.#continueTimer = setTimeout(() => this.receiver.continued(), CONTINUE_WAIT_MILLISECONDS)
    this.#body = new RequestBodyWriter(socket, body, length, trailers, (error) => this.#connection.fail(this, error))
    this.#body.begin(head)
  }

  drained(): void {
    this.#body?.resume()
  }

  informed({ headers, status }: MessageParser): void {
    if (status !== 100) return this.receiver.informed(status, headers)
    if (!this.request.expectsContinue) return
    clearTimeout(this.#continueTimer)
    this.receiver.continued()
  }

  responded({ headers, reason, status }: MessageParser): void {
    clearTimeout(this.#continueTimer)
    this.receiver.responded(status, reason, headers, "content")
  }

  end(): void {
    clearTimeout(this.#continueTimer)
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
