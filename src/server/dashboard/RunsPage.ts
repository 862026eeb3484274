/** The page `/ui/runs`: the running runs, and the requests of all runs as charts. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { RequestEntry } from "../../domain/wire/RequestEntry.ts"
import { type Run, RunName } from "../../domain/wire/Run.ts"
import { type Html, html, type HtmlValue } from "../pages/Html.ts"
import { texts } from "../pages/Texts.ts"
import { chart, highestOf, legend, sparkline } from "./Chart.ts"
import type { View } from "./Dashboard.ts"
import { about, type IssueToken, postForm } from "./Elements.ts"
import { dashboardPage, type Moment } from "./Frame.ts"
import { providerPath, runsPath, stopPath, withQuery } from "./Places.ts"
import {
  countRequests,
  type Outcomes,
  type Period,
  periods,
  type RequestCounts,
  type Series,
  totalOf
} from "./RequestCounts.ts"
import { requestsAt } from "./RequestsPage.ts"
import { intervalStart, relativeTime } from "./Times.ts"

const words = texts.runs
const counted = texts.requests

/** The rows of a table of runs or providers. */
const maxRows = 12

/** The newest requests that a page counts. */
export const maxCounted = 2000

export interface RunsView {
  readonly view: View
  readonly runs: ReadonlyArray<Run>
  readonly period: Period
  /** The newest entries of the period, in chronological order. */
  readonly entries: ReadonlyArray<RequestEntry>
  readonly notice: Html | undefined
}

const limitsOf = ({ contained, expiresAt, maxUses, rules }: Run, now: Moment["now"]): ReadonlyArray<Html> =>
  [
    contained && words.contained,
    rules.length > 0 && words.limited,
    maxUses !== null && words.maxUses(maxUses),
    expiresAt !== null && [words.expires, " ", relativeTime(expiresAt, now)]
  ].filter((limit) => limit !== false).map((limit) => html`<span class="pill">${limit}</span> `)

const runRow = (run: Run, { moment: { now }, nameOf }: View): Html => {
  const { name, pid, startedAt, stoppedAt, uses } = run
  return html`<li><div class="what"><code>${name}</code> ${
    stoppedAt !== null && html`<span class="pill bad">${words.stopped}</span> `
  }${limitsOf(run, now)}<p class="small">${words.process(pid)}, ${words.started} ${relativeTime(startedAt, now)}. ${
    uses.length === 0
      ? words.unused
      : [
        words.used,
        " ",
        uses.map(({ connection, lastUsedAt, provider }, index) =>
          html`${index > 0 && ", "}<a href="${providerPath(provider)}">${nameOf(provider)}</a> ${
            connection === "default" ? undefined : connection
          } (${relativeTime(lastUsedAt, now)})`
        )
      ]
  }</p></div>
<div class="acts"><a class="button plain compact" href="${requestsAt({ run: name })}">${words.requests}${
    about(words.of(name))
  }</a>${
    stoppedAt === null &&
    html`<a class="button outline compact" href="${stopPath(name)}">${words.stop}${about(words.of(name))}</a>`
  }</div></li>
`
}

const runningRuns = ({ runs, view }: RunsView): Html =>
  html`<section class="card" aria-labelledby="running-title">
<h2 id="running-title">${words.running}</h2>
${
    runs.length === 0
      ? html`<p class="small">${words.none}</p>`
      : html`<ul class="rows">${runs.map((run) => runRow(run, view))}</ul>`
  }
</section>`

const periodLinks = (period: Period): Html =>
  html`<nav class="choices" aria-label="${counted.period}"><ul>${
    (Object.keys(periods) as ReadonlyArray<Period>).map((name) =>
      html`<li><a href="${withQuery(runsPath, { period: name })}"${name === period && html` aria-current="true"`}>${
        counted.periods[name]
      }</a></li>`
    )
  }</ul></nav>`

const headings = [counted.total, counted.outcomes.failed, counted.outcomes.refused]

const table = (label: string, columns: ReadonlyArray<string>, rows: HtmlValue): Html =>
  html`<div class="table counts" role="region" aria-label="${counted.tableOf(label)}" tabindex="0"><table role="table">
<thead role="rowgroup"><tr role="row">${
    columns.map((column) => html`<th scope="col" role="columnheader">${column}</th>`)
  }</tr></thead>
<tbody role="rowgroup">${rows}</tbody></table></div>`

const numbers = (counts: Outcomes): ReadonlyArray<number> => [totalOf(counts), counts.failed, counts.refused]

