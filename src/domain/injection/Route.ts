/**
 * Finds the provider that a request belongs to.
 *
 * The table is built from definitions and their connections, sent to the proxy unchanged, and compiled there so that a lookup
 * costs one or two map accesses. Nothing is guessed: if two providers match equally, the result is ambiguous and no credential is
 * injected.
 */
import * as Result from "effect/Result"
import {
  canonicalHost,
  coversHost,
  type HostPattern,
  isUnderPath,
  loopbackLiteral,
  parseHostPattern
} from "../definition/HostPattern.ts"
import { folded } from "../rules/RequestPath.ts"
import { uriDecoded } from "../text/PercentEncoding.ts"
import type { Route } from "../wire/ProxyRoutes.ts"

/** The host and path prefix of a route as text, such as `api.example.com/v1`. */
export const hostAndPrefix = ({ host, pathPrefix }: Pick<Route, "host" | "pathPrefix">): string =>
  `${host}${pathPrefix ?? ""}`

/** The result of matching one request. */
export type RouteMatch =
  | { readonly _tag: "Unmatched" }
  /** The request belongs to one provider that is connected, or has a route that needs no connection. */
  | { readonly _tag: "Matched"; readonly route: Route }
  /** The host belongs to providers, but none of them has a connection. */
  | { readonly _tag: "NotConnected"; readonly candidates: ReadonlyArray<Route> }
  /** Several connected providers match equally. */
  | { readonly _tag: "Ambiguous"; readonly candidates: ReadonlyArray<Route> }

export interface RouteMatcher {
  /** Whether any route is on the host: decides at CONNECT whether to intercept the tunnel. */
  readonly claims: (host: string, port: number) => boolean
  /**
   * Matches one request. `path` is the request target; its query is ignored. Where path prefixes matter, a path that
   * servers may interpret in two ways (`..`, encoded slashes) matches only if both interpretations do.
   */
  readonly match: (host: string, port: number, path: string) => RouteMatch
}

interface Entry {
  readonly route: Route
  readonly pattern: HostPattern
}

const unmatched: RouteMatch = { _tag: "Unmatched" }

export const compileRoutes = (routes: ReadonlyArray<Route>): RouteMatcher => {
  const exact = new Map<string, Array<Entry>>()
  const suffixes = new Map<string, Array<Entry>>()
  /** Patterns whose labels before the suffix are not a single `*`. */
  const forms: Array<Entry> = []
  for (const route of routes) {
    // The daemon has already decided whether the table may contain a loopback address.
    const parsed = parseHostPattern(`${route.host}${route.pathPrefix ?? ""}`, { allowInsecureLoopback: true })
    if (Result.isFailure(parsed)) continue
    const pattern = parsed.success
    if (pattern.labels.length > 1) {
      forms.push({ route, pattern })
      continue
    }
    const map = pattern.labels.length === 1 ? suffixes : exact
    const key = `${pattern.host}:${pattern.port}`
    const entries = map.get(key)
    if (entries === undefined) map.set(key, [{ route, pattern }])
    else entries.push({ route, pattern })
  }

  const entriesOf = (host: string, port: number): ReadonlyArray<Entry> => {
    const name = canonicalHost(host)
    if (name === undefined) {
      const literal = loopbackLiteral(host)
      return literal === undefined ? [] : exact.get(`${literal}:${port}`) ?? []
    }
    const here = exact.get(`${name}:${port}`)
    const above = suffixes.size === 0 ? undefined : suffixes.get(`${name.slice(name.indexOf(".") + 1)}:${port}`)
    if (forms.length > 0) {
      const formed = forms.filter(({ pattern }) =>
        coversHost(pattern, { labels: [], host: name, port, pathPrefix: "" })
      )
      return [...here ?? [], ...above ?? [], ...formed]
    }
    return here === undefined ? above ?? [] : above === undefined ? here : [...here, ...above]
  }

  return {
    claims: (host, port) => entriesOf(host, port).length > 0,
    match: (host, port, path) => {
      const entries = entriesOf(host, port)
      return entries.length === 0 ? unmatched : decide(entries, path)
    }
  }
}

