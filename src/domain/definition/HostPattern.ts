/**
 * Parses and matches host patterns of definitions and host names of requests.
 *
 * Names are compared in their canonical form, and text without such a form (an IP address, userinfo, an underscore, a letter
 * outside ASCII) matches nothing. `new URL()` is never consulted first: it turns `api.openai.com%2eevil.com` and
 * full-width letters into valid hosts.
 */
import * as Result from "effect/Result"

/** A destination that may receive a credential: an exact host, or hosts below a suffix, with one port and a path prefix. */
export interface HostPattern {
  /**
   * The labels before `host`, with `*` for any label: `["*"]` for `*.example.com`, which matches exactly one more label
   * and never `example.com` itself. Empty for an exact host.
   */
  readonly labels: ReadonlyArray<string>
  /** The canonical host, or the suffix after the last `*`. */
  readonly host: string
  /** A credential is bound to one port; 443 by default. */
  readonly port: number
  /** A path such as `/a/b`, without a trailing slash, which matches whole segments. Empty for the whole host. */
  readonly pathPrefix: string
}

export interface HostOptions {
  /** Accepts literal loopback addresses, for definitions registered with `--allow-insecure-loopback`. */
  readonly allowInsecureLoopback?: boolean | undefined
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
// oxlint-disable-next-line no-control-regex -- the range rejects letters such as the Kelvin sign, whose lower case is ASCII
const ascii = /^[\u0000-\u007f]*$/

/** Returns the canonical form of a DNS name with at least two labels, or undefined. Drops one trailing dot. */
export const canonicalHost = (text: string): string | undefined => {
  if (!ascii.test(text)) return undefined
  const name = (text.endsWith(".") ? text.slice(0, -1) : text).toLowerCase()
  if (name.length === 0 || name.length > 253) return undefined
  const labels = name.split(".")
  if (labels.length < 2 || !labels.every((part) => label.test(part))) return undefined
  // With a numeric last label, URL parsers read the name as an IPv4 address: 127.1, 2130706433, 0x7f.1.
  return /^(?:\d+|0x[0-9a-f]*)$/.test(labels[labels.length - 1]!) ? undefined : name
}

/**
 * Returns a loopback address in its only accepted spelling, `127.x.y.z` in plain decimal or `[::1]`, and undefined for other
 * text.
 */
export const loopbackLiteral = (text: string): string | undefined => {
  if (text === "[::1]") return text
  const bytes = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  return bytes !== null && bytes.slice(1).every((byte) => String(Number(byte)) === byte && Number(byte) < 256)
    ? text
    : undefined
}

const hostAndPort = (
  authority: string,
  defaultPort: number,
  options: HostOptions
): Result.Result<{ readonly host: string; readonly port: number }, string> => {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority)
  if (parts === null) return Result.fail("must be a host, or a host and a port")
  const port = parts[2] === undefined ? defaultPort : Number(parts[2])
  if (port < 1 || port > 65535) return Result.fail("must have a port from 1 to 65535")
  const text = parts[1]!
  const loopback = loopbackLiteral(text)
  if (loopback !== undefined) {
    return options.allowInsecureLoopback === true
      ? Result.succeed({ host: loopback, port })
      : Result.fail("is a loopback address, which needs --allow-insecure-loopback")
  }
  const host = canonicalHost(text)
  if (host !== undefined) return Result.succeed({ host, port })
  return Result.fail(
    /^\[|^[\d.]+$/.test(text)
      ? "must be a host name instead of an IP address"
      : text.toLowerCase() === "localhost"
      ? "must be 127.0.0.1 with --allow-insecure-loopback instead of localhost"
      : "must be a full DNS name of letters, digits and hyphens"
  )
}

const pathPrefix = (text: string): Result.Result<string, string> => {
  if (text === "") return Result.succeed("")
  const trimmed = text.replace(/\/$/, "")
  if (trimmed === "") return Result.succeed("")
  return /^(?:\/[A-Za-z0-9_~!$&'()*+,;=:@-][A-Za-z0-9._~!$&'()*+,;=:@-]*)+$/.test(trimmed)
    ? Result.succeed(trimmed)
    : Result.fail("must not have a path segment that is empty, is percent-encoded or begins with a dot")
}

/** The wildcard labels of an entry. The named labels give the region and service of AWS signatures. */
const anyLabel = /^(?:\*|\{region\}|\{service\})$/

/** Splits an authority after its last wildcard label. Returns undefined if another label is invalid. */
const splitLabels = (
  authority: string
): { readonly labels: ReadonlyArray<string>; readonly name: string } | undefined => {
  const parts = authority.split(".")
  const last = parts.findLastIndex((part) => anyLabel.test(part))
  const labels = parts.slice(0, last + 1).map((part) => anyLabel.test(part) ? "*" : part.toLowerCase())
  return labels.every((part) => part === "*" || label.test(part))
    ? { labels, name: parts.slice(last + 1).join(".") }
    : undefined
}

/**
 * Parses `host`, `*.suffix`, `host:8443` or `host/path/prefix`, and hosts with further wildcard labels, such
 * as `*.s3.{region}.amazonaws.com`. The failure completes a sentence about the entry.
 */
export const parseHostPattern = (text: string, options: HostOptions = {}): Result.Result<HostPattern, string> => {
  if (text.startsWith("regex:") || /[\^$|\\()[\]]/.test(text.replace(/^\[::1\]/, ""))) {
    return Result.fail("looks like a regular expression; list the hosts instead")
  }
  const slash = text.indexOf("/")
  const authority = slash === -1 ? text : text.slice(0, slash)
  const split = splitLabels(authority)
  if (split === undefined || split.name.includes("*")) {
    return Result.fail("may contain * only as a whole label, as in *.example.com")
  }
  const { labels, name } = split
  if (labels.length > 0 && loopbackLiteral(name.replace(/:\d+$/, "")) !== undefined) {
    return Result.fail("must not have a wildcard before an IP address")
  }
  // Avoids `Result.gen`: the daemon parses hundreds of patterns at startup, before the code is compiled by V8.
  const where = hostAndPort(name, 443, options)
  if (Result.isFailure(where)) return Result.fail(where.failure)
  const prefix = pathPrefix(slash === -1 ? "" : text.slice(slash))
  if (Result.isFailure(prefix)) return Result.fail(prefix.failure)
  return Result.succeed({ labels, ...where.success, pathPrefix: prefix.success })
}

const allLabels = ({ host, labels }: HostPattern): ReadonlyArray<string> => [...labels, ...host.split(".")]

const matchesLabels = (
  pattern: ReadonlyArray<string>,
  given: ReadonlyArray<string>,
  matches: (label: string, other: string) => boolean
): boolean => pattern.length === given.length && pattern.every((label, index) => matches(label, given[index]!))

/** Tells whether a pattern, in the notation of `formatHost` without port, matches a canonical host. */
export const matchesHost = (pattern: string, host: string): boolean =>
  pattern.includes("*")
    ? matchesLabels(pattern.split("."), host.split("."), (label, other) => label === "*" || label === other)
    : pattern === host

/** Returns the domain that contains all hosts of a pattern: `x.y` for `*.x.y`. */
export const patternSuffix = (pattern: string): string =>
  pattern.includes("*") ? pattern.slice(pattern.lastIndexOf("*") + 1).replace(/^\./, "") : pattern

export const coversHost = (pattern: HostPattern, other: HostPattern): boolean =>
  pattern.port === other.port &&
  matchesLabels(allLabels(pattern), allLabels(other), (label, given) => label === "*" || label === given)

/** Whether a path is at or below a prefix, by whole segments. */
export const isUnderPath = (path: string, prefix: string): boolean =>
  prefix === "" || (path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/"))

export const patternsOverlap = (one: HostPattern, other: HostPattern): boolean =>
  one.port === other.port &&
  matchesLabels(
    allLabels(one),
    allLabels(other),
    (label, given) => label === "*" || given === "*" || label === given
  ) &&
  (isUnderPath(one.pathPrefix, other.pathPrefix) || isUnderPath(other.pathPrefix, one.pathPrefix))

/** The host in the notation of the routing table: `api.example.com`, `*.example.com`, `example.com:8443`. */
export const formatHost = (pattern: HostPattern): string =>
  `${allLabels(pattern).join(".")}${pattern.port === 443 ? "" : `:${pattern.port}`}`

/** Removes the port from a host in this notation. */
export const withoutPort = (host: string): string => host.includes(":") ? host.replace(/:\d+$/, "") : host

/** The parts of a URL, not normalized. */
interface Address {
  readonly scheme: "https" | "http"
  readonly host: string
  readonly port: number
  /** Path, query and fragment. */
  readonly rest: string
}

/** Parses an https URL, or an http URL on a loopback literal if allowed. Rejects userinfo, spaces and backslashes. */
export const parseAddress = (text: string, options: HostOptions = {}): Result.Result<Address, string> => {
  const parts = /^(https?):\/\/([^/?#]*)([/?#][\u0021-\u005b\u005d-\u007e]*)?$/i.exec(text)
  if (parts === null) {
    return Result.fail(
      /^[a-z][a-z0-9+.-]*:/i.test(text) ? "must be an https URL" : "must be an absolute https URL"
    )
  }
  const scheme = parts[1]!.toLowerCase() as "https" | "http"
  const authority = parts[2]!
  if (authority.includes("@")) return Result.fail("must not contain a user name")
  const where = hostAndPort(authority, scheme === "https" ? 443 : 80, options)
  if (Result.isFailure(where)) return Result.fail(where.failure.replace("must be", "must have"))
  return scheme === "http" && loopbackLiteral(where.success.host) === undefined
    ? Result.fail("must be an https URL")
    : Result.succeed({ scheme, ...where.success, rest: parts[3] ?? "" })
}

const defaultPort = (scheme: "https" | "http"): number => (scheme === "https" ? 443 : 80)

/** A base URL in canonical form: no query, no fragment, no trailing slash. */
export interface BaseUrl {
  readonly href: string
  readonly host: string
  readonly port: number
  readonly path: string
}

export const parseBaseUrl = (text: string, options: HostOptions = {}): Result.Result<BaseUrl, string> =>
  Result.gen(function*() {
    const address = yield* parseAddress(text, options)
    if (/[?#]/.test(address.rest)) return yield* Result.fail("must not have a query or a fragment")
    const path = yield* pathPrefix(address.rest)
    const port = address.port === defaultPort(address.scheme) ? "" : `:${address.port}`
    return { href: `${address.scheme}://${address.host}${port}${path}`, host: address.host, port: address.port, path }
  })

export const isBaseUrlTemplate = (text: string): boolean => /[{}]/.test(text)

const placeName = /\{([a-z][a-z0-9_]*)\}/g

/** Parses a template of a base URL. Each placeholder must be a whole host label or a whole path segment. */
export const parseBaseUrlTemplate = (text: string, options: HostOptions = {}): Result.Result<BaseUrl, string> =>
  parseBaseUrl(text.replaceAll(placeName, "xtemplatex"), options).pipe(
    Result.flatMap((base) => {
      const places = [...text.matchAll(placeName)].length
      const whole = `${base.host}${base.path}`.split(/[./]/).filter((part) => part === "xtemplatex").length
      return places === whole && !/[{}]/.test(text.replaceAll(placeName, ""))
        ? Result.succeed(base)
        : Result.fail("must use each placeholder as a whole host label or a whole path segment")
    })
  )

/** The fixed part of a template's host after its last placeholder: `example.com` for `https://{tenant}.example.com`. */
export const templateSuffix = (template: string): string => {
  const authority = /^https?:\/\/([^/:]*)/i.exec(template)?.[1] ?? ""
  return authority.slice(authority.lastIndexOf("}") + 1).replace(/^\./, "").toLowerCase()
}

const originLabels = (origin: string): ReadonlyArray<string> =>
  origin.replace(/^https?:\/\//i, "").toLowerCase().split(".")

const fills = (template: ReadonlyArray<string>, given: ReadonlyArray<string>): boolean =>
  template.length === given.length &&
  template.every((part, index) => part === given[index] || /^\{[a-z][a-z0-9_]*\}$/.test(part))

/** Whether a URL matches the template: one LDH label or one plain segment per placeholder, the rest equal. */
export const fillsTemplate = (template: string, base: BaseUrl): boolean => {
  const expected = /^(https?):\/\/([^/]*)(.*?)\/?$/i.exec(template)
  const given = /^(https?):\/\/([^/]*)(.*)$/.exec(base.href)
  return expected !== null && given !== null && expected[1]!.toLowerCase() === given[1] &&
    fills(originLabels(expected[2]!), originLabels(given[2]!)) && fills(expected[3]!.split("/"), given[3]!.split("/"))
}
