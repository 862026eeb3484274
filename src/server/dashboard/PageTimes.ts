/** Formats times for pages: relative times have the exact date as their tooltip. */
import * as DateTime from "effect/DateTime"
import { relativeTime as relativeText } from "../../domain/text/RelativeTime.ts"
import { type Html, html } from "../pages/Html.ts"

export const relative = (time: DateTime.Utc, now: DateTime.Utc): string =>
  relativeText(time.epochMilliseconds, now.epochMilliseconds)

let formats: Readonly<Record<"date" | "clock", Intl.DateTimeFormat>> | undefined

/** Creates the formats on first use, because that takes as long as rendering a page. */
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
