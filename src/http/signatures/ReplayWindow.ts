/** Accepts each signature once: recent ones whose nonce was not used before. */

/** How far the time of a signature may differ from the verifier's clock, in seconds. */
export const replayWindow = 60

/** Keeps at most this many nonces. While it is full, no signature is accepted. */
const maxNonces = 500_000

interface UsedSignature {
  readonly keyid: string
  readonly nonce: string
  readonly created: number
}

/** `forgotten`: its nonce may have been used before this window began. */
export type Freshness = "fresh" | "stale" | "forgotten" | "used" | "full"

export class ReplayWindow {
  /** The keys and nonces of accepted signatures, by the time of the signature. */
  readonly #used = new Map<number, Set<string>>()
  readonly #limit: number
  readonly #since: number
  #count = 0

  /** Signatures from before `since`, in Unix seconds, are not accepted: their nonces were lost. */
  constructor(since: number, limit = maxNonces) {
    this.#since = since
    this.#limit = limit
  }

  get size(): number {
    return this.#count
  }

  /** Checks a signature. Times are in Unix seconds. */
  check({ created, keyid, nonce }: UsedSignature, now: number): Freshness {
    if (Math.abs(now - created) > replayWindow) return "stale"
    if (created < this.#since) return "forgotten"
    this.#forget(now)
    if (this.#used.get(created)?.has(`${keyid} ${nonce}`) === true) return "used"
    return this.#count >= this.#limit ? "full" : "fresh"
  }

  /** Uses up the nonce of a fresh signature. */
  use({ created, keyid, nonce }: UsedSignature): void {
    const used = this.#used.get(created) ?? new Set<string>()
    this.#used.set(created, used.add(`${keyid} ${nonce}`))
    this.#count++
  }

  #forget(now: number): void {
    for (const [created, used] of this.#used) {
      if (created >= now - replayWindow) continue
      this.#used.delete(created)
      this.#count -= used.size
    }
  }
}
