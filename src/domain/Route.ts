/**
 * Which provider a request belongs to.
 *
 * The table is made from the definitions and their connections, sent to the proxy as it is, and compiled there for
 * look-ups that cost one or two map accesses. No rule here guesses: what two providers claim with equal right is
 * ambiguous, and nothing is injected.
 */
import * as Result from "effect/Result"
import type { ConnectionName } from "./Connection.ts"
import {
  canonicalHost,
  coversHost,
  fillsTemplate,
  formatHost,
  type HostOptions,
  type HostPattern,
  isBaseUrlTemplate,
  isUnderPath,
  loopbackLiteral,
  parseAddress,
  parseBaseUrl,
  parseHostPattern
} from "./HostPattern.ts"
import { definedBaseUrl, type ProviderDefinition, type ProviderName } from "./Provider.ts"

/** One row of the routing table. */
export interface Route {
  /** `api.example.com`, `*.example.com` or `example.com:8443`. */
  readonly host: string
  /** `/a/b`, or null for the whole host. */
  readonly pathPrefix: string | null
  readonly provider: ProviderName
  /** The connection that answers for the host; null when the provider has none. */
  readonly connection: ConnectionName | null
  readonly connected: boolean
  /**
   * Absent for a bundled provider. A route of a custom provider yields to a bundled provider that has a connection, however
   * specific it is; one that the user has confirmed takes precedence over it.
   */
  readonly precedence?: "custom" | "confirmed"
}

/** The host and the path prefix of a route as text, such as `api.example.com/v1`. */
export const placeOf = ({ host, pathPrefix }: Pick<Route, "host" | "pathPrefix">): string =>
  `${host}${pathPrefix ?? ""}`

/** What the table says about one request. */
export type RouteMatch =
  | { readonly _tag: "Unmatched" }
  /** One connected provider. */
  | { readonly _tag: "Matched"; readonly route: Route }
  /** The host belongs to these providers, and none has a connection. */
  | { readonly _tag: "NotConnected"; readonly candidates: ReadonlyArray<Route> }
  /** Several connected providers, none more specific than the others. */
  | { readonly _tag: "Ambiguous"; readonly candidates: ReadonlyArray<Route> }

