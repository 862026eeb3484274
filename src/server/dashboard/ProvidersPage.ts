/** The page `/ui/apps`: all providers with a search form, which works without the script. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import { type Html, html } from "../pages/Html.ts"
import { texts } from "../pages/Texts.ts"
import { pill, standingOf, type Tone } from "./ConnectionRow.ts"
import type { ConnectionsView } from "./Dashboard.ts"
import { numberedPages, select } from "./Elements.ts"
import { dashboardPage } from "./Frame.ts"
import { providerPath, providersPath } from "./Places.ts"
import { applyFilter, parametersOf, type ProviderFilter, type Slice, slice, states, types } from "./ProviderFilter.ts"

interface Listed {
  readonly definition: ProviderDefinition
  readonly custom: boolean
  readonly tone: Tone | undefined
}

const words = texts.providers

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
    tone !== undefined && pill({ tone, word: tone === "ok" ? texts.connection.word.ok : words.attention })
  }${custom && html`<span class="pill">${words.custom}</span>`}</h2>
<p>${definition.description ?? definition.name}</p></li>
`

const results = (filter: ProviderFilter, found: Slice<Listed>): Html => {
  const { from, items, pages, total } = found
  const says = pages === 1 ? words.found(total) : words.range(from, from + items.length - 1, total)
  return html`<div id="results" data-live data-arrows data-says="${says}">
<p class="small">${says}</p>
${total === 0 ? html`<p class="card empty">${words.none}</p>` : html`<ul class="card-list">${items.map(tile)}</ul>`}
${numberedPages(providersPath, parametersOf(filter), found)}
</div>`
}

const categoriesOf = (listed: ReadonlyArray<Listed>): ReadonlyArray<string> => {
  const categories = new Set<string>()
  for (const { definition } of listed) for (const category of definition.categories) categories.add(category)
  return [...categories].toSorted()
}

const filterForm = (filter: ProviderFilter, categories: ReadonlyArray<string>): Html =>
  html`<form role="search" method="get" action="${providersPath}" class="filters" data-instant="results" aria-label="${words.filter}">
<div class="field wide"><label for="q">${words.search}</label><input id="q" name="q" type="search" value="${filter.text}" placeholder="${words.searchHint}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="100" aria-keyshortcuts="/"></div>
${
    select(
      "state",
      words.state,
      states.map((value) => ({ value: value === "all" ? "" : value, label: words.states[value] })),
      filter.state === "all" ? "" : filter.state
    )
  }
${
    select(
      "type",
      words.type,
      types.map((value) => ({ value: value === "all" ? "" : value, label: words.types[value] })),
      filter.type === "all" ? "" : filter.type
    )
  }
${
    select(
      "category",
      words.category,
      [
        { value: "", label: words.allCategories },
        ...categories.map((value) => ({ value, label: words.categoryName(value) }))
      ],
      filter.category
    )
  }
<button class="outline" data-without-script>${words.apply}</button>
</form>`

export const providersPage = (view: ConnectionsView, filter: ProviderFilter): HttpServerResponse => {
  const listed = listedOf(view)
  return dashboardPage(200, {
    title: words.title,
    section: "providers",
    moment: view.moment,
    content: html`<h1>${words.title}</h1>
<p class="lead">${words.lead(listed.length)}</p>
${filterForm(filter, categoriesOf(listed))}
${results(filter, slice(applyFilter(listed, filter), filter.page))}`
  })
}
