/** How long an access token is good for, by the clock of this machine. */
import * as DateTime from "effect/DateTime"

export interface TokenLife {
  readonly issuedAt: number
  /** Null when the server did not tell. */
  readonly expiresAt: number | null
}

/**
 * `fresh`: nothing to do. `due`: good, but not for long, or nobody can tell. `spent`: over, or about to be before a request
 * could arrive.
 */
export type Freshness = "fresh" | "due" | "spent"

const SHORTEST_MARGIN = 60_000
const LONGEST_RESERVE = 10_000
/** A clock that went back further than this has nothing to say about a token. */
const TOLERANCE = 300_000

export const lifeOf = (metadata: {
  readonly obtainedAt: DateTime.Utc
  readonly lastRefreshAt: DateTime.Utc | null
  readonly expiresAt: DateTime.Utc | null
}): TokenLife => ({
  issuedAt: DateTime.toEpochMillis(metadata.lastRefreshAt ?? metadata.obtainedAt),
  expiresAt: metadata.expiresAt === null ? null : DateTime.toEpochMillis(metadata.expiresAt)
})

/**
 * When a refresh is due: a tenth of the token's life before its end, and a minute at least, but never before half of its
 * life is over. Infinite when it does not end.
 */
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

/** Whether it still is what the API would take. */
export const isValid = ({ expiresAt, issuedAt }: TokenLife, now: number): boolean =>
  expiresAt === null || now < expiresAt || now < issuedAt - TOLERANCE
