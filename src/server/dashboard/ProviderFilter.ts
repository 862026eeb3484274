/** The search of the provider list, as pure functions. Invalid query parameters are ignored. */
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import type { Tone } from "./ConnectionRow.ts"
import type { Parameters } from "./DashboardPaths.ts"

/** The labels of the choices by value. The empty value selects all. */
export const states = {
  "": "All",
  connected: "Connected",
  attention: "Needs attention",
  not_connected: "Not connected"
} as const
type StateFilter = keyof typeof states

export const types = { "": "All", oauth2: "OAuth", api_key: "API key" } as const
type TypeFilter = keyof typeof types

export interface ProviderFilter {
  readonly text: string
  readonly state: StateFilter
  readonly type: TypeFilter
  readonly category: string
  readonly page: number
}

const choiceOf = <A extends string>(choices: Readonly<Record<A, string>>, text: string | null): A | "" =>
  text !== null && Object.hasOwn(choices, text) ? text as A : ""

/** The number of the requested page of a list. */
export const pageIn = (query: URLSearchParams): number => {
  const page = Number(query.get("page") ?? 1)
  return Number.isSafeInteger(page) && page > 0 ? page : 1
}

export const readFilter = (query: URLSearchParams): ProviderFilter => ({
  text: (query.get("q") ?? "").trim().slice(0, 100),
  state: choiceOf(states, query.get("state")),
  type: choiceOf(types, query.get("type")),
  category: (query.get("category") ?? "").slice(0, 64),
  page: pageIn(query)
})

export const parametersOf = (filter: ProviderFilter): Parameters => ({
  q: filter.text,
  state: filter.state,
  type: filter.type,
  category: filter.category,
  page: filter.page === 1 ? undefined : filter.page
})

/** Removes case and accents, so that `zurich` finds `Zürich`. */
const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

/** Scores how well a provider matches one word, or returns 0. Names rank before descriptions, and prefixes first. */
const fit = (
  { aliases, categories, description, displayName, hosts, name }: ProviderDefinition,
  word: string
): number => {
  const names = [name, plain(displayName), ...aliases]
  if (names.includes(word)) return 5
  if (names.some((name) => name.startsWith(word))) return 4
  if (names.some((name) => name.includes(word))) return 3
  if ([...categories, ...hosts].some((subject) => plain(subject).includes(word))) return 2
  return plain(description ?? "").includes(word) ? 1 : 0
}

/** A provider in the list, with the worst status of its connections. `tone` is undefined if it has no connections. */
interface Listed {
  readonly definition: ProviderDefinition
  readonly tone: Tone | undefined
}

const hasState = (tone: Tone | undefined, state: StateFilter): boolean =>
  state === "" ||
  (state === "attention" ? tone === "bad" || tone === "soon" : (state === "connected") === (tone !== undefined))

const rankOf = (definition: ProviderDefinition, words: ReadonlyArray<string>): number | undefined => {
  let rank = 0
  for (const word of words) {
    const one = fit(definition, word)
    if (one === 0) return undefined
    rank += one
  }
  return rank
}

/** Selects the providers that match every word and choice, best matches and connected ones first. */
export const applyFilter = <A extends Listed>(listed: ReadonlyArray<A>, filter: ProviderFilter): ReadonlyArray<A> => {
  const words = plain(filter.text).split(/\s+/).filter((word) => word !== "")
  const ranked: Array<{ readonly item: A; readonly rank: number }> = []
  for (const item of listed) {
    const { definition, tone } = item
    if (!hasState(tone, filter.state)) continue
    if (filter.type !== "" && definition.authType !== filter.type) continue
    if (filter.category !== "" && !definition.categories.includes(filter.category)) continue
    const rank = rankOf(definition, words)
    if (rank !== undefined) ranked.push({ item, rank: rank * 2 + (tone === undefined ? 0 : 1) })
  }
  return ranked.toSorted((left, right) => right.rank - left.rank).map(({ item }) => item)
}

export const pageSize = 48

export interface Slice<A> {
  readonly items: ReadonlyArray<A>
  /** The position of the first item of the page in the list. */
  readonly from: number
  readonly total: number
  /** The page shown: the last one if the requested page does not exist. */
  readonly page: number
  readonly pages: number
}

export const slice = <A>(items: ReadonlyArray<A>, page: number): Slice<A> => {
  const pages = Math.max(1, Math.ceil(items.length / pageSize))
  const shown = Math.min(page, pages)
  const start = (shown - 1) * pageSize
  return { items: items.slice(start, start + pageSize), from: start + 1, total: items.length, page: shown, pages }
}

/** Category names that are not just the capitalized category. */
const categories: Readonly<Record<string, string>> = {
  ai: "AI",
  cms: "CMS",
  crm: "CRM",
  google: "Google",
  hr: "HR",
  mcp: "MCP",
  microsoft: "Microsoft",
  seo: "SEO"
}

export const categoryLabel = (category: string): string =>
  categories[category] ?? `${category.charAt(0).toUpperCase()}${category.slice(1)}`
