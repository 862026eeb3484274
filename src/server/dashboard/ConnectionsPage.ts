/** The page `/ui/connections`: all connections of the profile by provider. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { plural } from "../../domain/text/Plural.ts"
import type { Connection } from "../../domain/wire/Connection.ts"
import { about, type Html, html } from "../pages/Html.ts"
import { connectionRow, needsAttention, standingOf } from "./ConnectionRow.ts"
import type { ConnectionsView } from "./Dashboard.ts"
import { connectionsPath, disconnectPath, providerPath, providersPath, rowPath } from "./DashboardPaths.ts"
import { dashboardPage } from "./Frame.ts"
import { numberedPages } from "./PagedLists.ts"
import { slice } from "./ProviderFilter.ts"

const group = (view: ConnectionsView, provider: string, connections: ReadonlyArray<Connection>): Html => {
  const known = view.providers.find(({ definition }) => definition.name === provider)
  const name = view.nameOf(provider)
  return html`<section class="card">
<div class="head"><h2><a href="${providerPath(provider)}">${name}</a></h2>${
    known?.source === "custom" && html`<span class="pill">custom</span>`
  }</div>
<ul class="rows">${
    connections.map((connection) =>
      connectionRow(connection, {
        now: view.moment.now,
        uses: view.uses,
        id: false,
        name: connection.connectionName,
        actions: connection.grantedBy === undefined &&
          html`${
            standingOf(connection, view.moment.now).reason !== undefined &&
            html`<a class="button outline compact" href="${rowPath(provider, connection.connectionName)}">Open${
              about(`${name}, ${connection.connectionName}`)
            }</a>`
          }<a class="button plain compact" href="${disconnectPath(provider, connection.connectionName)}">Disconnect${
            about(`${name}, ${connection.connectionName}`)
          }</a>`
      })
    )
  }</ul>
</section>`
}

export const connectionsPage = (view: ConnectionsView, page: number, notice: Html | undefined): HttpServerResponse => {
  const { connections, moment } = view
  const shown = slice(connections, page)
  const groups = [...Map.groupBy(shown.items, ({ provider }) => provider)]
  const providers = new Set(connections.map(({ provider }) => provider)).size
  const attention = connections.filter((connection) => standingOf(connection, moment.now).reason !== undefined).length
  return dashboardPage(200, {
    title: "Connections",
    section: "connections",
    moment,
    notice,
    content: html`<div id="connections" data-live data-says="${plural(connections.length, "connection")}, ${
      needsAttention(attention)
    }.">
<div class="head"><h1>Connections</h1><a class="button outline" href="${providersPath}">Connect a provider</a></div>
<p class="lead">${
      connections.length === 0
        ? "No connections yet."
        : `${plural(connections.length, "connection")} to ${
          plural(providers, "provider")
        }. Programs use the default connection of a provider unless they name another one.`
    }</p>
${groups.map(([provider, list]) => group(view, provider, list))}
${numberedPages(connectionsPath, {}, shown)}
</div>`
  })
}
