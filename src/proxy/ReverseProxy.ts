/**
 * Addresses on loopback that stand for hosts of providers: `http://127.0.0.1:PORT/r/<credential>/<host>/…`, for programs
 * that take a base URL but neither a proxy nor a certificate authority.
 *
 * The credential of the run is part of the address. Other users can read it in the process list, so on Linux the caller
 * must be a process of the run's user as well (`RunAdmission`). All providers share the origin of the address, so no browser
 * may load a document from it: one provider's page could use the credentials of another. Everything that could carry the
 * address to a provider is removed from requests, and responses tell clients to pass the address on to nobody.
 */
import { fieldOf, type HeaderPairs } from "../http/HeaderFields.ts"
import { type Authority, formatAuthority, parseAuthority } from "../outbound/Authority.ts"
import { builtins } from "../platform/builtins.ts"
import type { RequestHead } from "./RequestRules.ts"

const PREFIX = "/r/"

export interface Reached {
  readonly _tag: "Reached"
  readonly authority: Authority
  /** Path and query at the provider. */
  readonly target: string
}

/** A request that gets an empty 404: a stranger learns nothing from it. The reason is for the log of the run. */
export interface Unreachable {
  readonly _tag: "Unreachable"
  readonly reason: string
}

const unreachable = (reason: string): Unreachable => ({ _tag: "Unreachable", reason })

/** An address of the route of any run, followed by host and path. */
const ADDRESS = /^http:\/\/(?:127\.0\.0\.1|localhost):\d+\/r\/[\w-]{43}\/(?=[^/])/

/**
 * An environment in which addresses of a run around this one are the providers' own again. That run would ignore which
 * providers and connections this one is told to use.
 */
export const withOriginalAddresses = (
  environment: Readonly<Record<string, string | undefined>>
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value?.replace(ADDRESS, "https://")])
  )

/** Header fields of a response that name the address of a page to others, or that `PROTECTION` replaces. */
const WITHHELD: ReadonlySet<string> = new Set([
  "content-security-policy",
  "content-security-policy-report-only",
  "nel",
  "referrer-policy",
  "report-to",
  "reporting-endpoints"
])

/**
 * Header fields of every response. A document would have an origin of its own, run no script and load nothing, should a browser
 * show it after all; a client that follows a redirect does not name the address to the host it is led to.
 */
export const PROTECTION: ReadonlyArray<string> = [
  "Content-Security-Policy",
  "sandbox; default-src 'none'",
  "Referrer-Policy",
  "no-referrer"
]

/** How `Refresh` begins (HTML, "shared declarative refresh steps"): the seconds, and what stands before the address. */
const REFRESH = /^[\d.\s]*[;,]\s*url\s*=\s*(["']?)/i

export class ReverseRoute {
  /** Not that of the forward proxy, which admits whoever presents it. */
  readonly #credential: string = builtins.crypto.randomBytes(32).toString("base64url")
  readonly #expected = Buffer.from(this.#credential)
  readonly #port: () => number

  constructor(port: () => number) {
    this.#port = port
  }

  /** Without a slash at its end; a host and a path follow. */
  get base(): string {
    return `http://127.0.0.1:${this.#port()}${PREFIX}${this.#credential}`
  }

  /** As a client may name it. */
  get #authorities(): ReadonlyArray<string> {
    return [`127.0.0.1:${this.#port()}`, `localhost:${this.#port()}`]
  }

  /** Where a request is to go. */
  read(request: RequestHead): Reached | Unreachable {
    const { target: url } = request
    if (!url.startsWith(PREFIX) || url.includes("#")) return unreachable("not an address of CREDSVC_BASE_URL")
    const end = url.indexOf("/", PREFIX.length)
    if (end === -1 || !this.#isCredential(url.slice(PREFIX.length, end))) {
      return unreachable("the address is not that of this run")
    }
    const browser = this.#browserProblem(request)
    if (browser !== undefined) return unreachable(browser)
    const rest = url.slice(end + 1)
    const slash = rest.search(/[/?]/)
    const authority = parseAuthority(slash === -1 ? rest : rest.slice(0, slash), 443)
    if (authority === undefined) return unreachable("CREDSVC_BASE_URL must be followed by a valid host")
    const after = slash === -1 ? "" : rest.slice(slash)
    const target = after.startsWith("/") ? after : `/${after}`
    return target.includes(this.#credential)
      ? unreachable("the rest of the address contains the credential of the run")
      : { _tag: "Reached", authority, target }
  }

  /**
   * The headers of a request without those that tell the address, as `Referer` and `Origin` do: also of one that came another
   * way, to where the client was led.
   */
  headers(raw: ReadonlyArray<string>): HeaderPairs {
    const names = [this.#credential, ...this.#authorities]
    const kept: HeaderPairs = []
    for (let i = 0; i < raw.length; i += 2) {
      const [name = "", value = ""] = [raw[i], raw[i + 1]]
      if (!names.some((told) => value.includes(told))) kept.push(name, value)
    }
    return kept
  }

  /** The headers of a response, in which an address at the same host leads through the route again. */
  returned(reached: Reached, headers: HeaderPairs): HeaderPairs {
    const out: HeaderPairs = [...PROTECTION]
    for (let i = 0; i < headers.length; i += 2) {
      const [name = "", value = ""] = [headers[i], headers[i + 1]]
      const lower = name.toLowerCase()
      if (!WITHHELD.has(lower)) out.push(name, this.#rewritten(reached, lower, value))
    }
    return out
  }

  #rewritten(reached: Reached, name: string, value: string): string {
    switch (name) {
      case "location":
      case "content-location":
        return this.#through(reached, value)
      case "link":
        return value.replace(/<([^<>]*)>/g, (_, address: string) => `<${this.#through(reached, address)}>`)
      case "refresh": {
        const [before, quote] = REFRESH.exec(value) ?? []
        if (before === undefined) return value
        const rest = value.slice(before.length)
        const end = quote === "" ? -1 : rest.indexOf(quote ?? "")
        const address = end === -1 ? rest : rest.slice(0, end)
        return before + this.#through(reached, address) + rest.slice(address.length)
      }
      default:
        return value
    }
  }

  #through({ authority, target }: Reached, address: string): string {
    const own = `https://${formatAuthority(authority, 443)}`
    if (!URL.canParse(address, own + target)) return address
    const { hash, origin, pathname, search } = new URL(address, own + target)
    return origin === own ? `${this.base}${own.slice("https:/".length)}${pathname}${search}${hash}` : address
  }

  #isCredential(given: string): boolean {
    const offered = Buffer.from(given)
    return offered.length === this.#expected.length && builtins.crypto.timingSafeEqual(offered, this.#expected)
  }

  /**
   * Why a request may come from a web page, including a page of this very origin. `Sec-Fetch-Dest` other than `empty` is a
   * document, frame, script or the like (Fetch Metadata, section 2.1); programs send `empty` or none.
   */
  #browserProblem({ headers }: RequestHead): string | undefined {
    const host = fieldOf(headers, "host")
    const origin = fieldOf(headers, "origin")
    const site = fieldOf(headers, "sec-fetch-site")
    const destination = fieldOf(headers, "sec-fetch-dest")
    if (host === undefined || !this.#authorities.includes(host)) return "the Host header names another address"
    if (origin !== undefined && origin !== `http://${host}`) return "a page of another origin sent it"
    if (site !== undefined && site !== "none" && site !== "same-origin") return "a page of another site sent it"
    if (destination !== undefined && destination !== "empty") return "a browser would show or run the response"
    return undefined
  }
}
