/** Breaking off one stream of HTTP/2. */
import type * as Http2 from "node:http2"

/** The code of a peer that wants the request over HTTP/1.1 (RFC 9113 section 7). */
export const HTTP_1_1_REQUIRED = 13

/**
 * Ends a stream by RST_STREAM. Node's `close` sends END_STREAM before it when the writable side is open, by which half a
 * message would look whole to the peer.
 */
export const reset = (stream: Http2.Http2Stream, code: number): void => {
  stream._final = (callback) => callback()
  stream.close(code)
}
