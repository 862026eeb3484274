/** Computes the lifetime of an access token by the local clock. */
import * as DateTime from "effect/DateTime"

interface TokenLife {
  readonly issuedAt: number
  /** The expiry in milliseconds since 1970, or null if the server did not specify it. */
  readonly expiresAt: number | null
}

/**
 * `due`: expiring soon, or of unknown age because the clock went back. `spent`: expires before a request could arrive.
 */
type Freshness = "fresh" | "due" | "spent"

const SHORTEST_MARGIN = 60_000
const LONGEST_RESERVE = 10_000
/** Clock skew beyond which the stored expiry is ignored. */
const TOLERANCE = 300_000

export const lifeOf = (metadata: {
  readonly obtainedAt: DateTime.Utc
  readonly lastRefreshAt: DateTime.Utc | null
  readonly expiresAt: DateTime.Utc | null
}): TokenLife => ({
  issuedAt: DateTime.toEpochMillis(metadata.lastRefreshAt ?? metadata.obtainedAt),
  expiresAt: metadata.expiresAt === null ? null : DateTime.toEpochMillis(metadata.expiresAt)
})

/** When to refresh: a tenth of the lifetime but at least a minute before expiry, and not in the first half of the lifetime. */
export const dueAt = ({ expiresAt, issuedAt }: TokenLife): number => {
  if (expiresAt === null) return Infinity
  const life = Math.max(0, expiresAt - issuedAt)
  return expiresAt - Math.min(Math.max(SHORTEST_MARGIN, life / 10), life / 2)
}

export const freshnessOf = (life: TokenLife, now: number): Freshness => {
  const { expiresAt, issuedAt } = life
  if (expiresAt === null) return "fresh"
  if (now < issuedAt - TOLERANCE) return "due"
  if (now >= expiresAt - Math.min(LONGEST_RESERVE, Math.max(0, expiresAt - issuedAt) / 10)) return "spent"
  return now >= dueAt(life) ? "due" : "fresh"
}

/** Whether the upstream should still accept the token. */
export const isValid = ({ expiresAt, issuedAt }: TokenLife, now: number): boolean =>
  expiresAt === null || now < expiresAt || now < issuedAt - TOLERANCE
