/** One request that an HTTP/1.1 server has received: its head, its body, and the response to write. */
import type * as Net from "node:net"
import type { HeaderPairs } from "../HeaderFields.ts"
import { type BodyObserver, RequestBody } from "../RequestBody.ts"
import type { MessageParser } from "./MessageParser.ts"
import { type ResponseConnection, ServerResponse } from "./ServerResponse.ts"

/** Why received bytes are not a valid request. */
export interface ProtocolViolation {
  readonly status: number
  readonly message: string
}

export interface DetachedSocket {
  readonly socket: Net.Socket
  readonly head: Buffer
}

export interface RequestConnection extends ResponseConnection {
  readonly proceed: () => void
  readonly bodyOpened: (request: ServerRequest) => void
  readonly detach: () => DetachedSocket
}

export interface RequestHandler {
  /** Called when the client has read what was written, so backpressure is over. */
  readonly drained: () => void
  /** Called once, when the response is complete or abandoned. */
  readonly closed: () => void
  /** Called if the bytes after the head are not HTTP. */
  readonly malformed: (violation: ProtocolViolation) => void
}

export class ServerRequest {
  readonly method: string
  readonly target: string
  readonly headers: HeaderPairs
  readonly minorVersion: number
  readonly upgrade: boolean
  readonly response: ServerResponse
  handler: RequestHandler | undefined
  readonly #connection: RequestConnection
  readonly #parser: MessageParser
  #body: RequestBody | undefined
  #isFull = false

  constructor(connection: RequestConnection, parser: MessageParser) {
    this.#connection = connection
    this.#parser = parser
    this.method = parser.method
    this.target = parser.url
    this.headers = parser.headers
    this.minorVersion = parser.minorVersion
    this.upgrade = parser.upgrade
    this.response = new ServerResponse(connection, this, parser.keepAlive, () => this.handler?.closed())
  }

  get socket(): Net.Socket {
    return this.#connection.socket
  }

  /** Returns the body, which ends with an error when the client aborts. May be called once. */
  openBody(observer?: BodyObserver): RequestBody {
    this.#body = new RequestBody(() => {
      this.#isFull = false
      this.#connection.proceed()
    }, observer)
    this.#connection.bodyOpened(this)
    return this.#body
  }

  /** The trailer section, complete when the body has ended. */
  get trailers(): HeaderPairs {
    return this.#parser.trailers
  }

  get isOpen(): boolean {
    return this.#body !== undefined
  }

  get isFull(): boolean {
    return this.#isFull
  }

  received(part: Buffer): void {
    this.#isFull = this.#body?.receive(part) === false
  }

  receivedAll(): void {
    this.#body?.receivedAll()
  }

  drained(): void {
    this.handler?.drained()
  }

  malformed(violation: ProtocolViolation): void {
    this.response.last = true
    this.handler?.malformed(violation)
    this.#abortBody(violation.message)
  }

  lost(): void {
    if (this.response.isClosed) return
    this.#abortBody("the client aborted the request")
    this.response.discard()
  }

  /** Hands the connection over to the caller. The caller must not have written any part of a response. */
  detach(): DetachedSocket {
    const detached = this.#connection.detach()
    this.response.discard()
    return detached
  }

  #abortBody(reason: string): void {
    if (this.#body?.readableEnded === false) this.#body.destroy(new Error(reason))
  }
}
