/**
 * Finds the provider that a request belongs to.
 *
 * The table is built from definitions and their connections, sent to the proxy unchanged, and compiled there so that a
 * look-up costs one or two map accesses. No rule guesses: if two providers match equally, the result is ambiguous and
 * no credential is injected.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import {
  type BaseUrl,
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
} from "./definition/HostPattern.ts"
import { acceptsCustomDomain, definedBaseUrl, definedBaseUrls, type ProviderDefinition } from "./definition/Provider.ts"
import { ProviderName } from "./ProviderName.ts"
import { wire } from "./Wire.ts"

/**
 * A row of the routing table. `host` is an exact name or a name in which `*` stands for exactly one label, such as
 * `*.suffix`, with `:port` if it is not 443; `pathPrefix` is null for the whole host. `connection` is the default
 * connection, or null. `signing` is present if requests get a signature in place of the secret.
 *
 * `precedence` is absent for a bundled provider. A `custom` route yields to a bundled provider with a connection,
 * however specific it is; a `confirmed` one, which the user has confirmed, takes precedence over it.
 */
export const Route = wire({
  host: Schema.String,
  pathPrefix: Schema.NullOr(Schema.String),
  provider: ProviderName,
  connection: Schema.NullOr(ConnectionName),
  connected: Schema.Boolean,
  signing: Schema.optionalKey(Schema.Literal("aws_sigv4")),
  precedence: Schema.optionalKey(Schema.Literals(["custom", "confirmed"]))
}, "ProxyRoute")
export type Route = typeof Route.Type

/** The host and path prefix of a route as text, such as `api.example.com/v1`. */
export const placeOf = ({ host, pathPrefix }: Pick<Route, "host" | "pathPrefix">): string =>
  `${host}${pathPrefix ?? ""}`

/** The result of matching one request. */
export type RouteMatch =
  | { readonly _tag: "Unmatched" }
  /** One connected provider. */
  | { readonly _tag: "Matched"; readonly route: Route }
  /** These providers have the host, but none has a connection. */
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
 * Removes routes of custom providers where a bundled provider has a connection, even an expired one: a definition must
 * not take over its requests by naming a longer path. Routes that the user has confirmed prevail instead.
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

/** Exact hosts take precedence over wildcards, fewer wildcards over more, then the longest path prefix. */
const mostSpecific = (entries: ReadonlyArray<Entry>): ReadonlyArray<Route> => {
  const rank = ({ pattern }: Entry) =>
    pattern.pathPrefix.length - 1_000_000 * pattern.labels.filter((label) => label === "*").length
  const highest = Math.max(...entries.map(rank))
  return entries.filter((entry) => rank(entry) === highest).map(({ route }) => route)
}

/**
 * The path as the most lenient server reads it: separators and dots decoded, up to twice, without path parameters and
 * repeated slashes. Undefined if a dot segment remains, which could escape any prefix.
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

/** Inserts the tenant address for `{base_url}`; undefined if the template needs it and there is none. */
export const expandBaseUrl = (template: string, baseUrl: string | null | undefined): string | undefined =>
  !template.startsWith(baseUrlPlace)
    ? template
    : baseUrl === null || baseUrl === undefined
    ? undefined
    : `${baseUrl}${template.slice(baseUrlPlace.length)}`

/**
 * The tenant address of a new connection: the given one if the definition allows it, else the default. Null for a
 * provider without tenants. The failure is a sentence.
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
        ? missingBaseUrl(definition)
        : Result.succeed(null)
    }
    if (isBaseUrlTemplate(defined)) return missingBaseUrl(definition)
    return parseBaseUrl(defined, options).pipe(Result.map(({ href }) => href))
  }
  if (defined === undefined && !usesBaseUrl(definition)) {
    return Result.fail(`${definition.displayName} is not multi-tenant and does not accept a base URL.`)
  }
  const parsed = parseBaseUrl(given, options)
  if (Result.isFailure(parsed)) return Result.fail(`The base URL ${parsed.failure}.`)
  const isAnyAccepted = defined === undefined || !isBaseUrlTemplate(defined) || acceptsCustomDomain(definition)
  if (!isAnyAccepted && !hasDefinedForm(definition, parsed.success)) {
    return Result.fail(`The base URL does not have the form ${formsOf(definition)}.`)
  }
  return Result.succeed(parsed.success.href)
}

/** Whether a tenant address matches a template of the definition or equals its default. */
const hasDefinedForm = (definition: ProviderDefinition, base: BaseUrl): boolean =>
  definedBaseUrls(definition).some((form) =>
    isBaseUrlTemplate(form)
      ? fillsTemplate(form, base)
      : Result.match(parseBaseUrl(form, { allowInsecureLoopback: definition.allowInsecureLoopback }), {
        onFailure: () => false,
        onSuccess: ({ href }) => href === base.href
      })
  )

