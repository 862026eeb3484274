/**
 * The body of a request as HTTP/1.1 frames it: of the declared length and no other, or in chunks, with trailers.
 *
 * What comes within one turn of the event loop is written at once, the head included: most bodies are small and there already.
 */
import type * as Net from "node:net"
import type { Readable } from "node:stream"
import { lastChunk } from "./Http1RequestHead.ts"
import type { UpstreamRequest } from "./Upstream.ts"

const uncork = (socket: Net.Socket): void => socket.uncork()

export class Http1RequestBody {
  /** Whether all of it was written. */
  complete = false
  readonly #socket: Net.Socket
  readonly #body: Readable
  readonly #trailers: UpstreamRequest["trailers"]
  readonly #failed: (error: Error) => void
  /** What is still to come; NaN where chunks say so. */
  #left: number
  #over = false

  /** `length`: the declared one, or -1. `failed`: the request can never be completed; called once, if at all. */
  constructor(
    socket: Net.Socket,
    body: Readable,
    length: number,
    trailers: UpstreamRequest["trailers"],
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
    body.on("close", () => this.#fail(new Error("the request broke off")))
    if (body.destroyed) this.#fail(new Error("the request broke off"))
    else body.read()
    // As another upstream leaves it that did not get to it.
    if (body.isPaused()) body.resume()
  }

  /** The socket takes more. */
  resume(): void {
    if (!this.#over) this.#body.resume()
  }

  /** Nobody wants what is still to come. */
  stop(): void {
    this.#over = true
    if (!this.complete) this.#body.destroy()
  }

  #write(chunk: Buffer): void {
    // An empty chunk would be the last one.
    if (this.#over || chunk.length === 0) return
    const chunked = Number.isNaN(this.#left)
    this.#left -= chunk.length
    if (this.#left < 0) return this.#fail(new Error("the request's body is longer than it says"))
    this.#cork()
    if (chunked) this.#socket.write(`${chunk.length.toString(16)}\r\n`, "latin1")
    let open = this.#socket.write(chunk)
    if (chunked) open = this.#socket.write("\r\n", "latin1")
    if (!open) this.#body.pause()
  }

  #finish(): void {
    if (this.#over) return
    if (this.#left > 0) return this.#fail(new Error("the request's body is shorter than it says"))
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
