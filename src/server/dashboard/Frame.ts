/** The frame of the dashboard's pages: navigation, notices and live updates. */
import type * as DateTime from "effect/DateTime"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { type Html, html, type HtmlValue } from "../pages/Html.ts"
import { documentResponse, mark } from "../pages/Pages.ts"
import { texts } from "../pages/Texts.ts"
import {
  activityPath,
  approvalsPath,
  connectionsPath,
  eventsPath,
  overviewPath,
  providersPath,
  runsPath,
  settingsPath
} from "./Places.ts"
import { clock } from "./Times.ts"

export type Section = keyof typeof texts.frame.sections

const sections: ReadonlyArray<readonly [Section, string]> = [
  ["overview", overviewPath],
  ["connections", connectionsPath],
  ["providers", providersPath],
  ["runs", runsPath],
  ["activity", activityPath],
  ["approvals", approvalsPath],
  ["settings", settingsPath]
]

/** The state that the page was rendered from. The script asks for changes since then. */
export interface Moment {
  readonly now: DateTime.Utc
  readonly revision: string
  /** The number of requests that wait for the user. */
  readonly waiting: number
}

interface DashboardPage {
  readonly title: string
  readonly section: Section
  readonly moment: Moment
  readonly notice?: Html | undefined
  readonly content: HtmlValue
  readonly narrow?: boolean
}

const navigation = (current: Section, waiting: number): Html =>
  html`<nav aria-label="${texts.frame.pages}"><ul>${
    sections.map(([section, path]) =>
      html`<li><a href="${path}"${section === current && html` aria-current="page"`}>${texts.frame.sections[section]}${
        section === "approvals" &&
        html`<span id="waiting-count"${current !== "approvals" && html` data-live`}>${
          waiting > 0 && ` (${waiting})`
        }</span>`
      }</a></li>`
    )
  }</ul></nav>`

/** The script reads the `data-` attributes and replaces the text while it receives updates. */
const liveness = ({ now, revision }: Moment): Html =>
  html`<p id="liveness" data-events="${eventsPath}" data-since="${revision}" data-on="${texts.frame.live}" data-lost="${texts.frame.lost}">${
    texts.frame.asOf(clock(now))
  } <a href="">${texts.frame.reload}</a></p>`

export const dashboardPage = (
  status: number,
  { content, moment, narrow, notice, section, title }: DashboardPage
): HttpServerResponse =>
  documentResponse(status, {
    title,
    body: html`<a class="skip" href="#main">${texts.frame.skip}</a>
<header class="top">${mark}
${navigation(section, moment.waiting)}</header>
<main id="main" tabindex="-1"${narrow === true && html` class="narrow"`}>
${notice}
${content}
</main>
<footer>${liveness(moment)}<p><a href="/docs">${texts.frame.interface}</a></p></footer>`
  })
