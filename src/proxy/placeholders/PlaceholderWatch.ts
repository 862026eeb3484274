/** Finds misplaced placeholders in the request heads of one run or sandbox, and reports each kind once for each host. */
import type { MisplacedPlaceholder } from "../../domain/injection/MisplacedPlaceholder.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { SecretSearch } from "../../http/scrub/SecretSearch.ts"
import { type Injection, outsidePlaces } from "../../outbound/HeaderInjection.ts"

/** The client chooses the hosts. */
const MAX_REPORTED = 256

/** Whether a query has the required parameter of every token request (RFC 6749 section 4). */
const isTokenRequest = (query: string): boolean => query.includes("grant_type")

/** A misplaced placeholder, and the request that had it. */
export interface FoundPlaceholder extends MisplacedPlaceholder {
  readonly host: string
  readonly method: string
  readonly provider?: string | undefined
}

/** A request that is searched. */
export type SearchedRequest = Omit<FoundPlaceholder, "place">

export class PlaceholderWatch {
  /** The placeholders without the usual marker. */
  readonly exact: ReadonlyArray<string>
  readonly #found: (found: FoundPlaceholder) => void
  readonly #reported = new Set<string>()
  #search: SecretSearch | undefined

  constructor(exact: ReadonlyArray<string>, found: (found: FoundPlaceholder) => void) {
    this.exact = exact
    this.#found = found
  }

  /** Compiles the search, which takes about a millisecond, before the first request needs it. */
  prepare(): void {
    void this.#compiled
  }

  /** Reports a misplaced placeholder. */
  report(found: FoundPlaceholder): void {
    const key = `${found.kind} ${found.host}`
    if (this.#reported.has(key) || this.#reported.size === MAX_REPORTED) return
    this.#reported.add(key)
    this.#found(found)
  }

  /** Searches a request that gets no credential. */
  searchHead(request: SearchedRequest, headers: ReadonlyArray<string>, target: string): void {
    if (this.#isIn(request.host)) this.report({ ...request, place: "host" })
    for (let i = 1; i < headers.length; i += 2) {
      if (this.#isIn(headers[i]!)) return this.report({ ...request, place: "header" })
    }
    this.#searchTarget(request, target)
  }

  /** Searches path and query of a request with a credential, except for the places of the credential. */
  searchOutside(request: SearchedRequest, target: string, injection: Injection): void {
    if (this.#isIn(target)) this.#searchTarget(request, outsidePlaces(target, injection, isTokenRequest(target)))
  }

  /** Searches the name of a tunnel's host. */
  searchTunnel(host: string): void {
    if (this.#isIn(host)) this.report({ kind: "unmatched", host, method: "CONNECT", place: "host" })
  }

  #searchTarget(request: SearchedRequest, target: string): void {
    const at = target.indexOf("?")
    const query = at === -1 ? "" : target.slice(at)
    if (this.#isIn(at === -1 ? target : target.slice(0, at))) this.report({ ...request, place: "path" })
    if (!this.#isIn(query)) return
    this.report({ ...request, ...(isTokenRequest(query) ? { kind: "token_request" } : {}), place: "query" })
  }

  #isIn(text: string): boolean {
    return this.#compiled.isIn(text)
  }

  get #compiled(): SecretSearch {
    return this.#search ??= new SecretSearch([PLACEHOLDER, ...this.exact], PLACEHOLDER)
  }
}
