/**
 * The parts of bodies that are held until they can be checked or signed. Two limits apply to their memory: one for all requests
 * of this process, because clients could otherwise exhaust the machine's memory, and one for each sandbox, which could otherwise
 * exclude the others.
 */
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

  /** Reserves memory. Throws a `TooManyHeldError` if too little is left. */
  add(length: number): void {
    const { held, limit } = this.#budget
    if (total + length > MAX_HELD || held + length > limit) throw new TooManyHeldError()
    total += length
    this.#budget.held += length
    this.#own += length
  }

  release(): void {
    total -= this.#own
    this.#budget.held -= this.#own
    this.#own = 0
  }
}
