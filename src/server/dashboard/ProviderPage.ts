/** The page `/ui/apps/{provider}`: its hosts, its connections, and the form for a new one. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { isStoredGrant, type ProviderDefinition } from "../../domain/definition/Provider.ts"
import { exportNames } from "../../domain/definition/ProviderFields.ts"
import { hostsOf } from "../../domain/definition/ProviderHosts.ts"
import { placementLines } from "../../domain/injection/PlacementText.ts"
import { hostAndPrefix } from "../../domain/injection/Route.ts"
import { plural } from "../../domain/text/Plural.ts"
import type { Connection } from "../../domain/wire/Connection.ts"
import { redirectUriOf } from "../../flows/PublicUrl.ts"
import type { Provider } from "../../providers/ProviderSnapshot.ts"
import { flowWords } from "../pages/FlowWords.ts"
import { about, codeList, copyable, customNotice, externalLink, type Html, html, postForm } from "../pages/Html.ts"
import { connectForm, nothingRefused, type Refused, repeatForm } from "./ConnectForm.ts"
import { connectionRow, needsAttention, standingOf } from "./ConnectionRow.ts"
import type { ConnectionsView } from "./Dashboard.ts"
import { checkPath, defaultPath, disconnectPath, providerPath, providersPath, revokePath } from "./DashboardPaths.ts"
import { backLink, dashboardPage } from "./Frame.ts"
import { numberedPages } from "./PagedLists.ts"
import { categoryLabel, slice } from "./ProviderFilter.ts"

interface ProviderPage {
  readonly view: ConnectionsView
  /** The page number in the list of connections. */
  readonly page: number
  readonly provider: Provider
  /** The daemon's base URL, which is registered with providers. */
  readonly baseUrl: string
  readonly notice?: Html | undefined
  readonly refused?: Refused
}

const loginAgain = (connection: Connection, displayName: string, urgent: boolean): Html => {
  const { baseUrl, connectionName, flow, provider, scopes } = connection
  const values = new Map<string, string>([["connection", connectionName], ["flow", flow]])
  if (baseUrl !== null) values.set("base_url", baseUrl)
  if (flow !== "api_key" && scopes.length > 0) values.set("scopes", scopes.join(" "))
  return repeatForm(
    provider,
    values,
    html`<button class="${urgent ? "outline" : "plain"} compact">Log in again${
      about(`${displayName}, ${connectionName}`)
    }</button>`
  )
}

/** The button that sends the test request of the definition. */
const checkForm = ({ connectionName, provider }: Connection, displayName: string): Html =>
  postForm(
    checkPath(provider, connectionName),
    html`<button class="plain compact">Check${about(`${displayName}, ${connectionName}`)}</button>`
  )

const connections = ({ page, provider: { definition }, view }: ProviderPage): Html => {
  const shown = slice(view.connections, page)
  const { moment: { now }, uses } = view
  const name = definition.displayName
  const attention = view.connections.filter((connection) => standingOf(connection, now).reason !== undefined).length
  const action = (href: string, label: string, connection: Connection) =>
    html`<a class="button plain compact" href="${href}">${label}${about(`${name}, ${connection.connectionName}`)}</a>`
  return html`<section class="card" id="connections" data-live data-says="${
    plural(view.connections.length, "connection")
  }, ${needsAttention(attention)}." aria-labelledby="connections-title">
<h2 id="connections-title">Connections</h2>
${
    view.connections.length === 0
      ? html`<p class="small">Not connected yet.</p>`
      : html`<ul class="rows">${
        shown.items.map((connection) =>
          connectionRow(connection, {
            now,
            uses,
            id: true,
            name: connection.connectionName,
            actions: connection.grantedBy === undefined
              ? html`${loginAgain(connection, name, standingOf(connection, now).reason !== undefined)}${
                definition.testRequest !== undefined && checkForm(connection, name)
              }${
                !connection.isDefault &&
                action(defaultPath(connection.provider, connection.connectionName), "Set as default", connection)
              }${action(disconnectPath(connection.provider, connection.connectionName), "Disconnect", connection)}`
              : definition.testRequest !== undefined && checkForm(connection, name)
          })
        )
      }</ul>${numberedPages(providerPath(definition.name), {}, shown)}`
  }
</section>`
}

const loginWords = ({ authType, flows }: ProviderDefinition): string => {
  const names = flows.map((flow) => flowWords(flow).name)
  return authType === "api_key" ? names.join(", ") : `OAuth: ${names.join(", ").toLowerCase()}`
}

