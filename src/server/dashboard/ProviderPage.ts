/** The page `/ui/apps/{provider}`: its hosts, its connections, and the form for a new one. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { isStoredGrant, type ProviderDefinition } from "../../domain/definition/Provider.ts"
import { exportNames } from "../../domain/definition/ProviderFields.ts"
import { hostsOf } from "../../domain/definition/ProviderHosts.ts"
import { placeOf } from "../../domain/injection/Route.ts"
import type { Connection } from "../../domain/wire/Connection.ts"
import { carriersOf } from "../../flows/Carriers.ts"
import { redirectUriOf } from "../../flows/PublicUrl.ts"
import type { Provider } from "../../providers/ProviderRegistry.ts"
import { externalLink, type Html, html } from "../pages/Html.ts"
import { list, texts } from "../pages/Texts.ts"
import { connectForm, nothingRefused, type Refused, repeatForm } from "./ConnectForm.ts"
import { connectionRow, standingOf } from "./ConnectionRow.ts"
import type { ConnectionsView } from "./Dashboard.ts"
import { about, copyable, crumb, numberedPages, postForm } from "./Elements.ts"
import { dashboardPage } from "./Frame.ts"
import { checkPath, defaultPath, disconnectPath, providerPath, providersPath, revokePath } from "./Places.ts"
import { slice } from "./ProviderFilter.ts"

const words = texts.provider

export interface ProviderPage {
  readonly view: ConnectionsView
  /** The page of its connections. */
  readonly page: number
  readonly provider: Provider
  /** The daemon's base URL, as registered with providers. */
  readonly baseUrl: string
  readonly notice?: Html | undefined
  readonly refused?: Refused
}

const customNotice = ({ overridesBundled, source }: Provider): Html | undefined =>
  source === "bundled"
    ? undefined
    : html`<div class="notice warn" role="note"><p><strong>${words.custom}</strong> ${
      overridesBundled ? words.replaces : words.added
    }</p></div>`

const loginAgain = (connection: Connection, displayName: string, urgent: boolean): Html => {
  const { baseUrl, connectionName, flow, provider, scopes } = connection
  const values = new Map<string, string>([["connection", connectionName], ["flow", flow]])
  if (baseUrl !== null) values.set("base_url", baseUrl)
  if (flow !== "api_key" && scopes.length > 0) values.set("scopes", scopes.join(" "))
  return repeatForm(
    provider,
    values,
    html`<button class="${urgent ? "outline" : "plain"} compact">${texts.connection.loginAgain}${
      about(texts.connection.of(displayName, connectionName))
    }</button>`
  )
}

/** The button that sends the definition's test request. Only shown if the definition has one. */
const checkForm = ({ connectionName, provider }: Connection, displayName: string): Html =>
  postForm(
    checkPath(provider, connectionName),
    html`<button class="plain compact">${texts.connection.check}${
      about(texts.connection.of(displayName, connectionName))
    }</button>`
  )

const connections = ({ page, provider: { definition }, view }: ProviderPage): Html => {
  const shown = slice(view.connections, page)
  const { moment: { now }, uses } = view
  const name = definition.displayName
  const attention = view.connections.filter((connection) => standingOf(connection, now).reason !== undefined).length
  const action = (href: string, label: string, connection: Connection) =>
    html`<a class="button plain compact" href="${href}">${label}${
      about(texts.connection.of(name, connection.connectionName))
    }</a>`
  return html`<section class="card" id="connections" data-live data-says="${
    words.says(view.connections.length, attention)
  }" aria-labelledby="connections-title">
<h2 id="connections-title">${words.connections}</h2>
${
    view.connections.length === 0
      ? html`<p class="small">${words.none}</p>`
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
                action(
                  defaultPath(connection.provider, connection.connectionName),
                  texts.connection.makeDefault,
                  connection
                )
              }${
                action(
                  disconnectPath(connection.provider, connection.connectionName),
                  texts.connection.disconnect,
                  connection
                )
              }`
              : definition.testRequest !== undefined && checkForm(connection, name)
          })
        )
      }</ul>${numberedPages(providerPath(definition.name), {}, shown)}`
  }
</section>`
}

