/** A set of names, such as used codes. Each expires the same time after it was added. */
export class ExpiringSet {
  readonly #until = new Map<string, number>()
  readonly #millis: number
  readonly #limit: number

  /** Above the limit, the oldest names are deleted. */
  constructor(millis: number, limit = Infinity) {
    this.#millis = millis
    this.#limit = limit
  }

  add(name: string, now: number): void {
    // The map is sorted by time, so the first name that has not expired ends the loop.
    for (const [other, until] of this.#until) {
      if (until > now && this.#until.size < this.#limit) break
      this.#until.delete(other)
    }
    this.#until.set(name, now + this.#millis)
  }

  has(name: string, now: number): boolean {
    const until = this.#until.get(name)
    return until !== undefined && until > now
  }
}