const whereItGoes = ({ baseUrl, provider: { definition } }: ProviderPage): Html => {
  const hosts = hostsOf(definition).map(hostAndPrefix)
  const variables = exportNames(definition).map(({ variable }) => variable)
  return html`<section class="card" aria-labelledby="where-title">
<h2 id="where-title">How the credential is used</h2>
<dl>
<dt>Sent only to</dt><dd>${hosts.length === 0 ? "The host of your account URL." : codeList(hosts)}</dd>
<dt>Sent as</dt><dd>${codeList(placementLines(definition))}</dd>
<dt>Environment variables</dt><dd>${
    codeList(variables)
  }<p class="hint"><code class="command">credsvc run</code> sets them to placeholders, never to the credential.</p></dd>
${
    definition.authType === "oauth2" && !definition.flows.every((flow) => isStoredGrant(flow)) &&
    html`<dt>Redirect URI</dt><dd>${
      copyable("redirect-uri", redirectUriOf(baseUrl, definition.oauth.redirectHost))
    }<p class="hint">Enter this URI when the provider asks for a redirect or callback URL.</p></dd>`
  }
</dl>
</section>`
}

const link = (term: string, url: string | undefined): Html | undefined =>
  url === undefined ? undefined : html`<dt>${term}</dt><dd>${externalLink(url, url.replace(/^https:\/\//, ""))}</dd>`

const facts = ({ provider: { definition, source }, view }: ProviderPage): Html =>
  html`<section class="card" aria-labelledby="about-title">
<h2 id="about-title">About this provider</h2>
<dl>
<dt>Name for commands</dt><dd>${copyable("provider-name", definition.name)}</dd>
<dt>Login method</dt><dd>${loginWords(definition)}</dd>
${
    definition.authType === "oauth2" && definition.oauth.scopes.length > 0 &&
    html`<dt>Scopes</dt><dd>${codeList(definition.oauth.scopes)}</dd>`
  }
${
    definition.categories.length > 0 &&
    html`<dt>Categories</dt><dd>${definition.categories.map(categoryLabel).join(", ")}</dd>`
  }
${
    definition.alternatives.length > 0 &&
    html`<dt>Alternatives</dt><dd><ul>${
      definition.alternatives.map((name) => html`<li><a href="${providerPath(name)}">${view.nameOf(name)}</a></li>`)
    }</ul></dd>`
  }
${link(definition.authType === "oauth2" ? "Create an OAuth app at" : "Create a key at", definition.credentialsUrl)}
${link("Documentation", definition.docsUrl)}
${
    source === "bundled" &&
    html`<dt>Compared with the vendor</dt><dd>${
      definition.checked == null
        ? "never, so the definition may be wrong"
        : `${definition.checked.date} (${definition.checked.source})`
    }</dd>`
  }
</dl>
</section>`

const notes = (definition: ProviderDefinition): Html | undefined =>
  definition.notes.length === 0
    ? undefined
    : html`<section class="card" aria-labelledby="notes-title"><h2 id="notes-title">Notes</h2>${
      definition.notes.map((note) => html`<p class="small">${note}</p>`)
    }</section>`

const ending = ({ provider: { definition }, view }: ProviderPage): Html | undefined => {
  const own = view.connections.filter(({ grantedBy }) => grantedBy === undefined).length
  return own === 0
    ? undefined
    : html`<section class="card" aria-labelledby="end-title"><div class="head"><div><h2 id="end-title">Revoke access</h2>
<p class="small">${
      own === 1 ? "Revokes and removes the connection." : `Revokes and removes all ${own} connections.`
    }</p></div>
<a class="button outline compact" href="${revokePath(definition.name)}">Revoke</a></div></section>`
}

export const providerPage = (page: ProviderPage): HttpServerResponse => {
  const { notice, provider, refused = nothingRefused, view } = page
  const { definition } = provider
  const another = view.connections.length > 0
  return dashboardPage(refused.problems.length > 0 ? 400 : 200, {
    title: definition.displayName,
    section: "providers",
    moment: view.moment,
    notice,
    content: html`${backLink(providersPath, "All providers")}
<h1>${definition.displayName}</h1>
<p class="lead">${definition.description ?? `Provider ${definition.name}`}</p>
${customNotice(provider)}
<div class="columns"><div class="stack">
${connections(page)}
<section class="card" aria-labelledby="connect-title"><h2 id="connect-title">${
      another ? "Add a connection" : `Connect ${definition.displayName}`
    }</h2>
${connectForm(definition, { another, refused })}</section>
${notes(definition)}
</div>
<div class="stack">
${whereItGoes(page)}
${facts(page)}
${ending(page)}
</div></div>`
  })
}
