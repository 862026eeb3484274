/** A request of HTTP/1.1 and the means to answer it. */
import type { HeaderPairs } from "../outbound/HeaderInjection.ts"
import { Http1Answer } from "./Http1Answer.ts"
import type { Http1Parser } from "./Http1Parser.ts"
import type { Http1ServerConnection, TakenOver } from "./Http1Server.ts"
import type { Refusal } from "./RefusalBody.ts"
import { RequestBody } from "./RequestBody.ts"

export class Http1Message extends Http1Answer {
  readonly target: string
  /** It asks for the connection to be taken over. */
  readonly upgrade: boolean
  readonly #parser: Http1Parser
  #body: RequestBody | undefined
  #isFull = false

  constructor(connection: Http1ServerConnection, parser: Http1Parser) {
    super(connection, parser)
    this.#parser = parser
    this.target = parser.url
    this.upgrade = parser.upgrade
  }

  /** Once. The body, and an error when the client breaks off. */
  openBody(): RequestBody {
    this.#body = new RequestBody(() => {
      this.#isFull = false
      this.connection.proceed()
    })
    this.connection.opened(this)
    return this.#body
  }

  /** After the end of the body. */
  get trailers(): HeaderPairs {
    return this.#parser.trailers
  }

  get isOpen(): boolean {
    return this.#body !== undefined
  }

  /** No more of the body is wanted for now. */
  get isFull(): boolean {
    return this.#isFull
  }

  received(part: Buffer): void {
    this.#isFull = this.#body?.receive(part) === false
  }

  receivedAll(): void {
    if (this.#body?.destroyed === false) this.#body.push(null)
  }

  drained(): void {
    this.answerer?.drained()
  }

  malformed(refusal: Refusal): void {
    this.last = true
    this.answerer?.malformed(refusal)
    this.#breakBody(refusal.message)
  }

  /** The client has gone. */
  lost(): void {
    if (this.isOver) return
    this.#breakBody("the client broke off")
    this.close()
  }

  /** The connection belongs to the caller from here on; of the answer nothing was written. */
  takeOver(): TakenOver {
    const taken = this.connection.takeOver()
    this.close()
    return taken
  }

  #breakBody(reason: string): void {
    if (this.#body?.readableEnded === false) this.#body.destroy(new Error(reason))
  }
}
