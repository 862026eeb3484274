/** The frame of the dashboard's pages: navigation, notices and live updates. */
import type * as DateTime from "effect/DateTime"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { type Html, html, type HtmlValue } from "../pages/Html.ts"
import { documentResponse, mark } from "../pages/Pages.ts"
import {
  activityPath,
  approvalsPath,
  connectionsPath,
  eventsPath,
  overviewPath,
  providersPath,
  runsPath
} from "./DashboardPaths.ts"
import { clock } from "./PageTimes.ts"

const sections = {
  overview: { label: "Overview", path: overviewPath },
  connections: { label: "Connections", path: connectionsPath },
  providers: { label: "Providers", path: providersPath },
  runs: { label: "Runs", path: runsPath },
  activity: { label: "Activity", path: activityPath },
  approvals: { label: "Approvals", path: approvalsPath }
} as const

type Section = keyof typeof sections

/** The state from which the page was rendered. The script asks for changes after this state. */
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
  html`<nav aria-label="Pages"><ul>${
    Object.entries(sections).map(([section, { label, path }]) =>
      html`<li><a href="${path}"${section === current && html` aria-current="page"`}>${label}${
        section === "approvals" &&
        html`<span id="waiting-count"${current !== "approvals" && html` data-live`}>${
          waiting > 0 && ` (${waiting})`
        }</span>`
      }</a></li>`
    )
  }</ul></nav>`

/** The line that tells how current the page is. The script replaces it while it receives updates. */
const liveness = ({ now, revision }: Moment): Html =>
  html`<p id="liveness" data-events="${eventsPath}" data-since="${revision}" data-on="This page updates automatically." data-lost="Connection to credsvc lost. Retrying…">As of ${
    clock(now)
  }. <a href="">Reload</a></p>`

export const dashboardPage = (
  status: number,
  { content, moment, narrow, notice, section, title }: DashboardPage
): HttpServerResponse =>
  documentResponse(status, {
    title,
    body: html`<a class="skip" href="#main">Skip to content</a>
<header class="top">${mark}
${navigation(section, moment.waiting)}</header>
<main id="main" tabindex="-1"${narrow === true && html` class="narrow"`}>
${notice}
${content}
</main>
<footer>${liveness(moment)}<p><a href="/docs">API documentation</a></p></footer>`
  })

/** A link to the page above this one. */
export const backLink = (path: string, label: string): Html =>
  html`<p class="back-link"><a href="${path}">← ${label}</a></p>`
