/** A 401 response that is held back while the daemon is asked for a newer token. */

/** The longest response that is held, which an error document does not reach. Longer ones are passed on as they arrive. */
const MAX_BYTES = 64 * 1024

export class HeldResponse {
  readonly reason: string
  readonly headers: Array<string>
  readonly chunks: Array<Buffer> = []
  #size = 0

  constructor(reason: string, headers: Array<string>) {
    this.reason = reason
    this.headers = headers
  }

  /** Returns false if the response has become too long to hold. */
  add(chunk: Buffer): boolean {
    this.chunks.push(chunk)
    this.#size += chunk.length
    return this.#size <= MAX_BYTES
  }
}
