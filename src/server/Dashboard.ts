/** The dashboard: what is connected, and how to change that. Works without a script. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Connection } from "../domain/Connection.ts"
import type { ProfileHandle } from "../domain/Profile.ts"
import type { Provider } from "../providers/ProviderRegistry.ts"
import { externalLink, type Html, html } from "./Html.ts"
import { messagePage, pageResponse } from "./Pages.ts"

/** Makes the token of a form from the path that the form is sent to. */
export type IssueToken = (action: string) => string

const statusWords: Readonly<Record<Connection["status"], string>> = {
  connected: "connected",
  expired: "expired",
  invalid: "not usable",
  not_connected: "not connected"
}

export const connectPath = (provider: string): string => `/ui/apps/${encodeURIComponent(provider)}/connect`

export const disconnectPath = (provider: string, connection: string): string =>
  `/ui/apps/${encodeURIComponent(provider)}/${encodeURIComponent(connection)}/disconnect`

const form = (action: string, token: IssueToken, content: Html): Html =>
  html`<form method="post" action="${action}"><input type="hidden" name="form_token" value="${
    token(action)
  }">${content}</form>`

const row = (connection: Connection, token: IssueToken): Html =>
  html`<li>
<span class="name">${connection.connectionName}${
    connection.lastRefreshError !== null && html`<span class="small">${connection.lastRefreshError}</span>`
  }</span>
${connection.isDefault && html`<span class="pill">default</span>`}
<span class="pill ${connection.status}">${statusWords[connection.status]}</span>
${
    form(
      disconnectPath(connection.provider, connection.connectionName),
      token,
      html`<button class="plain compact" aria-label="Log out ${connection.provider} ${connection.connectionName}">Log out</button>`
    )
  }
</li>`

const card = (
  provider: Provider | undefined,
  name: string,
  connections: ReadonlyArray<Connection>,
  token: IssueToken
) =>
  html`<section class="card">
<div class="head"><h2><a href="/ui/apps/${encodeURIComponent(name)}">${
    provider?.definition.displayName ?? name
  }</a></h2>
${provider?.source === "custom" && html`<span class="pill">custom</span>`}</div>
<ul class="rows">${connections.map((connection) => row(connection, token))}</ul>
</section>`

const connectList = (providers: ReadonlyArray<Provider>, token: IssueToken): Html =>
  html`<section class="card">
<div class="head"><h2>Connect a provider</h2><span class="small">${providers.length} to choose from</span></div>
<ul class="rows">${
    providers.map(({ definition, source }) =>
      html`<li>
<span class="name"><a href="/ui/apps/${encodeURIComponent(definition.name)}">${definition.displayName}</a>${
        definition.description !== undefined && html`<span class="small">${definition.description}</span>`
      }</span>
${source === "custom" && html`<span class="pill">custom</span>`}
${
        form(
          connectPath(definition.name),
          token,
          html`<button class="outline compact" aria-label="Connect ${definition.displayName}">Connect</button>`
        )
      }
</li>`
    )
  }</ul>
</section>`

export interface Overview {
  readonly profile: ProfileHandle
  readonly providers: ReadonlyArray<Provider>
  readonly connections: ReadonlyArray<Connection>
  readonly token: IssueToken
}

const byProvider = (connections: ReadonlyArray<Connection>): ReadonlyMap<string, ReadonlyArray<Connection>> =>
  Map.groupBy(connections, ({ provider }) => provider)

const footer = (profile: ProfileHandle): Html =>
  html`<footer>Profile <code>${profile}</code> · <a href="/docs">Interface</a></footer>`

