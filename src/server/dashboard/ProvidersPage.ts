/** The page `/ui/apps`: all providers with a search form, which works without the script. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import { plural } from "../../domain/text/Plural.ts"
import { type Html, html, select } from "../pages/Html.ts"
import { pill, standingOf, type Tone } from "./ConnectionRow.ts"
import type { ConnectionsView } from "./Dashboard.ts"
import { providerPath, providersPath } from "./DashboardPaths.ts"
import { dashboardPage } from "./Frame.ts"
import { numberedPages } from "./PagedLists.ts"
import {
  applyFilter,
  categoryLabel,
  parametersOf,
  type ProviderFilter,
  type Slice,
  slice,
  states,
  types
} from "./ProviderFilter.ts"

interface Listed {
  readonly definition: ProviderDefinition
  readonly custom: boolean
  readonly tone: Tone | undefined
}

const listedOf = ({ connections, moment, providers }: ConnectionsView): ReadonlyArray<Listed> => {
  const tones = new Map<string, Tone>()
  for (const connection of connections) {
    const { tone } = standingOf(connection, moment.now)
    const known = tones.get(connection.provider)
    if (known === undefined || known === "ok" || tone === "bad") tones.set(connection.provider, tone)
  }
  return providers.map(({ definition, source }) => ({
    definition,
    custom: source === "custom",
    tone: tones.get(definition.name)
  }))
}

const tile = ({ custom, definition, tone }: Listed): Html =>
  html`<li><h2><a href="${providerPath(definition.name)}">${definition.displayName}</a>${
    tone !== undefined && pill({ tone, word: tone === "ok" ? "connected" : "needs attention" })
  }${custom && html`<span class="pill">custom</span>`}</h2>
<p>${definition.description ?? definition.name}</p></li>
`

const results = (filter: ProviderFilter, found: Slice<Listed>): Html => {
  const { from, items, pages, total } = found
  const says = pages === 1
    ? total === 0 ? "No matching providers." : `${plural(total, "provider")}.`
    : `${from}–${from + items.length - 1} of ${plural(total, "provider")}.`
  return html`<div id="results" data-live data-arrows data-says="${says}">
<p class="small">${says}</p>
${
    total === 0
      ? html`<p class="card empty">Add your own with <code class="command">credsvc register</code>.</p>`
      : html`<ul class="card-list">${items.map(tile)}</ul>`
  }
${numberedPages(providersPath, parametersOf(filter), found)}
</div>`
}

const categoriesOf = (listed: ReadonlyArray<Listed>): ReadonlyArray<string> => {
  const categories = new Set<string>()
  for (const { definition } of listed) for (const category of definition.categories) categories.add(category)
  return [...categories].toSorted()
}

const filterForm = (filter: ProviderFilter, categories: ReadonlyArray<string>): Html =>
  html`<form role="search" method="get" action="${providersPath}" class="filters" data-instant="results" aria-label="Filter">
<div class="field wide"><label for="q">Search</label><input id="q" name="q" type="search" value="${filter.text}" placeholder="Name, host or topic" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="100" aria-keyshortcuts="/"></div>
${select("state", "Status", states, filter.state)}
${select("type", "Login method", types, filter.type)}
${
    select("category", "Category", {
      "": "All",
      ...Object.fromEntries(categories.map((value) => [value, categoryLabel(value)]))
    }, filter.category)
  }
<button class="outline" data-without-script>Apply</button>
</form>`

export const providersPage = (view: ConnectionsView, filter: ProviderFilter): HttpServerResponse => {
  const listed = listedOf(view)
  return dashboardPage(200, {
    title: "Providers",
    section: "providers",
    moment: view.moment,
    content: html`<h1>Providers</h1>
<p class="lead">Choose from ${
      plural(listed.length, "provider")
    }. A credential is sent only to the hosts of its provider.</p>
${filterForm(filter, categoriesOf(listed))}
${results(filter, slice(applyFilter(listed, filter), filter.page))}`
  })
}