export interface RouteMatcher {
  /** Whether any route lies on the host: decides at CONNECT whether the tunnel is intercepted. */
  readonly claims: (host: string, port: number) => boolean
  /**
   * The route of one request. `path` is the request target; its query is ignored. Where path prefixes decide, a path
   * that servers may read in two ways (`..`, encoded slashes) has a route only if both readings lead to it.
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
  for (const route of routes) {
    // The daemon has decided already whether a loopback address may be in the table.
    const parsed = parseHostPattern(`${route.host}${route.pathPrefix ?? ""}`, { allowInsecureLoopback: true })
    if (Result.isFailure(parsed)) continue
    const pattern = parsed.success
    const map = pattern.wildcard ? suffixes : exact
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

/** Of a request's target: without query and fragment. */
export const pathOf = (target: string): string => {
  const at = target.search(/[?#]/)
  return at === -1 ? target : target.slice(0, at)
}

const decide = (entries: ReadonlyArray<Entry>, target: string): RouteMatch => {
  const path = pathOf(target)
  const match = choose(entries, path)
  if (entries.every(({ pattern }) => pattern.pathPrefix === "")) return match
  const other = otherReading(path)
  return other !== undefined && sameChoice(match, choose(entries, other)) ? match : unmatched
}

const choose = (entries: ReadonlyArray<Entry>, path: string): RouteMatch => {
  const fitting = prevailing(entries.filter(({ pattern }) => isUnderPath(path, pattern.pathPrefix)))
  const connected = fitting.filter(({ route }) => route.connected)
  const best = mostSpecific(connected.length > 0 ? connected : fitting)
  if (best.length === 0) return unmatched
  if (connected.length === 0) return { _tag: "NotConnected", candidates: best }
  return best.length === 1 ? { _tag: "Matched", route: best[0]! } : { _tag: "Ambiguous", candidates: best }
}

/**
 * Without the routes of custom providers where a bundled provider has a connection, be it one that has expired: a
 * definition must not be able to take over its requests by naming a longer path. Routes that the user has confirmed prevail
 * instead.
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

/** An exact host before a wildcard, then the longest path prefix. */
const mostSpecific = (entries: ReadonlyArray<Entry>): ReadonlyArray<Route> => {
  const rank = ({ pattern }: Entry) => (pattern.wildcard ? 0 : 1_000_000) + pattern.pathPrefix.length
  const highest = Math.max(...entries.map(rank))
  return entries.filter((entry) => rank(entry) === highest).map(({ route }) => route)
}

/**
 * The path as the most lenient server reads it: separators and dots decoded, twice if need be, path parameters and
 * repeated slashes gone. Undefined when that leaves a dot segment, which could lead out of any prefix.
 */
const otherReading = (path: string): string | undefined => {
  let reading = path
  for (let round = 0; round < 3; round++) {
    reading = reading.replaceAll(/%(?:2e|2f|5c|3b|25)/gi, (code) => decodeURIComponent(code))
  }
  reading = reading.replaceAll("\\", "/").replaceAll(/;[^/]*/g, "").replaceAll(/\/{2,}/g, "/")
  return !reading.startsWith("/") || /\/\.\.?(?:\/|$)|%00/.test(reading) ? undefined : reading
}

const baseUrlPlace = "{base_url}"

/** Puts the tenant's address in the place of `{base_url}`; undefined when there is a place and no address. */
export const expandBaseUrl = (template: string, baseUrl: string | null | undefined): string | undefined =>
  !template.startsWith(baseUrlPlace)
    ? template
    : baseUrl === null || baseUrl === undefined
    ? undefined
    : `${baseUrl}${template.slice(baseUrlPlace.length)}`

/**
 * The tenant's address for a new connection: the given one if the definition admits it, else the default.
 * Null for a provider without tenants. The failure is a sentence.
 */
export const resolveBaseUrl = (
  definition: ProviderDefinition,
  given?: string | null
): Result.Result<string | null, string> => {
  const defined = definedBaseUrl(definition)
  const options: HostOptions = { allowInsecureLoopback: definition.allowInsecureLoopback }
  if (given === undefined || given === null || given === "") {
    if (learnsBaseUrl(definition) && (defined === undefined || isBaseUrlTemplate(defined))) return Result.succeed(null)
    if (defined === undefined) {
      return usesBaseUrl(definition)
        ? missingBaseUrl(definition, undefined)
        : Result.succeed(null)
    }
    if (isBaseUrlTemplate(defined)) return missingBaseUrl(definition, defined)
    return parseBaseUrl(defined, options).pipe(Result.map(({ href }) => href))
  }
  if (defined === undefined && !usesBaseUrl(definition)) {
    return Result.fail(`${definition.displayName} is not multi-tenant and does not accept a base URL.`)
  }
  const parsed = parseBaseUrl(given, options)
  if (Result.isFailure(parsed)) return Result.fail(`The base URL ${parsed.failure}.`)
  if (defined !== undefined && isBaseUrlTemplate(defined) && !fillsTemplate(defined, parsed.success)) {
    return Result.fail(`The base URL does not have the form ${defined}.`)
  }
  return Result.succeed(parsed.success.href)
}

/** Whether the token response tells the tenant's address, and nothing needs it before. */
const learnsBaseUrl = (definition: ProviderDefinition): boolean => {
  if (definition.authType === "api_key" || definition.oauth.tokenResponse.baseUrl === undefined) return false
  const { authorizationUrl, deviceAuthorizationUrl, deviceTokenUrl, issuer, resource, tokenUrl } = definition.oauth
  return ![authorizationUrl, deviceAuthorizationUrl, deviceTokenUrl, issuer, resource, tokenUrl].some((endpoint) =>
    endpoint?.startsWith(baseUrlPlace)
  )
}

/**
 * The tenant's address that a token response tells: the default one, one that fits the definition's template, or one on a
 * host that the definition lists. The failure is a sentence.
 */
export const learnedBaseUrl = (definition: ProviderDefinition, told: string): Result.Result<string, string> => {
  const options: HostOptions = { allowInsecureLoopback: definition.allowInsecureLoopback }
  const defined = definedBaseUrl(definition)
  const parsed = parseBaseUrl(told, options)
  if (Result.isFailure(parsed)) {
    return Result.fail("the address that the provider tells is not one to send credentials to")
  }
  const { href } = parsed.success
  const fits = defined !== undefined && (isBaseUrlTemplate(defined)
    ? fillsTemplate(defined, parsed.success)
    : Result.match(parseBaseUrl(defined, options), { onFailure: () => false, onSuccess: (own) => own.href === href }))
  if (fits) return Result.succeed(href)
  const listed = definition.hosts.filter((entry) => !entry.startsWith(baseUrlPlace)).map((entry): Route => ({
    host: entry.replace(/\/.*$/s, ""),
    pathPrefix: null,
    provider: definition.name,
    connection: null,
    connected: true
  }))
  return compileRoutes(listed).claims(parsed.success.host, parsed.success.port)
    ? Result.succeed(href)
    : Result.fail("the address that the provider tells is none of its definition")
}

const missingBaseUrl = (definition: ProviderDefinition, template: string | undefined) =>
  Result.fail(
    `${definition.displayName} needs the address of your account. ` +
      `Specify it with --base-url${template === undefined ? "" : `, in the form ${template}`}.`
  )

const usesBaseUrl = (definition: ProviderDefinition): boolean =>
  [
    definition.apiUrl ?? "",
    ...definition.hosts,
    ...(definition.authType === "oauth2"
      ? [definition.oauth.authorizationUrl ?? "", definition.oauth.tokenUrl ?? ""]
      : [])
  ].some((value) => value.startsWith(baseUrlPlace))

/** The address of the API for one connection, null when it is not known. */
export const apiUrlOf = (definition: ProviderDefinition, baseUrl?: string | null): string | null => {
  if (definition.apiUrl === undefined) return null
  const url = expandBaseUrl(definition.apiUrl, baseUrl ?? defaultBaseUrl(definition))
  return url === undefined ? null : /^https?:\/\//i.test(url) ? url : `https://${url}`
}

const defaultBaseUrl = (definition: ProviderDefinition): string | undefined => {
  const resolved = resolveBaseUrl(definition)
  return Result.isSuccess(resolved) ? resolved.success ?? undefined : undefined
}

/** A route of a definition before it is given to a connection. */
export interface ProviderHost {
  readonly host: string
  readonly pathPrefix: string | null
  /** The entry of `hosts` that it comes from, by which `perHost` placements are found. */
  readonly entry: string
}

/** Every host of a provider, following the tenant of the connection; tenants that are not known give no host. */
export const hostsOf = (definition: ProviderDefinition, baseUrl?: string | null): ReadonlyArray<ProviderHost> =>
  compiledHosts(definition, baseUrl).hosts

/**
 * The entry of `hosts` under which a provider receives a request, or undefined when the request is none of its own.
 * A credential goes nowhere without this check.
 */
export const hostFor = (
  definition: ProviderDefinition,
  baseUrl: string | null | undefined,
  request: { readonly host: string; readonly port: number; readonly path?: string | undefined }
): ProviderHost | undefined => {
  const { hosts, matcher } = compiledHosts(definition, baseUrl)
  const { match, routes } = matcher()
  const found = match(request.host, request.port, request.path ?? "/")
  return found._tag === "Matched" ? hosts[routes.indexOf(found.route)] : undefined
}

interface CompiledHosts {
  readonly hosts: ReadonlyArray<ProviderHost>
  /** The hosts as routes, for `hostFor` alone. */
  readonly matcher: () => { readonly routes: ReadonlyArray<Route>; readonly match: RouteMatcher["match"] }
}

// Every resolved request asks for the hosts of one provider, and every change of a connection for those of all.
const compiled = new WeakMap<ProviderDefinition, Map<string | undefined, CompiledHosts>>()

const compiledHosts = (definition: ProviderDefinition, baseUrl: string | null | undefined): CompiledHosts => {
  let tenants = compiled.get(definition)
  if (tenants === undefined) compiled.set(definition, tenants = new Map())
  const key = baseUrl ?? undefined
  let found = tenants.get(key)
  if (found === undefined) {
    if (tenants.size >= 64) tenants.clear()
    tenants.set(key, found = compileHosts(definition, key))
  }
  return found
}

interface ReadHost extends ProviderHost {
  readonly pattern: HostPattern
}

const compileHosts = (definition: ProviderDefinition, baseUrl: string | undefined): CompiledHosts => {
  const hosts = readHosts(definition, baseUrl).map(({ entry, host, pathPrefix }) => ({ entry, host, pathPrefix }))
  let made: ReturnType<CompiledHosts["matcher"]> | undefined
  const make = () => {
    const routes = hosts.map(({ host, pathPrefix }): Route => ({
      host,
      pathPrefix,
      provider: definition.name,
      connection: null,
      connected: true
    }))
    return { routes, match: compileRoutes(routes).match }
  }
  return { hosts, matcher: () => made ??= make() }
}

const readHosts = (definition: ProviderDefinition, baseUrl: string | undefined): ReadonlyArray<ReadHost> => {
  const options: HostOptions = { allowInsecureLoopback: definition.allowInsecureLoopback }
  const read = (entry: string): ReadonlyArray<ReadHost> => {
    const expanded = entry.startsWith(baseUrlPlace)
      ? expandBaseUrl(entry, baseUrl ?? defaultBaseUrl(definition))
      : entry
    const parsed = expanded === undefined ? undefined : patternOf(expanded, options)
    if (parsed === undefined || Result.isFailure(parsed)) return []
    const pattern = parsed.success
    const pathPrefix = pattern.pathPrefix === "" ? null : pattern.pathPrefix
    return [{ host: formatHost(pattern), pathPrefix, entry, pattern }]
  }
  const listed = definition.hosts.flatMap(read)
  const { apiUrl } = definition
  // The host of the API is a route even where `hosts` forgets it, which it hardly ever does.
  const apiHost = /^https:\/\/([a-z0-9.-]+)(?:\/|$)/.exec(apiUrl ?? "")?.[1]
  if (apiUrl === undefined || (apiHost !== undefined && definition.hosts.includes(apiHost))) return listed
  const api = read(apiUrl).filter((own) => !listed.some((other) => coversHost(other.pattern, own.pattern)))
  return [...listed, ...api]
}

const patternOf = (text: string, options: HostOptions): Result.Result<HostPattern, string> => {
  if (!/^https?:\/\//i.test(text)) return parseHostPattern(text, options)
  return parseAddress(text, options).pipe(
    Result.flatMap(({ host, port, rest }) => parseHostPattern(`${host}:${port}${rest}`, options))
  )
}
