/** Limits the requests of each identity with a bucket of tokens that fills at a steady rate. */

/** Requests that an identity may send at once. */
export const burst = 1000
/** Requests a second in the long run. */
export const rate = 100

/** The number of buckets from which on full ones are deleted. */
const maxBuckets = 1000

interface Bucket {
  tokens: number
  at: number
}

export class RateLimit {
  readonly #buckets = new Map<string, Bucket>()

  /** Takes a token. Returns the seconds to wait if there is none, and 0 otherwise. `now` is in milliseconds. */
  take(key: string, now: number): number {
    if (this.#buckets.size >= maxBuckets) this.#forgetFull(now)
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now }
    this.#buckets.set(key, bucket)
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) / 1000 * rate)
    bucket.at = now
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / rate)
    bucket.tokens--
    return 0
  }

  get size(): number {
    return this.#buckets.size
  }

  /** Deletes the buckets that are full by now, which are like new ones. */
  #forgetFull(now: number): void {
    for (const [key, { at, tokens }] of this.#buckets) {
      if (now >= at && tokens + (now - at) / 1000 * rate >= burst) this.#buckets.delete(key)
    }
  }
}
