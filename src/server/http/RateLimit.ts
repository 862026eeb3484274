/** A rate limit for each identity: a token bucket that refills at a steady rate. */

/** How many requests an identity may send in a burst. */
export const burst = 1000
/** How many requests per second an identity may send in the long run. */
export const rate = 100

/** The number of buckets above which full ones are deleted. */
const maxBuckets = 1000

interface Bucket {
  tokens: number
  at: number
}

export class RateLimit {
  readonly #buckets = new Map<string, Bucket>()

  /** Takes a token. Returns 0, or the seconds to wait if the bucket is empty. `now` is in milliseconds. */
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

  /** Deletes the buckets that are full again, because they equal new ones. */
  #forgetFull(now: number): void {
    for (const [key, { at, tokens }] of this.#buckets) {
      if (now >= at && tokens + (now - at) / 1000 * rate >= burst) this.#buckets.delete(key)
    }
  }
}
