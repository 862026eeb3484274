/** Limits reports of rejected API keys: a child process can provoke 401 responses at any rate. */
const intervalMillis = 60_000
const maxKnown = 256

export class RejectedKeyReports {
  readonly #reported = new Map<string, number>()

  /** Whether a report about this key is due. If it is, the next one is due a minute later. */
  isDue(key: string, now: number): boolean {
    const before = this.#reported.get(key)
    if (before !== undefined && now - before < intervalMillis) return false
    if (this.#reported.size >= maxKnown) this.#reported.clear()
    this.#reported.set(key, now)
    return true
  }
}