/** `/ui/` and `/ui/connections`: the second without the list of what could be connected. */
export const overviewPage = (
  { connections, profile, providers, token }: Overview,
  options: { readonly offer: boolean }
): HttpServerResponse => {
  const definitions = new Map(providers.map((provider) => [provider.definition.name as string, provider]))
  const groups = [...byProvider(connections)]
  return pageResponse(200, {
    title: "Connections",
    wide: true,
    content: html`<h1>Connections</h1>
<p class="lead">${
      groups.length === 0
        ? "Nothing is connected yet."
        : `${connections.length} connection${connections.length === 1 ? "" : "s"} to ${groups.length} provider${
          groups.length === 1 ? "" : "s"
        }.`
    }</p>
${groups.map(([name, list]) => card(definitions.get(name), name, list, token))}
${
      options.offer && connectList(
        providers.filter(({ definition }) => !groups.some(([name]) => name === definition.name)),
        token
      )
    }
${footer(profile)}`
  })
}

/** `/ui/apps/{provider}`. */
export const providerPage = (
  provider: Provider,
  hosts: ReadonlyArray<string>,
  { connections, profile, token }: Overview
): HttpServerResponse => {
  const { definition, overridesBundled, source } = provider
  const action = connectPath(definition.name)
  return pageResponse(200, {
    title: definition.displayName,
    wide: true,
    content: html`<p class="small"><a href="/ui/">All connections</a></p>
<section class="card">
<h1>${definition.displayName}</h1>
<p class="lead">${definition.description ?? `Provider ${definition.name}`}</p>
${
      source === "custom" &&
      html`<div class="notice warn" role="note"><p><strong>Custom provider.</strong> ${
        overridesBundled ? "It replaces the definition that credsvc ships." : "It does not come with credsvc."
      }</p></div>`
    }
${connections.length > 0 && html`<ul class="rows">${connections.map((connection) => row(connection, token))}</ul>`}
<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${token(action)}">
<div class="field"><label for="connection">${
      connections.length > 0 ? "Add a connection" : "Name of the connection"
    }</label>
<input id="connection" name="connection" type="text" value="${
      connections.length > 0 ? "" : "default"
    }" required maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="connection-hint">
<p class="hint" id="connection-hint">Letters, digits, dot, underscore, @ and hyphen.</p></div>
<div class="actions"><button>Connect</button></div>
</form>
<dl>
<dt>Name</dt><dd><code>${definition.name}</code></dd>
<dt>Credential</dt><dd>${definition.authType === "api_key" ? "API key" : "OAuth"}</dd>
<dt>Hosts</dt><dd><ul>${hosts.map((host) => html`<li><code>${host}</code></li>`)}</ul></dd>
${
      definition.docsUrl !== undefined &&
      html`<dt>Documentation</dt><dd>${externalLink(definition.docsUrl, definition.docsUrl)}</dd>`
    }
</dl>
</section>
${footer(profile)}`
  })
}

/** Between the click and the next step: a form of ours must not redirect to another site (A12). */
export const interstitialPage = (displayName: string, target: URL, own: boolean): HttpServerResponse =>
  pageResponse(200, {
    title: `Connecting ${displayName}`,
    ...(own ? { next: `${target.pathname}${target.search}` } : {}),
    content: html`<section class="card">
<h1>Connecting ${displayName}</h1>
<p class="lead">${own ? "The form opens in a moment." : html`You go on at <strong>${target.host}</strong>.`}</p>
<p><a class="button" href="${own ? `${target.pathname}${target.search}` : target.href}">Go on</a></p>
</section>`
  })

export const alreadyConnectedPage = (
  displayName: string,
  provider: string,
  connection: string,
  token: IssueToken
): HttpServerResponse => {
  const action = connectPath(provider)
  return pageResponse(409, {
    title: `${displayName} is connected already`,
    content: html`<section class="card">
<h1>${displayName} is connected already</h1>
<p class="lead">There is a connection <code>${connection}</code>. You can replace its credential, or go back and give the new one another name.</p>
<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${token(action)}">
<input type="hidden" name="connection" value="${connection}">
<input type="hidden" name="force" value="true">
<div class="actions"><button>Replace it</button> <a href="/ui/apps/${encodeURIComponent(provider)}">Go back</a></div>
</form>
</section>`
  })
}

export const staleFormPage = (): HttpServerResponse =>
  messagePage(
    403,
    "This page is too old",
    "Nothing was changed. Open it again and repeat what you did.",
    html`<p><a href="/ui/">Open the dashboard</a></p>`
  )
