/** Workarounds for Node's streams and HTTP/2 that rely on undocumented behavior. Review them for each version of Node. */
import type * as Http2 from "node:http2"
import type * as Net from "node:net"

/**
 * Resets an HTTP/2 stream. While the writable side is open, Node's `close` sends END_STREAM before RST_STREAM, so that an
 * incomplete message would look complete. An overridden `_final` prevents that.
 */
export const resetStream = (stream: Http2.Http2Stream, code: number): void => {
  stream._final = (callback) => callback()
  stream.close(code)
}

export interface EndOfStream {
  readonly isComplete: boolean
}

/**
 * Observes how the readable side of a client's stream ends. After a reset with NO_ERROR, Node ends the readable side as
 * well, but closes the stream first. Node's server sends such a reset in place of END_STREAM when a complete response has
 * used up the window. `closed` is called in the turn after the end of a stream that was already closed.
 */
export const observeEnd = (stream: Http2.ClientHttp2Stream, closed: () => void): EndOfStream => {
  const end = { isComplete: false }
  const push = stream.push.bind(stream)
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk === null && (!stream.closed || stream.state.localWindowSize === 0)) end.isComplete = true
    if (chunk === null && stream.closed) setImmediate(closed)
    return push(chunk, encoding)
  }
  return end
}

/** Returns a socket to the state after `new Socket`: paused, and flowing as soon as something listens for data. */
export const stopFlowing = (socket: Net.Socket): void => {
  socket.pause()
  Object.assign(socket, { readableFlowing: null })
}
