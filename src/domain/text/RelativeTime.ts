import { plural } from "./Plural.ts"

const units: ReadonlyArray<readonly [name: string, seconds: number]> = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
]

/** Formats a time relative to now, or as a date if it is more than two months away. The arguments are in milliseconds. */
export const relativeTime = (time: number, now: number): string => {
  const seconds = Math.round(Math.abs(now - time) / 1000)
  if (seconds < 60) return time <= now ? "just now" : "in a moment"
  const [name, length] = units.find(([, length]) => seconds >= length)!
  const count = Math.floor(seconds / length)
  if (name === "day" && count > 60) return new Date(time).toISOString().slice(0, 10)
  const span = plural(count, name)
  return time <= now ? `${span} ago` : `in ${span}`
}
