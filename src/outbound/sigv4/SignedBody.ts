/** The body of a signed request, which is rewritten while it is sent. */
import { Readable } from "node:stream"
import type { ChunkedPayload } from "./ChunkedPayload.ts"
import { UnsupportedSignatureError } from "./ClientSignature.ts"

/** A body that reads from its source only on demand, so that backpressure reaches the client. */
export class SignedBody extends Readable {
  readonly #source: Readable
  readonly #payload: ChunkedPayload
  readonly #rejected: (error: UnsupportedSignatureError) => void
  #started = false

  /** `rejected` is called before the stream is destroyed if the client's body is not what its head declares. */
  constructor(source: Readable, payload: ChunkedPayload, rejected: (error: UnsupportedSignatureError) => void) {
    super({ highWaterMark: 64 * 1024 })
    this.#source = source
    this.#payload = payload
    this.#rejected = rejected
    // Without a reader, an unhandled error would end the process.
    this.on("error", () => {})
  }

  override _read(): void {
    if (this.#started) this.#source.resume()
    else this.#start()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    // A source that was not read yet can still be sent on another connection.
    if (this.#started) this.#source.destroy()
    this.#payload.release()
    callback(error)
  }

  #start(): void {
    const source = this.#source
    this.#started = true
    source.on("data", (bytes: Buffer) => this.#pass(() => this.#payload.write(bytes)))
    source.on("end", () => {
      if (this.#pass(() => this.#payload.end())) this.push(null)
    })
    source.on("error", (error) => this.destroy(error))
    source.on("close", () => {
      if (!source.readableEnded) this.destroy(new Error("the request was aborted"))
    })
    if (source.destroyed) this.destroy(new Error("the request was aborted"))
  }

  #pass(parts: () => ReadonlyArray<Buffer> | void): boolean {
    if (this.destroyed) return false
    try {
      let room = true
      for (const part of parts() ?? []) room = this.push(part)
      if (!room) this.#source.pause()
      return true
    } catch (error) {
      if (error instanceof UnsupportedSignatureError) this.#rejected(error)
      this.destroy(error as Error)
      return false
    }
  }
}
