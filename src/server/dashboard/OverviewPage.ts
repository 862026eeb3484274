/** The overview page `/ui/`, which starts with everything that needs attention. */
import * as DateTime from "effect/DateTime"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { plural } from "../../domain/text/Plural.ts"
import type { AuditEntry } from "../../domain/wire/AuditEntry.ts"
import type { Connection } from "../../domain/wire/Connection.ts"
import { about, type Html, html } from "../pages/Html.ts"
import { sentence } from "../pages/Sentences.ts"
import { eventRow } from "./ActivityPage.ts"
import { connectionRow, needsAttention, pill, type Standing, standingOf } from "./ConnectionRow.ts"
import type { ConnectionsView } from "./Dashboard.ts"
import { activityPath, approvalsPath, connectionsPath, providersPath, rowPath, withQuery } from "./DashboardPaths.ts"
import { dashboardPage } from "./Frame.ts"

const shown = 8
const maxConcerning = 50

interface Overview {
  readonly view: ConnectionsView
  /** The newest entries, or undefined if the caller may not read the logs. */
  readonly recent: ReadonlyArray<AuditEntry> | undefined
  /** Problems of credsvc itself, followed by warnings. */
  readonly concerns: ReadonlyArray<string>
}

interface Concerning {
  readonly connection: Connection
  readonly standing: Standing
}

const linkOf = ({ connectionName, provider }: Connection): string => rowPath(provider, connectionName)

const nameLink = (view: ConnectionsView, connection: Connection): Html =>
  html`<a href="${linkOf(connection)}">${view.nameOf(connection.provider)}</a> ${
    connection.connectionName === "default" ? undefined : connection.connectionName
  }`

const total = (count: number, label: string, href: string, warn = false): Html =>
  html`<li><a href="${href}"${warn && html` class="warn"`}><strong>${count}</strong> ${label}</a></li>`

const totals = ({ connections, moment, providers, uses }: ConnectionsView, concerns: number): Html => {
  const yesterday = DateTime.subtract(moment.now, { hours: 24 })
  const used = [...uses.values()].filter(({ timestamp }) => DateTime.isGreaterThan(timestamp, yesterday)).length
  return html`<ul class="totals" aria-label="Totals">
${total(connections.length, connections.length === 1 ? "connection" : "connections", connectionsPath)}
${total(concerns, concerns === 1 ? "needs attention" : "need attention", "#attention", concerns > 0)}
${total(used, "used in the last 24 hours", withQuery(activityPath, { event: "resolve" }))}
${total(providers.length, "providers available", providersPath)}
</ul>`
}

const attention = (
  view: ConnectionsView,
  concerning: ReadonlyArray<Concerning>,
  concerns: ReadonlyArray<string>
): Html =>
  concerning.length + concerns.length + view.moment.waiting === 0
    ? html`<section class="card" id="attention"><p>No connection needs attention.</p></section>`
    : html`<section class="card attention" id="attention" aria-labelledby="attention-title">
<h2 id="attention-title">Needs attention</h2>
<ul class="rows">${
      view.moment.waiting > 0 &&
      html`<li><div class="what"><p><a href="${approvalsPath}">${
        view.moment.waiting === 1 ? "1 request waits" : `${view.moment.waiting} requests wait`
      } for you</a></p></div></li>`
    }${
      concerning.slice(0, maxConcerning).map(({ connection, standing }) =>
        html`<li><div class="what"><strong>${nameLink(view, connection)}</strong> ${
          pill(standing)
        }<p class="small">${standing.reason}</p></div>
<a class="button outline compact" href="${linkOf(connection)}">Open${
          about(`${view.nameOf(connection.provider)}, ${connection.connectionName}`)
        }</a></li>`
      )
    }${
      concerning.length > maxConcerning &&
      html`<li><div class="what"><p><a href="${connectionsPath}">${
        plural(concerning.length - maxConcerning, "more connection")
      } with a problem</a></p></div></li>`
    }${concerns.map((concern) => html`<li><div class="what"><p>${sentence(concern)}</p></div></li>`)}</ul>
</section>`

const recentUse = (view: ConnectionsView, recent: ReadonlyArray<AuditEntry>): Html =>
  html`<section class="card" aria-labelledby="recent-title">
<div class="head"><h2 id="recent-title">Recent activity</h2><a class="small" href="${activityPath}">All activity</a></div>
${
    recent.length === 0
      ? html`<p class="small">No activity yet.</p>`
      : html`<ul class="rows">${recent.map((entry) => eventRow(entry, view))}</ul>`
  }
</section>`

const connectionList = (view: ConnectionsView): Html =>
  html`<section class="card" aria-labelledby="connections-title">
<div class="head"><h2 id="connections-title">Connections</h2><a class="small" href="${connectionsPath}">All ${view.connections.length}</a></div>
<ul class="rows">${
    view.connections.slice(0, shown).map((connection) =>
      connectionRow(connection, {
        now: view.moment.now,
        uses: view.uses,
        id: false,
        brief: true,
        name: nameLink(view, connection),
        actions: undefined
      })
    )
  }</ul>
</section>`

const firstSteps = ({ providers }: ConnectionsView): Html =>
  html`<section class="card" aria-labelledby="first-title">
<h2 id="first-title">Connect your first provider</h2>
<p>Connect a provider once, then start programs with <code class="command">credsvc run -- your-command</code>. They use the credential without ever seeing it.</p>
<form role="search" method="get" action="${providersPath}" class="filters">
<div class="field wide"><label for="q">Find a provider</label><input id="q" name="q" type="search" autocomplete="off" spellcheck="false"></div>
<button>Search</button>
</form>
<p><a href="${providersPath}">Browse all ${plural(providers.length, "provider")}</a></p>
</section>`

export const overviewPage = ({ concerns, recent, view }: Overview): HttpServerResponse => {
  const { connections, moment, profile } = view
  const concerning = connections.map((connection) => ({ connection, standing: standingOf(connection, moment.now) }))
    .filter(({ standing }) => standing.reason !== undefined)
    .toSorted((left, right) => Number(right.standing.tone === "bad") - Number(left.standing.tone === "bad"))
  const count = concerning.length + concerns.length + moment.waiting
  return dashboardPage(200, {
    title: "Overview",
    section: "overview",
    moment,
    content: html`<h1>Overview</h1>
<p class="lead">The connections of profile <strong>${profile}</strong> and their status.</p>
<div id="overview" data-live data-says="${plural(connections.length, "connection")}, ${needsAttention(count)}.">
${totals(view, count)}
<div class="columns"><div class="stack">
${(connections.length > 0 || count > 0) && attention(view, concerning, concerns)}
${connections.length > 0 ? connectionList(view) : firstSteps(view)}
</div>
${recent !== undefined && recentUse(view, recent)}</div>
</div>`
  })
}
