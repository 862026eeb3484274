/** Workarounds for Node's streams and HTTP/2 that rely on undocumented behavior. Review them for each version of Node. */
import type * as Http2 from "node:http2"
import type * as Net from "node:net"
import { hold, LONG_PART } from "./HeldParts.ts"

/**
 * Resets an HTTP/2 stream. While the writable side is open, Node's `close` sends END_STREAM before RST_STREAM, so that an
 * incomplete message would look complete. An overridden `_final` prevents that.
 */
export const resetStream = (stream: Http2.Http2Stream, code: number): void => {
  stream._final = (callback) => callback()
  stream.close(code)
}

/**
 * Observes how the readable side of a client's stream ends. Node also ends it after a reset with NO_ERROR, but then closes the stream
 * first. Node's server sends such a reset in place of END_STREAM when a complete response has used up the window. `closed` is called
 * in the turn after the end of a stream that was already closed.
 */
export const observeEnd = (stream: Http2.ClientHttp2Stream, closed: () => void) => {
  const end = { isComplete: false }
  const push = stream.push.bind(stream)
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk === null && (!stream.closed || stream.state.localWindowSize === 0)) end.isComplete = true
    if (chunk === null && stream.closed) setImmediate(closed)
    return push(chunk, encoding)
  }
  return end
}

/**
 * Joins short parts of an HTTP/2 stream that wait for a reader. The window of a stream limits only content, but a frame with one byte
 * costs Node over a hundred.
 */
export const joinUnread = (stream: Http2.Http2Stream): void => {
  const push = stream.push.bind(stream)
  const read = stream.read.bind(stream)
  let held: Array<Buffer> = []
  const pushHeld = (): void => {
    const parts = held
    held = []
    for (const part of parts) push(part)
  }
  stream.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk !== null && chunk.length < LONG_PART && stream.readableLength > 0) {
      hold(held, chunk)
      return false
    }
    if (held.length > 0) pushHeld()
    return push(chunk, encoding)
  }
  stream.read = (size?: number) => {
    const content = read(size)
    if (content !== null && stream.readableLength === 0) pushHeld()
    return content
  }
}

/**
 * The streams of a session by their ID, with the methods of a `Map` that Node calls. Unlike a `Map`, it keeps no removed members (see
 * `OpenExchanges`).
 */
class StreamTable {
  readonly #ids: Array<number> = []
  readonly #streams: Array<Http2.Http2Stream> = []

  get size(): number {
    return this.#ids.length
  }

  get(id: number): Http2.Http2Stream | undefined {
    const at = this.#ids.indexOf(id)
    return at === -1 ? undefined : this.#streams[at]
  }

  set(id: number, stream: Http2.Http2Stream): void {
    this.#ids.push(id)
    this.#streams.push(stream)
  }

  delete(id: number): void {
    const at = this.#ids.indexOf(id)
    if (at === -1) return
    this.#ids.splice(at, 1)
    this.#streams.splice(at, 1)
  }

  forEach(call: (stream: Http2.Http2Stream) => void): void {
    this.#streams.slice().forEach(call)
  }
}

/** Prevents a new session from keeping ended streams in memory. Does nothing in a version of Node with other internals. */
export const forgetEndedStreams = (session: Http2.Http2Session): void => {
  const symbol = Object.getOwnPropertySymbols(session).find(({ description }) => description === "state")
  const state = symbol && Reflect.get(session, symbol)
  if (state?.streams?.size === 0) state.streams = new StreamTable()
}

/** Returns a socket to the state after `new Socket`: paused, and flowing as soon as something listens for data. */
export const stopFlowing = (socket: Net.Socket): void => {
  socket.pause()
  Object.assign(socket, { readableFlowing: null })
}
