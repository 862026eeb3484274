/**
 * Addresses on loopback that stand for hosts of providers: `http://127.0.0.1:PORT/r/<credential>/<host>/…`, for programs
 * that take a base URL but neither a proxy nor a certificate authority.
 *
 * The credential of the run is part of the address. So a browser that is led there has none (D1, D42), everything that could
 * carry the address to the provider is taken out of a request, and a client is told to name the address to nobody.
 */
import { fieldOf, type HeaderPairs } from "../http/HeaderFields.ts"
import { type Authority, formatAuthority, parseAuthority } from "../outbound/Authority.ts"
import { builtins } from "../platform/builtins.ts"
import type { RequestHead } from "./RequestRules.ts"

const PREFIX = "/r/"

export interface Reached {
  readonly authority: Authority
  /** Path and query at the provider. */
  readonly target: string
}

/** How `Refresh` begins (HTML, "shared declarative refresh steps"): the seconds, and what stands before the address. */
const REFRESH = /^[\d.\s]*[;,]\s*url\s*=\s*(["']?)/i

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

  /** As a client may name it. */
  get #authorities(): ReadonlyArray<string> {
    return [`127.0.0.1:${this.#port()}`, `localhost:${this.#port()}`]
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
    // A client that follows a redirect would name the address to whoever it is led to.
    const out: HeaderPairs = ["Referrer-Policy", "no-referrer"]
    for (let i = 0; i < headers.length; i += 2) {
      const [name = "", value = ""] = [headers[i], headers[i + 1]]
      const lower = name.toLowerCase()
      if (lower !== "referrer-policy") out.push(name, this.#rewritten(reached, lower, value))
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

  /** Addressed to us by name, and by no page of another origin, even one that has come to know the address (A1, A3). */
  #isOwn({ headers }: RequestHead): boolean {
    const host = fieldOf(headers, "host")
    const origin = fieldOf(headers, "origin")
    const site = fieldOf(headers, "sec-fetch-site")
    if (host === undefined || !this.#authorities.includes(host)) return false
    return (origin === undefined || origin === `http://${host}`) &&
      (site === undefined || site === "none" || site === "same-origin")
  }
}
