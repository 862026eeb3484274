/**
 * Shares one call to the daemon among requests that wait at the same time. A request gets only the outcome of a call
 * that began after it arrived, or an outcome that would be the same now, so a logout takes effect with the next
 * request.
 */
export interface Waiter<Outcome> {
  readonly settled: (outcome: Outcome) => void
}

interface Batch<Request, Outcome> {
  readonly request: Request
  waiting: Array<Waiter<Outcome>>
}

/** After this many calls for one request each, the next call starts without waiting for other requests to join it. */
const SEQUENTIAL_CALLS = 4

export class ResolveBatch<Request, Outcome> {
  readonly #call: (request: Request, done: (outcome: Outcome) => void) => void
  readonly #known: (request: Request) => Outcome | undefined
  readonly #batches = new Map<string, Batch<Request, Outcome>>()
  /** The number of calls since the last one that several requests shared, or during which another request arrived. */
  #alone = 0

  /** `known` returns the outcome of a call that need not be made. */
  constructor(
    call: (request: Request, done: (outcome: Outcome) => void) => void,
    known: (request: Request) => Outcome | undefined = () => undefined
  ) {
    this.#call = call
    this.#known = known
  }

  /** Asks the daemon. Requests with equal keys must be equivalent to the daemon. May notify the waiter synchronously. */
  ask(key: string, request: Request, waiter: Waiter<Outcome>): void {
    const known = this.#known(request)
    if (known !== undefined) return waiter.settled(known)
    const batch = this.#batches.get(key)
    if (batch !== undefined) {
      batch.waiting.push(waiter)
      return
    }
    const started: Batch<Request, Outcome> = { request, waiting: [waiter] }
    this.#batches.set(key, started)
    if (this.#alone >= SEQUENTIAL_CALLS) this.#start(key, started)
    else this.#soon(key, started)
  }

  /** Waits for more requests during this turn of the event loop and the next, which are short when the process is idle. */
  #soon(key: string, batch: Batch<Request, Outcome>): void {
    setImmediate(() => setImmediate(() => this.#start(key, batch)))
  }

  #start(key: string, batch: Batch<Request, Outcome>): void {
    const served = batch.waiting
    batch.waiting = []
    let settled = false
    this.#call(batch.request, (outcome) => {
      if (settled) return
      settled = true
      this.#alone = served.length === 1 && batch.waiting.length === 0 ? this.#alone + 1 : 0
      if (batch.waiting.length === 0) this.#batches.delete(key)
      else this.#soon(key, batch)
      for (const waiter of served) waiter.settled(outcome)
    })
  }
}