/** The path of a request target, without query and fragment. */
export const pathOf = (target: string): string => {
  const at = target.search(/[?#]/)
  return at === -1 ? target : target.slice(0, at)
}

const decide = (entries: ReadonlyArray<Entry>, target: string): RouteMatch => {
  const path = pathOf(target)
  const match = choose(entries, path)
  if (entries.every(({ pattern }) => pattern.pathPrefix === "")) return match
  const other = otherReading(path)
  const open = entries.filter(({ route }) => route.open === true).map(({ route }) => route)
  if (other !== undefined && sameChoice(match, choose(entries, other))) {
    // A server may ignore case and invisible characters. A login must have the same route in that reading.
    if (open.length === 0 || sameChoice(match, choose(entries, folded(other), true))) return match
  }
  // Without a route, a request to an endpoint that issues tokens would pass with a real token in its response.
  return open.length === 0 ? unmatched : { _tag: "Ambiguous", candidates: open }
}

const choose = (entries: ReadonlyArray<Entry>, path: string, inLowerCase = false): RouteMatch => {
  const fitting = prevailing(
    entries.filter(({ pattern: { pathPrefix } }) =>
      isUnderPath(path, inLowerCase ? pathPrefix.toLowerCase() : pathPrefix)
    )
  )
  const connected = fitting.filter(({ route }) => route.connected || route.open === true)
  const equal = mostSpecific(connected.length > 0 ? connected : fitting)
  // Routes with a connection take precedence over open routes. Among connections, the user's own take precedence over
  // logins of programs.
  const held = equal.filter((route) => route.connected)
  const general = held.filter((route) => route.login !== true)
  const best = general.length > 0 ? general : held.length > 0 ? held : equal
  if (best.length === 0) return unmatched
  if (connected.length === 0) return { _tag: "NotConnected", candidates: best }
  // Where programs log in, the daemon finds the provider by the OAuth client of the login.
  const isCertain = best.length === 1 || best.every((route) => route.open === true)
  return isCertain ? { _tag: "Matched", route: best[0]! } : { _tag: "Ambiguous", candidates: best }
}

/**
 * Removes routes of custom providers where a bundled provider has a connection, even an expired one: a definition must not take
 * over that provider's requests by naming a longer path. Routes that the user has confirmed prevail instead.
 */
const prevailing = (fitting: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const bundled = fitting.filter(({ route }) => route.precedence === undefined)
  if (bundled.length === 0 || bundled.length === fitting.length) return fitting
  const confirmed = fitting.filter(({ route }) => route.precedence === "confirmed" && route.connection !== null)
  if (confirmed.length > 0) return confirmed
  const isHeld = bundled.some(({ route }) => route.connection !== null)
  return isHeld || !fitting.some(({ route }) => route.connected) ? bundled : fitting
}

const sameChoice = (left: RouteMatch, right: RouteMatch): boolean =>
  left._tag === "Matched" && right._tag === "Matched"
    ? left.route === right.route
    : left._tag === right._tag

/**
 * The routes of the most specific entries. Exact hosts take precedence over wildcards, fewer wildcards over more, then the
 * longest path prefix.
 */
const mostSpecific = (entries: ReadonlyArray<Entry>): ReadonlyArray<Route> => {
  const rank = ({ pattern }: Entry) =>
    pattern.pathPrefix.length - 1_000_000 * pattern.labels.filter((label) => label === "*").length
  const highest = Math.max(...entries.map(rank))
  return entries.filter((entry) => rank(entry) === highest).map(({ route }) => route)
}

/**
 * The path as the most lenient server reads it: decoded up to three times, without path parameters and repeated slashes.
 * Undefined if a dot segment remains, which could escape any prefix.
 */
const otherReading = (path: string): string | undefined => {
  let reading = path
  for (let round = 0; round < 3; round++) {
    reading = reading.replaceAll(
      /(?:%[0-9a-f]{2})+/gi,
      (code) => uriDecoded(code) ?? code.replaceAll(/%[0-7][0-9a-f]/gi, decodeURIComponent)
    )
  }
  reading = reading.replaceAll("\\", "/").replaceAll(/;[^/]*/g, "").replaceAll(/\/{2,}/g, "/")
  return !reading.startsWith("/") || /\/\.\.?(?:\/|$)|\0/.test(reading) ? undefined : reading
}
