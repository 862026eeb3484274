/**
 * The parts of bodies that are held until they can be signed. Their memory is limited over all requests of this process,
 * because the clients of a sandbox could otherwise exhaust the machine's memory.
 */
import { UnsupportedSignatureError } from "./ClientSignature.ts"

export const MAX_HELD = 256 * 1024 * 1024

let total = 0

/** Too much is held already, so the client should repeat the request later. */
export class TooManyHeldError extends UnsupportedSignatureError {
  constructor() {
    super("too many bodies are waiting for their signature: repeat the request later")
  }
}

/** What one request holds. */
export class HeldBytes {
  #own = 0

  /** Throws a `TooManyHeldError`. */
  add(length: number): void {
    if (total + length > MAX_HELD) throw new TooManyHeldError()
    total += length
    this.#own += length
  }

  release(): void {
    total -= this.#own
    this.#own = 0
  }
}
