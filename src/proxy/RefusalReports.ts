/**
 * Limits how often the daemon is told that an API refuses a key.
 *
 * A child process can provoke 401s as fast as it likes, and each report is a call of the daemon.
 */
const intervalMillis = 60_000
const maxKnown = 256

export class RefusalReports {
  readonly #reported = new Map<string, number>()

  /** Whether a report about this key is due. If so, the next one is due in a minute. */
  isDue(key: string, now: number): boolean {
    const before = this.#reported.get(key)
    if (before !== undefined && now - before < intervalMillis) return false
    if (this.#reported.size >= maxKnown) this.#reported.clear()
    this.#reported.set(key, now)
    return true
  }
}
