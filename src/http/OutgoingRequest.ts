/** A request to a server and the receiver of its response, independent of the version of HTTP. */
import type { Duplex, Readable } from "node:stream"
import type { HeaderPairs } from "./HeaderFields.ts"

/** A version of HTTP, by its ALPN name. */
export type Protocol = "http/1.1" | "h2"

/** A request to a server. */
export interface OutgoingRequest {
  readonly method: string
  readonly path: string
  /** The header section as flat pairs, of which the first is `Host`. */
  readonly headers: HeaderPairs
  /** Lower-case names of the fields that header compression must not index (RFC 7541 section 7.1.3). */
  readonly secret: ReadonlyArray<string>
  readonly body: Readable | null
  readonly expectsContinue: boolean
  /** The trailer section, read when the body has ended. HTTP/1.1 carries one only after a chunked body. */
  readonly trailers: (() => HeaderPairs) | undefined
  /** Whether to send `TE: trailers`, which gRPC servers require. */
  readonly wantsTrailers: boolean
  /** The protocol that replaces HTTP on the connection, if the server agrees. */
  readonly upgrade: string | undefined
}

/** The parts of a request's head that a signature can cover. */
export type OutgoingHead = Pick<OutgoingRequest, "headers" | "method" | "path">

/** How long to wait for a 100 (Continue) response before the body is sent anyway (RFC 9110 section 10.1.1). */
export const CONTINUE_WAIT_MILLISECONDS = 1000

/** The request contains something that the server's protocol cannot carry. The message quotes no header field. */
export class UnsendableError extends Error {}

/** The server's response is not valid. */
export class InvalidResponseError extends Error {}

/** Why a request has no response. */
export interface RequestFailure {
  readonly error: Error
  /**
   * Which requests may be sent again. `idempotent`: only idempotent ones, because an idle connection was closed just as it was used
   * (RFC 9110 section 9.2.2). `everything`: any, because the server did not process the request (RFC 9113 section 8.7). In both
   * cases, nothing of the body has been read.
   */
  readonly retry: "nothing" | "idempotent" | "everything"
  /** The error code of the server's RST_STREAM (RFC 9113 section 7). */
  readonly code: number | undefined
}

/** What follows the head of a response: content and trailers, or neither, which only HTTP/2 can tell. */
export type Following = "content" | "nothing"

/** Receives a response as it arrives. `finished` and `failed` are final. */
export interface ResponseReceiver {
  /** Called when the server wants the body of a request that `expectsContinue`. */
  readonly continued: () => void
  /** Called for an informational (1xx) response other than 100 and 101. */
  readonly informed: (status: number, headers: HeaderPairs) => void
  /** Called with the head of the final response. */
  readonly responded: (status: number, reason: string, headers: HeaderPairs, follows: Following) => void
  readonly received: (chunk: Buffer) => void
  readonly finished: (trailers: HeaderPairs) => void
  readonly failed: (failure: RequestFailure) => void
  /** Called when the server has switched protocols. The socket then belongs to the receiver. */
  readonly upgraded: (status: number, headers: HeaderPairs, socket: Duplex) => void
}

/** A request whose response is not complete. */
export interface PendingRequest {
  /** Applies backpressure to the response, up to the server. */
  readonly pause: () => void
  readonly resume: () => void
  /** Abandons the response; the receiver is not called again. */
  readonly abort: () => void
}
