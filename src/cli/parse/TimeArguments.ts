/** Parses durations, and points in time as users type them: a duration before now, or an RFC 3339 date or time. */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

const unitMillis: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
}

const rfc3339 = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))?$/

/** Parses `30m`, `12h` or `7d` as milliseconds. Returns undefined for other text. */
export const parseDuration = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * unitMillis[unit!]!
}

/** Parses a duration (`30m` is half an hour before `now`), a date (its start in UTC) or a time. Returns undefined for other text. */
export const parseSince = (text: string, now: DateTime.Utc): DateTime.Utc | undefined => {
  const duration = parseDuration(text)
  if (duration !== undefined) return DateTime.subtract(now, { milliseconds: duration })
  return rfc3339.test(text) ? Option.getOrUndefined(DateTime.make(text.replace(" ", "T").toUpperCase())) : undefined
}
