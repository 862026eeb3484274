/** One request to an upstream and its answer, in the terms that HTTP/1.1 and HTTP/2 share. */
import type { Duplex, Readable } from "node:stream"
import type { HeaderPairs } from "../outbound/HeaderInjection.ts"

/** Application protocols, by their ALPN names. */
export type Protocol = "http/1.1" | "h2"

export interface UpstreamRequest {
  readonly method: string
  readonly path: string
  /** Flat pairs, the first of which is `Host`. */
  readonly headers: HeaderPairs
  /** Names in lower case of what no header compression may remember (RFC 7541 section 7.1.3). */
  readonly secret: ReadonlyArray<string>
  readonly body: Readable | null
  /** Whether the child sends the body when it is told that it is wanted. */
  readonly expectsContinue: boolean
  /** What followed the body, asked for when the body has ended. HTTP/1.1 carries it after chunks alone. */
  readonly trailers: (() => HeaderPairs) | undefined
  /** Whether the child has said `te: trailers`, which gRPC servers look for. */
  readonly wantsTrailers: boolean
  /** A WebSocket handshake, which takes the connection over. */
  readonly upgrade: boolean
}

/** An upstream that knows no `Expect` waits for the body. Some children wait as long as they have to. */
export const SILENCE_MILLISECONDS = 1000

/** The request has something that the upstream's protocol cannot carry. The message quotes no header. */
export class UnsendableError extends Error {}

/** Why an answer did not come, or broke off. */
export interface UpstreamFailure {
  readonly error: Error
  /**
   * What may be sent once more: nothing, or what is idempotent, because an idle connection was closed just as it was used
   * (RFC 9110 section 9.2.2), or everything, because it was not sent, or the upstream has not looked at it (RFC 9113
   * section 8.7). Of a body nothing may have been read then, and it is left as it is.
   */
  readonly retry: "nothing" | "idempotent" | "everything"
  /** The code of the upstream's RST_STREAM (RFC 9113 section 7). */
  readonly code: number | undefined
}

/** What is called as an answer arrives. Header lists are flat pairs; nothing follows `finished` or `failed`. */
export interface UpstreamReceiver {
  /** The body of a request that `expectsContinue` is wanted. */
  readonly continued: () => void
  readonly informed: (status: number, headers: HeaderPairs) => void
  /** `last`: neither body nor trailers follow; only HTTP/2 tells. */
  readonly answered: (status: number, reason: string, headers: HeaderPairs, last: boolean) => void
  readonly received: (chunk: Buffer) => void
  readonly finished: (trailers: HeaderPairs) => void
  readonly failed: (failure: UpstreamFailure) => void
  readonly upgraded: (status: number, headers: HeaderPairs, socket: Duplex) => void
}

/** A request on its way. */
export interface SentRequest {
  /** Holds the answer's body back, up to the upstream. */
  readonly pause: () => void
  readonly resume: () => void
  /** Nobody waits for the answer any more; the receiver is not called again. */
  readonly abort: () => void
}
