/** Counts the requests of runs by time, provider and run, for the charts. */
import * as DateTime from "effect/DateTime"
import type { RequestEntry } from "../../domain/wire/RequestEntry.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The periods that a page can show, each with the number and the length of its intervals. */
export const periods = {
  hour: { count: 30, length: 2 * minute },
  day: { count: 24, length: hour },
  week: { count: 28, length: 6 * hour },
  month: { count: 30, length: day }
} as const

export type Period = keyof typeof periods

export const isPeriod = (text: string): text is Period => Object.hasOwn(periods, text)

/** How often requests had each outcome. `failed`: the API responded with an error, or not at all. */
export interface Outcomes {
  succeeded: number
  failed: number
  refused: number
}

export type Outcome = keyof Outcomes

export const outcomeOf = ({ error, status }: Pick<RequestEntry, "error" | "status">): Outcome =>
  error !== null ? "refused" : status === 0 || status >= 400 ? "failed" : "succeeded"

export const totalOf = ({ failed, refused, succeeded }: Outcomes): number => succeeded + failed + refused

/** The requests of one provider, of one run, or of all. */
export interface Series {
  readonly total: Outcomes
  /** By interval, oldest first. */
  readonly intervals: ReadonlyArray<Outcomes>
}

export interface RequestCounts {
  readonly start: DateTime.Utc
  readonly length: number
  readonly all: Series
  readonly providers: ReadonlyMap<string, Series>
  readonly runs: ReadonlyMap<string, Series>
}

const none = (): Outcomes => ({ succeeded: 0, failed: 0, refused: 0 })

const emptySeries = (count: number): Series => ({ total: none(), intervals: Array.from({ length: count }, none) })

/** The start of the period that ends with the current interval. */
export const startOf = (period: Period, now: DateTime.Utc): DateTime.Utc => {
  const { count, length } = periods[period]
  // Hours and days are those of this computer's time zone.
  const offset = -new Date(now.epochMilliseconds).getTimezoneOffset() * minute
  const current = Math.floor((now.epochMilliseconds + offset) / length) * length - offset
  return DateTime.makeUnsafe(current - (count - 1) * length)
}

export const countRequests = (
  entries: ReadonlyArray<RequestEntry>,
  period: Period,
  now: DateTime.Utc
): RequestCounts => {
  const { count, length } = periods[period]
  const start = startOf(period, now)
  const all = emptySeries(count)
  const providers = new Map<string, Series>()
  const runs = new Map<string, Series>()
  const seriesIn = (map: Map<string, Series>, key: string): Series => {
    const found = map.get(key) ?? emptySeries(count)
    map.set(key, found)
    return found
  }
  for (const entry of entries) {
    if (entry.kind === "gap") continue
    const index = Math.floor((entry.timestamp.epochMilliseconds - start.epochMilliseconds) / length)
    if (index < 0 || index >= count) continue
    const outcome = outcomeOf(entry)
    for (
      const series of [
        all,
        seriesIn(runs, entry.run),
        ...entry.provider === null ? [] : [
          seriesIn(providers, entry.provider)
        ]
      ]
    ) {
      series.total[outcome]++
      series.intervals[index]![outcome]++
    }
  }
  return { start, length, all, providers, runs }
}
