/** A 401 from the API that is kept back while the daemon is asked for another token. */

/** More than an error document needs: beyond it the answer is passed on as it comes. */
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

  /** False when it has become too long to be kept. */
  add(chunk: Buffer): boolean {
    this.chunks.push(chunk)
    this.#size += chunk.length
    return this.#size <= MAX_BYTES
  }
}
