/** The page `/ui/runs`: the active runs. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { leastTokens, limitsRequests } from "../../domain/rules/RuleSet.ts"
import { plural } from "../../domain/text/Plural.ts"
import type { Run, RunName } from "../../domain/wire/Run.ts"
import { about, type Html, html, postForm } from "../pages/Html.ts"
import type { View } from "./Dashboard.ts"
import { providerPath, runsPath, stopPath } from "./DashboardPaths.ts"
import { dashboardPage, type Moment } from "./Frame.ts"
import { numberedPages } from "./PagedLists.ts"
import { relativeTime } from "./PageTimes.ts"
import { slice } from "./ProviderFilter.ts"
import { requestsAt } from "./RequestsPage.ts"

interface RunsView {
  readonly view: View
  readonly runs: ReadonlyArray<Run>
  readonly page: number
  readonly notice: Html | undefined
}

const limitsOf = ({ contained, expiresAt, maxUses, rules, tokens }: Run, now: Moment["now"]): ReadonlyArray<Html> =>
  [
    contained && "contained",
    rules.some(limitsRequests) && "limited by rules",
    tokens !== undefined && `${tokens} of ${leastTokens(rules)} tokens`,
    maxUses !== null && `at most ${plural(maxUses, "use")}`,
    expiresAt !== null && ["expires ", relativeTime(expiresAt, now)]
  ].filter((limit) => limit !== false).map((limit) => html`<span class="pill">${limit}</span> `)

const runRow = (run: Run, { moment: { now }, nameOf }: View): Html => {
  const { frozenAt, name, pid, program, startedAt, stoppedAt, uses } = run
  const ended = stoppedAt !== null ? "stopped" : frozenAt !== null && "frozen"
  return html`<li><div class="what"><code>${name}</code> ${program !== undefined && html`${program} `}${
    ended !== false && html`<span class="pill bad">${ended}</span> `
  }${limitsOf(run, now)}<p class="small">process ${pid}, started ${relativeTime(startedAt, now)}. ${
    uses.length === 0
      ? "It has not used a connection yet."
      : [
        "Used",
        " ",
        uses.map(({ connection, lastUsedAt, provider }, index) =>
          html`${index > 0 && ", "}<a href="${providerPath(provider)}">${nameOf(provider)}</a> ${
            connection === "default" ? undefined : connection
          } (${relativeTime(lastUsedAt, now)})`
        )
      ]
  }</p></div>
<div class="acts"><a class="button plain compact" href="${requestsAt({ run: name })}">Requests${
    about(`run ${name}`)
  }</a>${
    stoppedAt === null &&
    html`<a class="button outline compact" href="${stopPath(name)}">Stop${about(`run ${name}`)}</a>`
  }</div></li>
`
}

const runningRuns = ({ page, runs, view }: RunsView): Html => {
  const shown = slice(runs, page)
  return html`<section class="card" id="runs" data-live aria-labelledby="running-title">
<h2 id="running-title">Running now</h2>
${
    runs.length === 0
      ? html`<p class="small">Nothing is running. Start a program with <code class="command">credsvc run -- your-command</code>.</p>`
      : html`<ul class="rows">${shown.items.map((run) => runRow(run, view))}</ul>${numberedPages(runsPath, {}, shown)}`
  }
</section>`
}

export const runsPage = (runsView: RunsView): HttpServerResponse =>
  dashboardPage(200, {
    title: "Runs",
    section: "runs",
    moment: runsView.view.moment,
    notice: runsView.notice,
    content: html`<h1>Runs</h1>
<p class="lead">Commands of <code class="command">credsvc run</code> that are running now, and the connections that they used.</p>
${runningRuns(runsView)}
<p><a href="${requestsAt({})}">All requests</a> · <a href="${requestsAt({ failed: true })}">Errors and refusals</a></p>`
  })

export const stopPage = (moment: Moment, name: RunName): HttpServerResponse =>
  dashboardPage(200, {
    title: `Stop run ${name}?`,
    section: "runs",
    moment,
    narrow: true,
    content: html`<section class="card">
<h1>Stop run ${name}?</h1>
<ul>
<li>The run, and every run inside it, gets no more credentials.</li>
<li>Its open connections with a credential are closed, and its command gets the signal SIGTERM.</li>
<li>Your connections do not change.</li>
</ul>
${
      postForm(
        stopPath(name),
        html`<div class="actions"><button class="danger">Stop run</button> <a class="button plain" href="${runsPath}">Cancel</a></div>`
      )
    }
</section>`
  })
