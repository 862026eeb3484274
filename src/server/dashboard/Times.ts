/** Formats times for pages: relative text, with the exact date as a tooltip. */
import * as DateTime from "effect/DateTime"
import { plural } from "../../domain/text/Plural.ts"
import { type Html, html } from "../pages/Html.ts"

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000]
] as const

export const relative = (time: DateTime.Utc, now: DateTime.Utc): string => {
  const distance = DateTime.toEpochMillis(time) - DateTime.toEpochMillis(now)
  const size = Math.abs(distance)
  for (const [unit, millis] of units) {
    if (size < millis) continue
    const text = plural(Math.floor(size / millis), unit)
    return distance < 0 ? `${text} ago` : `in ${text}`
  }
  return "just now"
}

let formats: Readonly<Record<"date" | "clock", Intl.DateTimeFormat>> | undefined

/** Created on first use, because it takes as long as rendering a page. */
const formatsOf = () =>
  formats ??= {
    date: new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" }),
    clock: new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" })
  }

/** Formats a time in the time zone of this computer: `21 Nov 2026, 20:31:05`. */
export const absolute = (time: DateTime.Utc): string => formatsOf().date.format(DateTime.toEpochMillis(time))

export const clock = (time: DateTime.Utc): string => formatsOf().clock.format(DateTime.toEpochMillis(time))

export const relativeTime = (time: DateTime.Utc, now: DateTime.Utc): Html =>
  html`<time datetime="${DateTime.formatIso(time)}" title="${absolute(time)}">${relative(time, now)}</time>`

export const absoluteTime = (time: DateTime.Utc): Html =>
  html`<time datetime="${DateTime.formatIso(time)}">${absolute(time)}</time>`
