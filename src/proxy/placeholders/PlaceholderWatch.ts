/** Finds misplaced placeholders in the requests of one run or sandbox, and reports each kind once for each host. */
import type { MisplacedPlaceholder } from "../../domain/MisplacedPlaceholder.ts"
import { PLACEHOLDER } from "../../domain/Placeholder.ts"
import { SecretFilter } from "../../http/scrub/SecretFilter.ts"
import { SecretSearch } from "../../http/scrub/SecretSearch.ts"
import { WebSocketFilter } from "../../http/scrub/WebSocketFilter.ts"
import { type Injection, outsidePlaces } from "../../outbound/HeaderInjection.ts"
import type { Refusal } from "../ErrorResponse.ts"
import { BodySearch, isTokenRequest } from "./BodySearch.ts"

/** The client chooses the hosts. */
const MAX_REPORTED = 256
/** How much of the messages that a client sends over one WebSocket is searched. */
const MAX_MESSAGE_BYTES = 256 * 1024
/** How much of a tunnel is searched: the client's part of a TLS handshake, or the head of an unencrypted request. */
const MAX_TUNNEL_BYTES = 4 * 1024

/** A misplaced placeholder, and the request that had it. */
export interface FoundPlaceholder extends MisplacedPlaceholder {
  readonly host: string
  readonly method: string
  readonly provider?: string | undefined
}

/** A request that is searched. */
export type SearchedRequest = Omit<FoundPlaceholder, "place">

export class PlaceholderWatch {
  readonly #exact: ReadonlyArray<string>
  readonly #found: (found: FoundPlaceholder) => Refusal | undefined
  readonly #reported = new Set<string>()
  #search: SecretSearch | undefined

  /** Why requests get no credential any more; undefined if they do. */
  refusal: Refusal | undefined

  /** `exact`: the placeholders without the usual marker. `found` returns a refusal if it ends the use of credentials. */
  constructor(exact: ReadonlyArray<string>, found: (found: FoundPlaceholder) => Refusal | undefined) {
    this.#exact = exact
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
    this.refusal = this.#found(found) ?? this.refusal
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

  /** Searches the beginning of a body. */
  searchBody(request: () => SearchedRequest, headers: ReadonlyArray<string>): BodySearch {
    return new BodySearch(this.#compiled, headers, (isTokenRequest) => {
      const { kind, ...rest } = request()
      this.report({ ...rest, kind: isTokenRequest ? "token_request" : kind, place: "body" })
    })
  }

  /** Searches the first messages that a client sends. Returns a function that receives what the client sends. */
  searchMessages(request: SearchedRequest, deflate: boolean): (bytes: Buffer) => void {
    let left = MAX_MESSAGE_BYTES
    const filter = new WebSocketFilter(() => this.#compiled, deflate, () => {
      this.report({ ...request, place: "message" })
      filter.destroy()
    })
    filter.on("error", () => {})
    filter.resume()
    return (bytes) => {
      if (left === 0 || filter.destroyed) return
      left = Math.max(0, left - bytes.length)
      filter.write(bytes)
      if (left === 0) filter.end()
    }
  }

  /**
   * Searches the name of a tunnel's host. Returns a function that receives what the client sends, and returns whether more is to be
   * searched.
   */
  searchTunnel(host: string): (bytes: Buffer) => boolean {
    const request = { kind: "unmatched", host, method: "CONNECT" } as const
    if (this.#isIn(host)) this.report({ ...request, place: "host" })
    let left = MAX_TUNNEL_BYTES
    const filter = new SecretFilter(() => this.#compiled, () => this.report({ ...request, place: "message" }))
    return (bytes) => {
      const part = bytes.subarray(0, left)
      left -= part.length
      filter.write(part)
      if (left === 0) filter.end()
      return left > 0
    }
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
    return this.#search ??= new SecretSearch([PLACEHOLDER, ...this.#exact], PLACEHOLDER)
  }
}