/** `name` is the label of a number on narrow screens, where the table has no head. */
const numberCell = (name: string, value: HtmlValue): Html =>
  html`<td role="cell"><span class="label">${name}</span> ${value}</td>`

const timeTable = ({ all }: RequestCounts, labels: ReadonlyArray<string>): Html =>
  html`<details><summary>${counted.asTable}</summary>${
    table(
      counted.over,
      [counted.time, ...headings],
      all.intervals.map((counts, index) =>
        totalOf(counts) > 0 &&
        html`<tr role="row"><th scope="row" role="rowheader">${labels[index]}</th>${
          numbers(counts).map((number, column) => numberCell(headings[column]!, number))
        }</tr>
`
      )
    )
  }</details>`

interface Named {
  readonly name: HtmlValue
  readonly label: string
  readonly entries: (failed: boolean) => string
  readonly series: Series
}

const seriesTable = (title: string, column: string, rows: ReadonlyArray<Named>) => {
  const sorted = rows.toSorted((left, right) => totalOf(right.series.total) - totalOf(left.series.total))
  const shown = sorted.slice(0, maxRows)
  const highest = Math.max(...shown.map(({ series }) => highestOf(series)))
  const id = `by-${column.toLowerCase()}`
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${
    table(
      title,
      [column, counted.chart, ...headings],
      shown.map(({ entries, label, name, series }) => {
        const [total, ...failures] = numbers(series.total)
        return html`<tr role="row"><th scope="row" role="rowheader">${name}</th><td role="cell" class="trend">${
          sparkline(series, highest, label)
        }</td>${
          numberCell(
            headings[0]!,
            html`<a href="${entries(false)}">${total}${about(`${counted.total}, ${label}`)}</a>`
          )
        }${
          failures.map((count, index) => {
            const heading = headings[index + 1]!
            return numberCell(
              heading,
              count === 0 ? 0 : html`<a href="${entries(true)}">${count}${about(`${heading}, ${label}`)}</a>`
            )
          })
        }</tr>
`
      })
    )
  }
${sorted.length > maxRows && html`<p class="small">${counted.more(sorted.length - maxRows)}</p>`}
</section>`
}

const charts = ({ entries, period, view }: RunsView): Html => {
  const counts = countRequests(entries, period, view.moment.now)
  const labels = counts.all.intervals.map((_, index) =>
    intervalStart(counts.start.epochMilliseconds + index * counts.length, period)
  )
  const isEmpty = totalOf(counts.all.total) === 0
  return html`<section class="card" aria-labelledby="over-title">
<div class="head"><h2 id="over-title">${counted.over}</h2><a class="small" href="${
    requestsAt({ period })
  }">${counted.entries}</a></div>
${periodLinks(period)}
${
    isEmpty
      ? html`<p class="empty">${counted.none}</p>`
      : html`${legend}
${chart(counts.all, labels, counted.over)}
${entries.length === maxCounted && html`<p class="small">${counted.truncated(maxCounted)}</p>`}
${timeTable(counts, labels)}`
  }
</section>
${
    !isEmpty && [
      seriesTable(
        counted.byProvider,
        counted.provider,
        [...counts.providers].map(([provider, series]) => ({
          name: html`<a href="${providerPath(provider)}">${view.nameOf(provider)}</a>`,
          label: view.nameOf(provider),
          entries: (failed) => requestsAt({ provider, period, failed }),
          series
        }))
      ),
      seriesTable(
        counted.byRun,
        counted.run,
        [...counts.runs].map(([run, series]) => ({
          name: html`<code>${run}</code>`,
          label: words.of(run),
          entries: (failed) => requestsAt({ run: RunName.make(run), period, failed }),
          series
        }))
      )
    ]
  }`
}

export const runsPage = (runsView: RunsView): HttpServerResponse =>
  dashboardPage(200, {
    title: words.title,
    section: "runs",
    moment: runsView.view.moment,
    notice: runsView.notice,
    content: html`<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
<div id="runs" class="stack" data-live>
${runningRuns(runsView)}
${charts(runsView)}
</div>`
  })

export const stopPage = (moment: Moment, name: RunName, token: IssueToken): HttpServerResponse =>
  dashboardPage(200, {
    title: words.stopTitle(name),
    section: "runs",
    moment,
    narrow: true,
    content: html`<section class="card">
<h1>${words.stopTitle(name)}</h1>
<ul>${words.stopText.map((text) => html`<li>${text}</li>`)}</ul>
${
      postForm(
        stopPath(name),
        token,
        html`<div class="actions"><button class="danger">${words.stopButton}</button> <a class="button plain" href="${runsPath}">${words.back}</a></div>`
      )
    }
</section>`
  })
