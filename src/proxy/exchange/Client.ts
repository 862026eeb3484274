/**
 * The client of an exchange, as the steps of the exchange use it: a request, and a response to write in the client's protocol.
 */
import type { HeaderPairs } from "../../http/HeaderFields.ts"
import type { Following } from "../../http/OutgoingRequest.ts"
import type { BodyObserver, RequestBody } from "../../http/RequestBody.ts"
import type { Refusal } from "../ErrorResponse.ts"
import type { Origin } from "../routing/Origin.ts"
import type { RequestHead } from "../routing/RequestValidation.ts"
import type { RunContext } from "./RunContext.ts"

export interface Client {
  readonly context: RunContext
  readonly origin: Origin
  /** The head that is sent. */
  readonly head: RequestHead
  status: number
  /** Whether the exchange sends nothing more to the upstream or the client, except for a refusal. */
  readonly isOver: boolean
  /** Whether the client has the head of the final response. */
  readonly headSent: boolean
  /** Returns the body of the request. May be called once. */
  openBody(observer: BodyObserver | undefined): RequestBody
  sendContinue(): void
  sendInformation(status: number, headers: HeaderPairs): void
  sendHead(status: number, reason: string, headers: HeaderPairs, follows: Following): void
  /** Sends a part of the content. Returns false to apply backpressure, until the client has read. */
  sendData(chunk: Buffer): boolean
  sendEnd(trailers: HeaderPairs): void
  /** Refuses the request. Later events have no effect, although over HTTP/2 the client's stream is still open. */
  refuse(refusal: Refusal): void
  /** Runs a step in an event handler. An exception refuses the request, instead of ending the process with all other exchanges. */
  contain(step: () => void): void
}
