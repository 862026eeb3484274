/**
 * Writes the content of a request as HTTP/1.1 frames it: exactly the declared length, or chunks with a trailer section. Content that
 * is available at once is written together with the head.
 */
import type * as Net from "node:net"
import type { Readable } from "node:stream"
import type { OutgoingRequest } from "../OutgoingRequest.ts"
import { lastChunk } from "./RequestHeadWriter.ts"

const uncork = (socket: Net.Socket): void => socket.uncork()

export class RequestBodyWriter {
  complete = false
  readonly #socket: Net.Socket
  readonly #body: Readable
  readonly #trailers: OutgoingRequest["trailers"]
  readonly #failed: (error: Error) => void
  /** The rest of the declared length. NaN for a chunked body. */
  #left: number
  #over = false

  /** `length` is from `declaredLength`. `failed` is called at most once, if the request cannot be completed. */
  constructor(
    socket: Net.Socket,
    body: Readable,
    length: number,
    trailers: OutgoingRequest["trailers"],
    failed: (error: Error) => void
  ) {
    this.#socket = socket
    this.#body = body
    this.#left = length === -1 ? Number.NaN : length
    this.#trailers = trailers
    this.#failed = failed
  }

  begin(head: string): void {
    const body = this.#body
    this.#cork()
    this.#socket.write(head, "latin1")
    body.on("data", (chunk: Buffer) => this.#write(chunk))
    body.on("end", () => this.#finish())
    body.on("error", (error) => this.#fail(error))
    body.on("close", () => this.#fail(new Error("the request was aborted")))
    if (body.destroyed) this.#fail(new Error("the request was aborted"))
    else body.read()
    // An earlier connection that failed may have left the body paused.
    if (body.isPaused()) body.resume()
  }

  resume(): void {
    if (!this.#over) this.#body.resume()
  }

  stop(): void {
    this.#over = true
    if (!this.complete) this.#body.destroy()
  }

  #write(chunk: Buffer): void {
    // An empty chunk would end a chunked body.
    if (this.#over || chunk.length === 0) return
    const chunked = Number.isNaN(this.#left)
    this.#left -= chunk.length
    if (this.#left < 0) return this.#fail(new Error("the request's body is longer than its Content-Length"))
    this.#cork()
    if (chunked) this.#socket.write(`${chunk.length.toString(16)}\r\n`, "latin1")
    let open = this.#socket.write(chunk)
    if (chunked) open = this.#socket.write("\r\n", "latin1")
    if (!open) this.#body.pause()
  }

  #finish(): void {
    if (this.#over) return
    if (this.#left > 0) return this.#fail(new Error("the request's body is shorter than its Content-Length"))
    try {
      if (Number.isNaN(this.#left)) this.#socket.write(lastChunk(this.#trailers?.() ?? []), "latin1")
    } catch (error) {
      return this.#fail(error as Error)
    }
    this.#over = true
    this.complete = true
  }

  #fail(error: Error): void {
    if (this.#over) return
    this.#over = true
    this.#failed(error)
  }

  #cork(): void {
    if (this.#socket.writableCorked > 0) return
    this.#socket.cork()
    process.nextTick(uncork, this.#socket)
  }
}
