/** Limits the requests of each identity: a bucket of tokens that fills at a steady rate. */

/** Requests that an identity may send at once. */
export const burst = 1000
/** Requests a second in the long run. */
export const rate = 100

interface Bucket {
  tokens: number
  at: number
}

export class RateLimit {
  readonly #buckets = new Map<string, Bucket>()

  /** Takes a token. Returns the seconds to wait if there is none, and 0 otherwise. `now` is in milliseconds. */
  take(key: string, now: number): number {
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now }
    this.#buckets.set(key, bucket)
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) / 1000 * rate)
    bucket.at = now
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / rate)
    bucket.tokens--
    return 0
  }
}
