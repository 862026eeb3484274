/**
 * Addresses on loopback that stand for hosts of providers: `http://127.0.0.1:PORT/r/<credential>/<host>/…`, for programs
 * that take a base URL but neither a proxy nor a certificate authority.
 *
 * The credential of the run is part of the address. So a browser that is led there has none (D1, D42), and everything
 * that could carry the address to the provider is taken out of a request.
 */
import { type Authority, formatAuthority, parseAuthority } from "../outbound/Authority.ts"
import { builtins } from "../platform/builtins.ts"
import { fieldOf } from "./Fields.ts"
import type { HeaderPairs } from "./HeaderInjection.ts"
import type { RequestHead } from "./RequestRules.ts"

const PREFIX = "/r/"

export interface Reached {
  readonly authority: Authority
  /** Path and query at the provider. */
  readonly target: string
}

/** Headers that say which page a request comes from. */
const SOURCE_HEADERS: ReadonlySet<string> = new Set(["origin", "referer"])
const ADDRESS_HEADERS: ReadonlySet<string> = new Set(["location", "content-location"])

export class ReverseRoute {
  readonly #credential: string
  readonly #expected: Buffer
  readonly #port: () => number

  constructor(credential: string, port: () => number) {
    this.#credential = credential
    this.#expected = Buffer.from(credential)
    this.#port = port
  }

  /** Without a slash at its end; a host and a path follow. */
  get base(): string {
    return `http://127.0.0.1:${this.#port()}${PREFIX}${this.#credential}`
  }

  /** Where a request is to go; undefined when it must not be answered, without a reason that a stranger could use. */
  read(request: RequestHead): Reached | undefined {
    const { target: url } = request
    if (!url.startsWith(PREFIX) || url.includes("#")) return undefined
    const end = url.indexOf("/", PREFIX.length)
    if (end === -1 || !this.#isCredential(url.slice(PREFIX.length, end)) || !this.#isOwn(request)) return undefined
    const rest = url.slice(end + 1)
    const slash = rest.search(/[/?]/)
    const authority = parseAuthority(slash === -1 ? rest : rest.slice(0, slash), 443)
    if (authority === undefined) return undefined
    const after = slash === -1 ? "" : rest.slice(slash)
    const target = after.startsWith("/") ? after : `/${after}`
    return target.includes(this.#credential) ? undefined : { authority, target }
  }

  /** The headers of a request without those that tell the address. */
  headers(raw: ReadonlyArray<string>): Array<string> {
    const kept: Array<string> = []
    for (let i = 0; i < raw.length; i += 2) {
      const [name = "", value = ""] = [raw[i], raw[i + 1]]
      if (!SOURCE_HEADERS.has(name.toLowerCase()) && !value.includes(this.#credential)) kept.push(name, value)
    }
    return kept
  }

  /** The headers of a response, in which an address at the same host leads through the route again. */
  returned({ authority, target }: Reached, headers: HeaderPairs): HeaderPairs {
    return headers.map((value, at) => {
      const name = at % 2 === 1 ? headers[at - 1]?.toLowerCase() ?? "" : ""
      if (ADDRESS_HEADERS.has(name)) return this.#through(authority, value, target)
      if (name !== "link") return value
      return value.replace(/<([^<>]*)>/g, (_, address: string) => `<${this.#through(authority, address, target)}>`)
    })
  }

  #through(authority: Authority, address: string, target: string): string {
    const own = `https://${formatAuthority(authority, 443)}`
    if (!URL.canParse(address, own + target)) return address
    const { hash, origin, pathname, search } = new URL(address, own + target)
    return origin === own ? `${this.base}${own.slice("https:/".length)}${pathname}${search}${hash}` : address
  }

  #isCredential(given: string): boolean {
    const offered = Buffer.from(given)
    return offered.length === this.#expected.length && builtins.crypto.timingSafeEqual(offered, this.#expected)
  }

  /** Addressed to us by name, and by no page of another origin, even one that has come to know the address (A1, A3). */
  #isOwn({ headers }: RequestHead): boolean {
    const host = fieldOf(headers, "host")
    const origin = fieldOf(headers, "origin")
    const site = fieldOf(headers, "sec-fetch-site")
    if (host !== `127.0.0.1:${this.#port()}` && host !== `localhost:${this.#port()}`) return false
    return (origin === undefined || origin === `http://${host}`) &&
      (site === undefined || site === "none" || site === "same-origin")
  }
}
