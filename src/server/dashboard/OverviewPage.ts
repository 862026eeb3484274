/** The overview page `/ui/`, which shows first what needs attention. */
import * as DateTime from "effect/DateTime"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { AuditEntry } from "../../domain/wire/AuditEntry.ts"
import type { Connection } from "../../domain/wire/Connection.ts"
import { type Html, html } from "../pages/Html.ts"
import { sentence, texts } from "../pages/Texts.ts"
import { eventRow } from "./ActivityPage.ts"
import { connectionRow, pill, type Standing, standingOf } from "./ConnectionRow.ts"
import type { ConnectionsView } from "./Dashboard.ts"
import { about } from "./Elements.ts"
import { dashboardPage } from "./Frame.ts"
import { activityPath, checksPath, connectionsPath, providersPath, rowPath, withQuery } from "./Places.ts"

const shown = 8
const maxConcerning = 50

export interface Overview {
  readonly view: ConnectionsView
  /** Undefined if the caller may not read the logs. */
  readonly recent: ReadonlyArray<AuditEntry> | undefined
  /** Problems of credsvc itself, followed by warnings. */
  readonly concerns: ReadonlyArray<string>
}

interface Concerning {
  readonly connection: Connection
  readonly standing: Standing
}

const placeOf = ({ connectionName, provider }: Connection): string => rowPath(provider, connectionName)

const nameLink = (view: ConnectionsView, connection: Connection): Html =>
  html`<a href="${placeOf(connection)}">${view.nameOf(connection.provider)}</a> ${
    connection.connectionName === "default" ? undefined : connection.connectionName
  }`

const total = (count: number, label: string, href: string, warn = false): Html =>
  html`<li><a href="${href}"${warn && html` class="warn"`}><strong>${count}</strong> ${label}</a></li>`

const totals = ({ connections, moment, providers, uses }: ConnectionsView, concerns: number): Html => {
  const yesterday = DateTime.subtract(moment.now, { hours: 24 })
  const used = [...uses.values()].filter((time) => DateTime.isGreaterThan(time, yesterday)).length
  const words = texts.overview.totals
  return html`<ul class="totals" aria-label="${words.label}">
${total(connections.length, words.connections(connections.length), connectionsPath)}
${total(concerns, words.attention(concerns), "#attention", concerns > 0)}
${total(used, words.used, withQuery(activityPath, { event: "resolve" }))}
${total(providers.length, words.providers, providersPath)}
</ul>`
}

const attention = (
  view: ConnectionsView,
  concerning: ReadonlyArray<Concerning>,
  concerns: ReadonlyArray<string>
): Html =>
  concerning.length + concerns.length === 0
    ? html`<section class="card" id="attention"><p>${texts.overview.allWell} <a href="${checksPath}">${texts.overview.moreChecks}</a></p></section>`
    : html`<section class="card attention" id="attention" aria-labelledby="attention-title">
<div class="head"><h2 id="attention-title">${texts.overview.attention}</h2><a class="small" href="${checksPath}">${texts.overview.moreChecks}</a></div>
<ul class="rows">${
      concerning.slice(0, maxConcerning).map(({ connection, standing }) =>
        html`<li><div class="what"><strong>${nameLink(view, connection)}</strong> ${
          pill(standing)
        }<p class="small">${standing.reason}</p></div>
<a class="button outline compact" href="${placeOf(connection)}">${texts.connection.open}${
          about(texts.connection.of(view.nameOf(connection.provider), connection.connectionName))
        }</a></li>`
      )
    }${
      concerning.length > maxConcerning &&
      html`<li><div class="what"><p><a href="${connectionsPath}">${
        texts.overview.moreAttention(concerning.length - maxConcerning)
      }</a></p></div></li>`
    }${concerns.map((concern) => html`<li><div class="what"><p>${sentence(concern)}</p></div></li>`)}</ul>
</section>`

const recentUse = (view: ConnectionsView, recent: ReadonlyArray<AuditEntry>): Html =>
  html`<section class="card" aria-labelledby="recent-title">
<div class="head"><h2 id="recent-title">${texts.overview.recent}</h2><a class="small" href="${activityPath}">${texts.overview.allActivity}</a></div>
${
    recent.length === 0
      ? html`<p class="small">${texts.overview.nothingYet}</p>`
      : html`<ul class="rows">${recent.map((entry) => eventRow(entry, view))}</ul>`
  }
</section>`

const connectionList = (view: ConnectionsView): Html =>
  html`<section class="card" aria-labelledby="connections-title">
<div class="head"><h2 id="connections-title">${texts.overview.connections}</h2><a class="small" href="${connectionsPath}">${
    texts.overview.allConnections(view.connections.length)
  }</a></div>
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
<h2 id="first-title">${texts.overview.first.title}</h2>
<p>${texts.overview.first.text}</p>
<form role="search" method="get" action="${providersPath}" class="filters">
<div class="field wide"><label for="q">${texts.overview.first.search}</label><input id="q" name="q" type="search" autocomplete="off" spellcheck="false"></div>
<button>${texts.overview.first.button}</button>
</form>
<p><a href="${providersPath}">${texts.overview.first.all(providers.length)}</a></p>
</section>`

export const overviewPage = ({ concerns, recent, view }: Overview): HttpServerResponse => {
  const { connections, moment, profile } = view
  const concerning = connections.map((connection) => ({ connection, standing: standingOf(connection, moment.now) }))
    .filter(({ standing }) => standing.reason !== undefined)
    .toSorted((left, right) => Number(right.standing.tone === "bad") - Number(left.standing.tone === "bad"))
  const count = concerning.length + concerns.length
  return dashboardPage(200, {
    title: texts.overview.title,
    section: "overview",
    moment,
    content: html`<h1>${texts.overview.title}</h1>
<p class="lead">${texts.overview.lead(profile)}</p>
<div id="overview" data-live data-says="${texts.overview.says(connections.length, count)}">
${totals(view, count)}
<div class="columns"><div class="stack">
${(connections.length > 0 || count > 0) && attention(view, concerning, concerns)}
${connections.length > 0 ? connectionList(view) : firstSteps(view)}
</div>
${recent !== undefined && recentUse(view, recent)}</div>
</div>`
  })
}
