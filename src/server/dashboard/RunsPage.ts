/** The page `/ui/runs`: the running runs. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Run, RunName } from "../../domain/wire/Run.ts"
import { type Html, html } from "../pages/Html.ts"
import { texts } from "../pages/Texts.ts"
import type { View } from "./Dashboard.ts"
import { about, postForm } from "./Elements.ts"
import { dashboardPage, type Moment } from "./Frame.ts"
import { providerPath, runsPath, stopPath } from "./Places.ts"
import { requestsAt } from "./RequestsPage.ts"
import { relativeTime } from "./Times.ts"

const words = texts.runs

export interface RunsView {
  readonly view: View
  readonly runs: ReadonlyArray<Run>
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
  const { frozenAt, name, pid, startedAt, stoppedAt, uses } = run
  const ended = stoppedAt !== null ? words.stopped : frozenAt !== null && words.frozen
  return html`<li><div class="what"><code>${name}</code> ${
    ended !== false && html`<span class="pill bad">${ended}</span> `
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
  html`<section class="card" id="runs" data-live aria-labelledby="running-title">
<h2 id="running-title">${words.running}</h2>
${
    runs.length === 0
      ? html`<p class="small">${words.none}</p>`
      : html`<ul class="rows">${runs.map((run) => runRow(run, view))}</ul>`
  }
</section>`

export const runsPage = (runsView: RunsView): HttpServerResponse =>
  dashboardPage(200, {
    title: words.title,
    section: "runs",
    moment: runsView.view.moment,
    notice: runsView.notice,
    content: html`<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
${runningRuns(runsView)}
<p><a href="${requestsAt({})}">${words.allRequests}</a> · <a href="${
      requestsAt({ failed: true })
    }">${words.failedRequests}</a></p>`
  })

export const stopPage = (moment: Moment, name: RunName): HttpServerResponse =>
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
        html`<div class="actions"><button class="danger">${words.stopButton}</button> <a class="button plain" href="${runsPath}">${words.back}</a></div>`
      )
    }
</section>`
  })
