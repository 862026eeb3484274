/** Finds misplaced placeholders in the request heads of one run or sandbox, and reports each kind once for each host. */
import type { MisplacedPlaceholder } from "../../domain/injection/MisplacedPlaceholder.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import type { ProxyPlaceholder } from "../../domain/wire/ProxyRoutes.ts"
import { SecretSearch } from "../../http/scrub/SecretSearch.ts"
import type { Injection } from "../../outbound/HeaderInjection.ts"
import { isTokenRequest, outsidePlaces } from "../../outbound/TargetInjection.ts"

/** Limits the reports, because the client chooses the hosts. */
const MAX_REPORTED = 256

/** A misplaced placeholder, and the request that had it. */
export interface FoundPlaceholder extends MisplacedPlaceholder {
  readonly host: string
  readonly method: string
  readonly provider?: string | undefined
  /** The variables of the run with this value, at most three. */
  readonly variables?: ReadonlyArray<string> | undefined
}

type Listed = Pick<ProxyPlaceholder, "exact" | "value" | "variable">

/** A request that is searched. */
export type SearchedRequest = Omit<FoundPlaceholder, "place" | "variables">

export class PlaceholderWatch {
  /** The placeholders without the usual marker. */
  readonly exact: ReadonlyArray<string>
  readonly #listed: ReadonlyArray<Listed>
  readonly #found: (found: FoundPlaceholder) => void
  readonly #reported = new Set<string>()
  #search: SecretSearch | undefined

  constructor(listed: ReadonlyArray<Listed>, found: (found: FoundPlaceholder) => void) {
    this.exact = listed.flatMap(({ exact, value }) => exact === true ? [value] : [])
    this.#listed = listed
    this.#found = found
  }

  /** Compiles the search, which takes about a millisecond, before the first request needs it. */
  prepare(): void {
    void this.#compiled
  }

  report(found: FoundPlaceholder, text = ""): void {
    const key = `${found.kind} ${found.host}`
    if (this.#reported.has(key) || this.#reported.size === MAX_REPORTED) return
    this.#reported.add(key)
    this.#found({ ...found, variables: this.#variablesIn(text) })
  }

  /** The variables with the longest value in the text. Shorter values may be parts of it. */
  #variablesIn(text: string): ReadonlyArray<string> {
    const found = this.#listed.filter(({ value }) => value !== "" && text.includes(value))
    const longest = Math.max(...found.map(({ value }) => value.length))
    const variables = found.flatMap(({ value, variable }) => value.length === longest ? [variable] : [])
    return [...new Set(variables)].slice(0, 3)
  }

  /** Searches a request that gets no credential. */
  searchHead(request: SearchedRequest, headers: ReadonlyArray<string>, target: string): void {
    if (this.#isIn(request.host)) this.report({ ...request, place: "host" }, request.host)
    for (let i = 1; i < headers.length; i += 2) {
      if (this.#isIn(headers[i]!)) return this.report({ ...request, place: "header" }, headers[i]!)
    }
    this.#searchTarget(request, target)
  }

  /** Searches path and query of a request with a credential, except for the places of the credential. */
  searchOutside(request: SearchedRequest, target: string, injection: Injection): void {
    if (this.#isIn(target)) this.#searchTarget(request, outsidePlaces(target, injection))
  }

  /** Searches the name of a tunnel's host. */
  searchTunnel(host: string): void {
    if (this.#isIn(host)) this.report({ kind: "unmatched", host, method: "CONNECT", place: "host" }, host)
  }

  #searchTarget(request: SearchedRequest, target: string): void {
    const at = target.indexOf("?")
    const query = at === -1 ? "" : target.slice(at)
    if (this.#isIn(at === -1 ? target : target.slice(0, at))) this.report({ ...request, place: "path" }, target)
    if (!this.#isIn(query)) return
    this.report({ ...request, ...(isTokenRequest(query) ? { kind: "token_request" } : {}), place: "query" }, query)
  }

  #isIn(text: string): boolean {
    return this.#compiled.isIn(text)
  }

  get #compiled(): SecretSearch {
    return this.#search ??= new SecretSearch([PLACEHOLDER, ...this.exact], PLACEHOLDER)
  }
}
