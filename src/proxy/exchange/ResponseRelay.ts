/** Passes the response to the client, searched for the secrets of the request. */
import type { HeaderPairs } from "../../http/HeaderFields.ts"
import type { Following } from "../../http/OutgoingRequest.ts"
import type { ResponseContent, ResponseSink } from "../../http/scrub/ResponseContent.ts"
import { scrubbedContent } from "../../http/scrub/ScrubbedContent.ts"
import { upstreamRefusal } from "../ErrorResponse.ts"
import type { TokenReader } from "../rules/TokenLimit.ts"
import type { Client } from "./Client.ts"
import type { CredentialStep } from "./CredentialStep.ts"

/** Limits the informational responses of one exchange: they are written without regard to backpressure. */
const MAX_INFORMATIONAL = 256

/** The part of an exchange that the relay uses. */
export interface RelayedExchange extends Client {
  readonly credential: CredentialStep
  readonly tokenReader: () => TokenReader | undefined
  /** Allows the upstream to send more. */
  readonly proceed: () => void
}

export class ResponseRelay implements ResponseSink {
  readonly #exchange: RelayedExchange
  /** The content on its way through a search; undefined if it is passed on unchanged. */
  #content: ResponseContent | undefined
  #reason = ""
  #trailers: HeaderPairs = []
  #informationalCount = 0
  #hasContinued = false
  bytesOut = 0

  constructor(exchange: RelayedExchange) {
    this.#exchange = exchange
  }

  continued(): void {
    if (this.#exchange.isOver || this.#exchange.headSent || this.#hasContinued) return
    this.#hasContinued = true
    this.#exchange.sendContinue()
  }

  informed(status: number, headers: HeaderPairs): void {
    const { credential, headSent, isOver } = this.#exchange
    if (isOver || headSent || credential.capture !== undefined || (status !== 102 && status !== 103)) return
    if (this.#informationalCount++ < MAX_INFORMATIONAL) this.#exchange.sendInformation(status, headers)
  }

  /** Begins the final response. */
  start(status: number, reason: string, headers: HeaderPairs, follows: Following): void {
    const exchange = this.#exchange
    const { credential } = exchange
    this.#reason = reason
    const hasContent = follows === "content" && exchange.head.method !== "HEAD" && status !== 204 && status !== 304
    if (credential.capture?.takes(status, hasContent) === true) {
      this.#content = credential.capture.received(status, headers)
      return
    }
    const { search } = credential
    if (search !== undefined && hasContent) {
      this.#content = scrubbedContent(
        () => credential.search ?? search,
        { status, headers },
        this,
        exchange.tokenReader()
      )
    }
    if (this.#content === undefined && !exchange.isOver) exchange.sendHead(status, reason, headers, follows)
  }

  /** Passes on a part of the content. Returns false to apply backpressure, until the client has read. */
  pass(chunk: Buffer): boolean {
    this.bytesOut += chunk.length
    return this.#content === undefined ? this.#exchange.sendData(chunk) : this.#content.write(chunk)
  }

  finish(trailers: HeaderPairs): void {
    this.#trailers = trailers
    if (this.#content === undefined) this.#exchange.sendEnd(this.#trailers)
    else this.#content.end()
  }

  /** Called when the client has read what was sent. */
  resume(): void {
    if (this.#content === undefined) this.#exchange.proceed()
    else this.#content.resume()
  }

  destroy(): void {
    this.#content?.destroy()
  }

  head(headers: HeaderPairs): void {
    const exchange = this.#exchange
    if (!exchange.isOver) exchange.sendHead(exchange.status, this.#reason, headers, "content")
  }

  data(chunk: Buffer): boolean {
    return this.#exchange.isOver || this.#exchange.sendData(chunk)
  }

  end(): void {
    if (!this.#exchange.isOver) this.#exchange.sendEnd(this.#trailers)
  }

  drained(): void {
    this.#exchange.proceed()
  }

  failed(problem: string): void {
    this.#exchange.refuse(upstreamRefusal(`${this.#exchange.origin.authority.host} ${problem}`))
  }

  disclosed(problem: string): void {
    const { context, origin } = this.#exchange
    context.secrets.askForIdentity(origin.hostHeader)
    this.failed(problem)
  }
}