const loginWords = ({ authType, flows }: ProviderDefinition): string => {
  const names = flows.map((flow) => texts.flowWords(flow).name)
  return authType === "api_key" ? names.join(", ") : `OAuth: ${names.join(", ").toLowerCase()}`
}

const whereItGoes = ({ baseUrl, provider: { definition } }: ProviderPage): Html => {
  const hosts = hostsOf(definition).map(placeOf)
  const variables = exportNames(definition).map(({ variable }) => variable)
  return html`<section class="card" aria-labelledby="where-title">
<h2 id="where-title">${words.where}</h2>
<dl>
<dt>${words.hosts}</dt><dd>${hosts.length === 0 ? words.noHosts : list(hosts)}</dd>
<dt>${words.carriers}</dt><dd>${list(carriersOf(definition))}</dd>
<dt>${words.variables}</dt><dd>${list(variables)}<p class="hint">${words.variablesHint}</p></dd>
${
    definition.authType === "oauth2" && !definition.flows.every((flow) => isStoredGrant(flow)) &&
    html`<dt>${words.redirect}</dt><dd>${
      copyable("redirect-uri", redirectUriOf(baseUrl, definition.oauth.redirectHost))
    }<p class="hint">${words.redirectHint}</p></dd>`
  }
</dl>
</section>`
}

const link = (term: string, url: string | undefined): Html | undefined =>
  url === undefined ? undefined : html`<dt>${term}</dt><dd>${externalLink(url, url.replace(/^https:\/\//, ""))}</dd>`

const facts = ({ provider: { definition, source }, view }: ProviderPage): Html =>
  html`<section class="card" aria-labelledby="about-title">
<h2 id="about-title">${words.about}</h2>
<dl>
<dt>${words.nameInCommands}</dt><dd>${copyable("provider-name", definition.name)}</dd>
<dt>${words.login}</dt><dd>${loginWords(definition)}</dd>
${
    definition.authType === "oauth2" && definition.oauth.scopes.length > 0 &&
    html`<dt>${words.scopes}</dt><dd>${list(definition.oauth.scopes)}</dd>`
  }
${
    definition.categories.length > 0 &&
    html`<dt>${words.categories}</dt><dd>${definition.categories.map(texts.providers.categoryName).join(", ")}</dd>`
  }
${
    definition.alternatives.length > 0 &&
    html`<dt>${words.alternatives}</dt><dd><ul>${
      definition.alternatives.map((name) => html`<li><a href="${providerPath(name)}">${view.nameOf(name)}</a></li>`)
    }</ul></dd>`
  }
${link(words.credentials[definition.authType], definition.credentialsUrl)}
${link(words.documentation, definition.docsUrl)}
${source === "bundled" && html`<dt>${words.checked}</dt><dd>${words.checkedWith(definition.checked ?? undefined)}</dd>`}
</dl>
</section>`

const notes = (definition: ProviderDefinition): Html | undefined =>
  definition.notes.length === 0
    ? undefined
    : html`<section class="card" aria-labelledby="notes-title"><h2 id="notes-title">${words.notes}</h2>${
      definition.notes.map((note) => html`<p class="small">${note}</p>`)
    }</section>`

const ending = ({ provider: { definition }, view }: ProviderPage): Html | undefined => {
  const own = view.connections.filter(({ grantedBy }) => grantedBy === undefined).length
  return own === 0
    ? undefined
    : html`<section class="card" aria-labelledby="end-title"><div class="head"><div><h2 id="end-title">${words.end}</h2>
<p class="small">${words.endText(own)}</p></div>
<a class="button outline compact" href="${revokePath(definition.name)}">${words.revoke}</a></div></section>`
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
    content: html`${crumb(providersPath, words.crumb)}
<h1>${definition.displayName}</h1>
<p class="lead">${definition.description ?? words.fallback(definition.name)}</p>
${customNotice(provider)}
<div class="columns"><div class="stack">
${connections(page)}
<section class="card" aria-labelledby="connect-title"><h2 id="connect-title">${
      another ? words.connectAnother : words.connect(definition.displayName)
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
