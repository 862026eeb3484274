/**
 * The parts of bodies that are held until they can be checked or signed. Two limits apply to their memory: one for all requests
 * of this process, because clients could otherwise exhaust the machine's memory, and one for each sandbox, which could otherwise
 * exclude the others.
 */
import type { Readable } from "node:stream"
import { hold } from "../../http/HeldParts.ts"
import { UnsupportedSignatureError } from "./ClientSignature.ts"

export const MAX_HELD = 256 * 1024 * 1024

export const MAX_HELD_BY_SANDBOX = MAX_HELD / 4

let total = 0

/** The memory that the requests of one run or sandbox may hold together. */
export class HeldBudget {
  readonly limit: number
  held = 0

  constructor(limit = MAX_HELD) {
    this.limit = limit
  }
}

/** The memory for held bodies is used up, so the client should repeat the request later. */
export class TooManyHeldError extends UnsupportedSignatureError {
  constructor() {
    super("too many bodies are waiting to be checked or signed: repeat the request later")
  }
}

/** The memory that one request holds. */
export class HeldBytes {
  readonly #budget: HeldBudget
  #own = 0

  constructor(budget: HeldBudget) {
    this.#budget = budget
  }

  /** Reserves memory. Returns false if too little is left. */
  reserve(length: number): boolean {
    const { held, limit } = this.#budget
    if (total + length > MAX_HELD || held + length > limit) return false
    total += length
    this.#budget.held += length
    this.#own += length
    return true
  }

  release(): void {
    total -= this.#own
    this.#budget.held -= this.#own
    this.#own = 0
  }
}

/**
 * Reads a body of at most `limit` bytes, for which the caller later releases `memory`. Calls `done` with the content, or with the
 * reason why it cannot be read: then the whole body is still in `source`, which is paused. Does not call `done` if `source` is
 * destroyed first.
 */
export const readWhole = (
  source: Readable,
  limit: number,
  memory: HeldBytes,
  done: (content: Buffer | "too long" | TooManyHeldError) => void
): void => {
  const parts: Array<Buffer> = []
  let length = 0
  const stop = (reason: "too long" | TooManyHeldError): void => {
    source.off("data", read).off("end", end)
    source.pause()
    source.unshift(Buffer.concat(parts))
    done(reason)
  }
  const read = (part: Buffer): void => {
    hold(parts, part)
    length += part.length
    if (length > limit) stop("too long")
    else if (!memory.reserve(part.length)) stop(new TooManyHeldError())
  }
  const end = (): void => done(Buffer.concat(parts))
  source.on("data", read).on("end", end)
}
