/**
 * Loopback base URLs for the hosts of providers: `http://127.0.0.1:PORT/r/<credential>/<host>/…`, for programs that accept a base
 * URL but neither a proxy nor a certificate authority.
 *
 * Other users can read the URL, which contains the credential of the run, in the process list. So on Linux the client must also
 * be a process of the run's user (`RunAdmission`). All providers share the URL's origin, so browsers must not load documents from
 * it: a page of one provider could use the credentials of another. Nothing may disclose the URL to a provider.
 *
 * The proxy removes cookies. A client would send a provider's cookies to all others and to every other port of this machine (RFC
 * 6265 section 8.5). It would also send the cookies of other local servers to the providers.
 */
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { isConnectionName } from "../../domain/wire/Names.ts"
import { fieldOf, fieldsThat, type HeaderPairs } from "../../http/HeaderFields.ts"
import type { ServerRequest } from "../../http/http1/ServerRequest.ts"
import { type Authority, formatAuthority, parseAuthority } from "../../outbound/Authority.ts"
import { builtins } from "../../platform/builtins.ts"
import { isSameSecret } from "../../platform/Digest.ts"

const PREFIX = "/r/"

export interface ReachedUrl {
  readonly authority: Authority
  readonly target: string
  /** The connection before the host, as in `work@api.example.com`. */
  readonly connection?: ConnectionName | undefined
}

/** Matches the base URL of any run, up to the host. */
const ADDRESS = /^http:\/\/(?:127\.0\.0\.1|localhost):\d+\/r\/[\w-]{43}\/(?=[^/])/

/** Replaces base URLs of an outer run with the providers' own URLs, because the outer run may use other connections. */
export const withOriginalAddresses = (
  environment: Readonly<Record<string, string | undefined>>
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value?.replace(ADDRESS, "https://")]))

/** Response fields that are removed: they concern all servers of this machine or documents in browsers, or `PROTECTION` replaces them. */
const WITHHELD: ReadonlySet<string> = new Set((
  "clear-site-data content-security-policy content-security-policy-report-only nel referrer-policy refresh report-to " +
  "reporting-endpoints set-cookie"
).split(" "))

/** The fields of every response. With them, browsers run no scripts, load nothing, and send no `Referer` with the URL. */
export const PROTECTION: ReadonlyArray<string> = [
  "Content-Security-Policy",
  "sandbox; default-src 'none'",
  "Referrer-Policy",
  "no-referrer"
]

export class BaseUrlRoute {
  /** The credential in base URLs. The forward proxy has another one, which admits clients of any user. */
  readonly #credential: string = builtins.crypto.randomBytes(32).toString("base64url")
  readonly #expected = Buffer.from(this.#credential)
  readonly #port: () => number

  constructor(port: () => number) {
    this.#port = port
  }

  get base(): string {
    return `http://127.0.0.1:${this.#port()}${PREFIX}${this.#credential}`
  }

  get #authorities(): ReadonlyArray<string> {
    return [`127.0.0.1:${this.#port()}`, `localhost:${this.#port()}`]
  }

  /**
   * Reads a request to a base URL. For a rejected request, returns the reason as a string, for the log of the run. The client gets an
   * empty 404, which discloses nothing.
   */
  read(request: Pick<ServerRequest, "headers" | "target">): ReachedUrl | string {
    const { target: url } = request
    if (!url.startsWith(PREFIX) || url.includes("#")) return "the URL does not begin with CREDSVC_BASE_URL"
    const end = url.indexOf("/", PREFIX.length)
    if (end === -1 || !this.#isCredential(url.slice(PREFIX.length, end))) {
      return "the URL belongs to another run"
    }
    const problem = this.#browserProblem(request)
    if (problem !== undefined) return problem
    const rest = url.slice(end + 1)
    const slash = rest.search(/[/?]/)
    const place = slash === -1 ? rest : rest.slice(0, slash)
    const at = place.lastIndexOf("@")
    const authority = parseAuthority(place.slice(at + 1), 443)
    const connection = at === -1 ? undefined : place.slice(0, at).replaceAll("%40", "@")
    if (authority === undefined || (connection !== undefined && !isConnectionName(connection))) {
      return "CREDSVC_BASE_URL must be followed by a valid host"
    }
    const after = slash === -1 ? "" : rest.slice(slash)
    const target = after.startsWith("/") ? after : `/${after}`
    return target.includes(this.#credential)
      ? "the path or query contains the credential of the run"
      : { authority, target, connection }
  }

  /** Removes header fields that contain the base URL. Also for the forward proxy, because a redirect can lead a client there. */
  headers(raw: ReadonlyArray<string>): HeaderPairs {
    const names = [this.#credential, ...this.#authorities]
    return fieldsThat(raw, (_, value) => !names.some((disclosed) => value.includes(disclosed)))
  }

  /** The fields of a request to a base URL, as `headers` returns them and without cookies. */
  sent(raw: ReadonlyArray<string>): HeaderPairs {
    return fieldsThat(this.headers(raw), (name) => name !== "cookie")
  }

  /** Rewrites URLs of the reached host in response header fields to the base URL, and adds `PROTECTION`. */
  returned(reached: ReachedUrl, headers: HeaderPairs): HeaderPairs {
    const out: HeaderPairs = [...PROTECTION]
    for (let i = 0; i < headers.length; i += 2) {
      const [name = "", value = ""] = [headers[i], headers[i + 1]]
      const lower = name.toLowerCase()
      if (!WITHHELD.has(lower)) out.push(name, this.#rewritten(reached, lower, value))
    }
    return out
  }

  #rewritten(reached: ReachedUrl, name: string, value: string): string {
    switch (name) {
      case "location":
      case "content-location":
        return this.#through(reached, value)
      case "link":
        return value.replace(/<([^<>]*)>/g, (_, address: string) => `<${this.#through(reached, address)}>`)
      default:
        return value
    }
  }

  /** The base URL for a URL of the reached host. Other URLs become absolute, because the client would resolve them against the base URL. */
  #through({ authority, connection, target }: ReachedUrl, address: string): string {
    const own = `https://${formatAuthority(authority, 443)}`
    if (!URL.canParse(address, own + target)) return address
    const { hash, href, origin, pathname, protocol, search } = new URL(address, own + target)
    if (origin !== own) return /^https?:$/.test(protocol) ? href : address
    const name = connection === undefined ? "" : `${connection.replaceAll("@", "%40")}@`
    return `${this.base}/${name}${own.slice("https://".length)}${pathname}${search}${hash}`
  }

  #isCredential(given: string): boolean {
    return isSameSecret(given, this.#expected)
  }

  /** Rejects requests of pages of other origins, and requests for content that a browser would display or execute. */
  #browserProblem({ headers }: Pick<ServerRequest, "headers">): string | undefined {
    const host = fieldOf(headers, "host")
    const origin = fieldOf(headers, "origin")
    const site = fieldOf(headers, "sec-fetch-site")
    const destination = fieldOf(headers, "sec-fetch-dest")
    if (host === undefined || !this.#authorities.includes(host)) {
      return "the Host header does not match the proxy's address"
    }
    if (origin !== undefined && origin !== `http://${host}`) return "a page of another origin sent the request"
    if (site !== undefined && site !== "none" && site !== "same-origin") {
      return "a page of another site sent the request"
    }
    if (destination !== undefined && destination !== "empty") return "a browser would display or execute the response"
    return undefined
  }
}
