/** The page `/ui/requests`: the request log, newest first. */
import * as DateTime from "effect/DateTime"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import type { RequestMatches, RequestQuery } from "../../audit/RequestLog.ts"
import { plural } from "../../domain/text/Plural.ts"
import { stepUpCommand } from "../../domain/text/StepUp.ts"
import { isProviderName } from "../../domain/wire/Names.ts"
import { hostAndPath, outcomeOf, type RequestEntry } from "../../domain/wire/RequestEntry.ts"
import { RunName } from "../../domain/wire/Run.ts"
import { type Html, html, type HtmlValue, searchField, select } from "../pages/Html.ts"
import type { View } from "./Dashboard.ts"
import { providerPath, requestsPath, runsPath, withQuery } from "./DashboardPaths.ts"
import { backLink, dashboardPage } from "./Frame.ts"
import { entryRow, logPages, logSection } from "./PagedLists.ts"

const pageSize = 50

const isRunName = Schema.is(RunName)

const periods = { hour: { hours: 1 }, day: { days: 1 }, week: { weeks: 1 }, month: { days: 30 } } as const
const periodLabels = { "": "All", hour: "Last hour", day: "Last 24 hours", week: "Last 7 days", month: "Last 30 days" }
type Period = keyof typeof periods

const isPeriod = (text: string): text is Period => Object.hasOwn(periods, text)

interface RequestFilter {
  readonly run: RunName | undefined
  readonly provider: string | undefined
  readonly failed: boolean
  readonly period: Period | undefined
  /** The batch of the log at which an older page begins. `shown` is how many matching entries of this batch newer pages show. */
  readonly batch: number | undefined
  readonly shown: number
}

const countIn = (query: URLSearchParams, name: string): number | undefined => {
  const count = Number(query.get(name) ?? "")
  return Number.isSafeInteger(count) && count > 0 ? count : undefined
}

export const readRequestFilter = (query: URLSearchParams): RequestFilter => {
  const run = query.get("run")?.trim() ?? ""
  const provider = query.get("provider")?.trim().toLowerCase() ?? ""
  const period = query.get("period") ?? ""
  return {
    run: isRunName(run) ? run : undefined,
    provider: isProviderName(provider) ? provider : undefined,
    failed: query.get("result") === "failed",
    period: isPeriod(period) ? period : undefined,
    batch: countIn(query, "batch"),
    // A batch has at most a thousand entries.
    shown: Math.min(countIn(query, "shown") ?? 0, 1000)
  }
}

export const requestQueryOf = (
  { batch, failed, period, provider, run, shown }: RequestFilter,
  now: View["moment"]["now"]
): RequestQuery => ({
  limit: pageSize + shown,
  run,
  provider,
  failed,
  since: period === undefined ? undefined : DateTime.subtract(now, periods[period]),
  upTo: batch
})

const parametersOf = ({ failed, period, provider, run }: Partial<RequestFilter>) => ({
  run,
  provider,
  period,
  result: failed === true ? "failed" : undefined
})

/** The address of the page that shows only entries of this provider or run. */
export const requestsAt = (filter: Partial<RequestFilter>): string => withQuery(requestsPath, parametersOf(filter))

const result = (entry: RequestEntry): Html => {
  const { error, status } = entry
  const tone = error !== null ? "bad" : status === 0 || status >= 400 ? "soon" : "ok"
  return html`<span class="pill ${tone}">${outcomeOf(entry)}</span>`
}

/** Allows a line break before each segment of a path, but not within a segment. */
const breakable = (path: string): HtmlValue =>
  path.split("/").map((segment, at) => at === 0 ? segment : html`<wbr>/${segment}`)

const sizeOf = (bytes: number): string =>
  bytes < 10_000
    ? `${bytes} B`
    : bytes < 10_000_000
    ? `${Math.round(bytes / 1000)} kB`
    : `${Math.round(bytes / 1e6)} MB`

const row = (entry: RequestEntry, { nameOf }: View): Html => {
  const { connection, kind, missing, missingScopes, provider, run, tokens } = entry
  const runLink = html`<a href="${requestsAt({ run })}"><code class="command">${run}</code></a>`
  const cells: ReadonlyArray<HtmlValue> = kind === "gap"
    ? [
      missing === null
        ? "Requests may be missing: the run ended without a last report."
        : `${plural(missing, "request")} missing`,
      null,
      runLink,
      null,
      null
    ]
    : [
      html`<code>${entry.method} ${breakable(hostAndPath(entry))}</code>${
        tokens !== undefined && html`<p class="small">${tokens} tokens</p>`
      }${
        missingScopes !== undefined &&
        html`<p>The credential lacks scopes. Log in again with: <code>${
          stepUpCommand(provider ?? "", connection, missingScopes)
        }</code></p>`
      }`,
      provider !== null &&
      html`<a href="${providerPath(provider)}">${nameOf(provider)}</a> ${
        connection === "default" ? undefined : connection
      }`,
      runLink,
      result(entry),
      html`<span class="command">${sizeOf(entry.bytesIn)}</span> / <span class="command">${
        sizeOf(entry.bytesOut)
      }</span>`
    ]
  return entryRow(entry.timestamp, cells)
}

const columns = ["Time", "Request", "Connection", "Run", "Result", "Size"]

const filterForm = ({ failed, period, provider, run }: RequestFilter): Html =>
  html`<form role="search" method="get" action="${requestsPath}" class="filters" data-instant="entries">
${searchField("provider", "Provider", provider)}
${searchField("run", "Run", run)}
${select("result", "Result", { "": "All", failed: "Errors and refusals" }, failed ? "failed" : "")}
${select("period", "Period", periodLabels, period ?? "")}
<button class="outline" data-without-script>Apply</button>
</form>`

const pager = (filter: RequestFilter, { entries: found, older }: RequestMatches): Html | undefined => {
  const { batch, shown } = filter
  const [oldest] = found
  const next = older !== undefined
    ? { batch: older }
    : oldest !== undefined && found.length === pageSize + shown
    ? { batch: oldest.batch, shown: found.filter((entry) => entry.batch === oldest.batch).length }
    : undefined
  return logPages(requestsPath, parametersOf(filter), batch === undefined, next)
}

/** Renders a page of `matches`, the newest matching entries, which include those that newer pages show. */
export const requestsPage = (view: View, filter: RequestFilter, matches: RequestMatches): HttpServerResponse => {
  const { entries: found } = matches
  const entries = found.slice(0, Math.max(0, found.length - filter.shown))
  return dashboardPage(200, {
    title: "Requests",
    section: "runs",
    moment: view.moment,
    content: html`${backLink(runsPath, "Runs")}
<h1>Requests</h1>
<p class="lead">Requests of runs: those with a credential and those that were refused, newest first.</p>
${filterForm(filter)}
${logSection("Requests", columns, entries.toReversed().map((entry) => row(entry, view)), pager(filter, matches))}`
  })
}