const formsOf = (definition: ProviderDefinition): string => definedBaseUrls(definition).join(" or ")

/** Whether the token response or the lookup provides the tenant address, and nothing needs it earlier. */
const learnsBaseUrl = (definition: ProviderDefinition): boolean => {
  if (definition.authType === "api_key") return false
  const { lookup, tokenResponse } = definition.oauth
  if (tokenResponse.baseUrl === undefined && lookup?.values["base_url"] === undefined) return false
  const { authorizationUrl, deviceAuthorizationUrl, deviceTokenUrl, issuer, resource, tokenUrl } = definition.oauth
  return ![authorizationUrl, deviceAuthorizationUrl, deviceTokenUrl, issuer, lookup?.url, resource, tokenUrl].some(
    (endpoint) => endpoint?.startsWith(baseUrlPlace)
  )
}

/**
 * Validates the tenant address from a token response: it must be the default, match the definition's template, or be on
 * a host of the definition. The failure is a clause for an error message.
 */
export const learnedBaseUrl = (definition: ProviderDefinition, returned: string): Result.Result<string, string> => {
  const options: HostOptions = { allowInsecureLoopback: definition.allowInsecureLoopback }
  const parsed = parseBaseUrl(returned, options)
  if (Result.isFailure(parsed)) {
    return Result.fail("the address that the provider returned must not receive credentials")
  }
  const { href } = parsed.success
  if (hasDefinedForm(definition, parsed.success)) return Result.succeed(href)
  const listed = definition.hosts.filter((entry) => !entry.startsWith(baseUrlPlace)).map((entry): Route => ({
    host: entry.replace(/\/.*$/s, ""),
    pathPrefix: null,
    provider: definition.name,
    connection: null,
    connected: true
  }))
  return compileRoutes(listed).claims(parsed.success.host, parsed.success.port)
    ? Result.succeed(href)
    : Result.fail("the address that the provider returned does not match its definition")
}

const missingBaseUrl = (definition: ProviderDefinition) =>
  Result.fail(
    `${definition.displayName} needs the address of your account. ` +
      `Specify it with --base-url${
        definedBaseUrls(definition).length === 0 ? "" : `, in the form ${formsOf(definition)}`
      }.`
  )

const usesBaseUrl = (definition: ProviderDefinition): boolean =>
  [
    definition.apiUrl ?? "",
    ...definition.hosts,
    ...(definition.authType === "oauth2"
      ? [definition.oauth.authorizationUrl ?? "", definition.oauth.tokenUrl ?? ""]
      : [])
  ].some((value) => value.startsWith(baseUrlPlace))

/** The URL of the API for one connection; null if unknown. */
export const apiUrlOf = (definition: ProviderDefinition, baseUrl?: string | null): string | null => {
  if (definition.apiUrl === undefined) return null
  const url = expandBaseUrl(definition.apiUrl, baseUrl ?? defaultBaseUrl(definition))
  return url === undefined ? null : /^https?:\/\//i.test(url) ? url : `https://${url}`
}

const defaultBaseUrl = (definition: ProviderDefinition): string | undefined => {
  const resolved = resolveBaseUrl(definition)
  return Result.isSuccess(resolved) ? resolved.success ?? undefined : undefined
}

/** A route of a definition before it is assigned to a connection. */
export interface ProviderHost {
  readonly host: string
  readonly pathPrefix: string | null
  /** The entry of `hosts` that the route derives from, for `perHost` placements. */
  readonly entry: string
}

/** All hosts of a provider for the tenant of the connection. Hosts that depend on an unknown tenant are omitted. */
export const hostsOf = (definition: ProviderDefinition, baseUrl?: string | null): ReadonlyArray<ProviderHost> =>
  compiledHosts(definition, baseUrl).hosts

/**
 * The entry of `hosts` that a request to a provider matches, or undefined if there is none. No credential is sent
 * without this check.
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
  /** The hosts as routes, for `hostFor` only. */
  readonly matcher: () => { readonly routes: ReadonlyArray<Route>; readonly match: RouteMatcher["match"] }
}

// Cached: every resolved request needs the hosts of one provider, and every change of a connection those of all.
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
  // The host of the API is always a route; definitions rarely omit it from `hosts`.
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
