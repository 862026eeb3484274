/**
 * Shares one call to the daemon among requests that wait at the same time.
 *
 * Per key at most one call is under way, and a request is answered by a call that began after the request arrived:
 * what it gets is as fresh as if it had asked alone. Nothing is kept after the answer was handed out, so this is not
 * a cache, and a logout holds from the next request on.
 */
export interface Waiter<Outcome> {
  readonly settled: (outcome: Outcome) => void
}

interface Batch<Request, Outcome> {
  readonly request: Request
  waiting: Array<Waiter<Outcome>>
}

export class ResolveBatch<Request, Outcome> {
  readonly #call: (request: Request, done: (outcome: Outcome) => void) => void
  readonly #batches = new Map<string, Batch<Request, Outcome>>()
  /** Whether requests come one at a time: then none that waits for others to join it is joined. */
  #single = false

  constructor(call: (request: Request, done: (outcome: Outcome) => void) => void) {
    this.#call = call
  }

  /** Requests with equal keys must be equal in every respect that the daemon looks at. May call the waiter within the call. */
  ask(key: string, request: Request, waiter: Waiter<Outcome>): void {
    const batch = this.#batches.get(key)
    if (batch !== undefined) {
      batch.waiting.push(waiter)
      return
    }
    const started: Batch<Request, Outcome> = { request, waiting: [waiter] }
    this.#batches.set(key, started)
    if (this.#single) this.#start(key, started)
    else this.#soon(key, started)
  }

  /** This turn of the event loop and the next may bring more requests for the same call; when idle, turns are short. */
  #soon(key: string, batch: Batch<Request, Outcome>): void {
    setImmediate(() => setImmediate(() => this.#start(key, batch)))
  }

  #start(key: string, batch: Batch<Request, Outcome>): void {
    const served = batch.waiting
    batch.waiting = []
    let answered = false
    this.#call(batch.request, (outcome) => {
      if (answered) return
      answered = true
      this.#single = served.length === 1
      if (batch.waiting.length === 0) this.#batches.delete(key)
      else this.#soon(key, batch)
      for (const waiter of served) waiter.settled(outcome)
    })
  }
}
