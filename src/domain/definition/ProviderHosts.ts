/** The hosts that a provider's definition allows for one connection, and the base URL of a connection. */
import * as Result from "effect/Result"
import { compileRoutes, type RouteMatcher } from "../injection/Route.ts"
import type { Route } from "../wire/ProxyRoutes.ts"
import {
  type BaseUrl,
  coversHost,
  fillsTemplate,
  formatHost,
  type HostOptions,
  type HostPattern,
  isBaseUrlTemplate,
  parseAddress,
  parseBaseUrl,
  parseHostPattern
} from "./HostPattern.ts"
import { baseUrlPlace } from "./PartChecks.ts"
import type { ProviderDefinition, Region } from "./Provider.ts"
import { acceptsCustomDomain, definedBaseUrl, definedBaseUrls } from "./ProviderFields.ts"

/** Replaces `{base_url}` with the base URL. Returns undefined if the template needs a base URL and the connection has none. */
export const expandBaseUrl = (template: string, baseUrl: string | null | undefined): string | undefined => {
  if (!template.startsWith(baseUrlPlace)) return template
  if (baseUrl === null || baseUrl === undefined) return undefined
  const rest = template.slice(baseUrlPlace.length)
  if (!rest.startsWith(":")) return `${baseUrl}${rest}`
  // The template names another port of the same host. `{base_url}` itself covers its own port.
  const { hostname, port, protocol } = new URL(baseUrl)
  return rest === `:${port || 443}` ? undefined : `${protocol}//${hostname}${rest}`
}

const optionsOf = ({ allowInsecureLoopback }: ProviderDefinition): HostOptions => ({ allowInsecureLoopback })

const hrefOf = (definition: ProviderDefinition, url: string): string | undefined =>
  Result.getOrUndefined(parseBaseUrl(url, optionsOf(definition)))?.href

/** Finds the region with this base URL. Returns undefined for other base URLs, and if no region was chosen. */
export const regionAt = (definition: ProviderDefinition, baseUrl: string | null | undefined): Region | undefined =>
  baseUrl === null || baseUrl === undefined
    ? undefined
    : definition.regions.find((region) => hrefOf(definition, region.baseUrl) === baseUrl)

/** A route to a host of the provider, for comparisons: it belongs to no connection. */
export const routeTo = ({ name }: ProviderDefinition, host: string, pathPrefix: string | null = null): Route => ({
  host,
  pathPrefix,
  provider: name,
  connection: null,
  connected: true
})

/**
 * Returns the base URL of a new connection: the given address or region if the definition allows it, or else the default. Null for
 * a provider without a base URL, if the login returns the base URL, or if no region is chosen and the login needs none.
 *
 * The failure is a sentence.
 */
export const resolveBaseUrl = (
  definition: ProviderDefinition,
  named?: string | null
): Result.Result<string | null, string> => {
  const defined = definedBaseUrl(definition)
  const options = optionsOf(definition)
  const given = definition.regions.find(({ name }) => name === named)?.baseUrl ?? named
  if (given === undefined || given === null || given === "") {
    const isForLogin = definition.authType === "oauth2" && JSON.stringify(definition.oauth).includes(baseUrlPlace)
    if (definition.regions.length > 0 && !isForLogin) return Result.succeed(null)
    if (learnsBaseUrl(definition) && (defined === undefined || isBaseUrlTemplate(defined))) return Result.succeed(null)
    if (defined === undefined) return usesBaseUrl(definition) ? missingBaseUrl(definition) : Result.succeed(null)
    if (isBaseUrlTemplate(defined)) return missingBaseUrl(definition)
    return parseBaseUrl(defined, options).pipe(Result.map(({ href }) => href))
  }
  if (defined === undefined && !usesBaseUrl(definition)) {
    return Result.fail(`${definition.displayName} has the same URL for all accounts and does not accept a base URL.`)
  }
  const parsed = parseBaseUrl(given, options)
  if (Result.isFailure(parsed)) return Result.fail(`The base URL ${parsed.failure}.`)
  const form = definedBaseUrls(definition)[definition.regions.length]
  const isAnyAccepted = acceptsCustomDomain(definition) ||
    (form === undefined ? definition.regions.length === 0 : !isBaseUrlTemplate(form))
  if (!isAnyAccepted && !hasDefinedForm(definition, parsed.success)) {
    return Result.fail(`The base URL does not have the form ${formsOf(definition)}.`)
  }
  return Result.succeed(parsed.success.href)
}

/** Tells whether a base URL matches a template of the definition or equals its default. */
const hasDefinedForm = (definition: ProviderDefinition, base: BaseUrl): boolean =>
  definedBaseUrls(definition).some((form) =>
    isBaseUrlTemplate(form) ? fillsTemplate(form, base) : hrefOf(definition, form) === base.href
  )

const formsOf = (definition: ProviderDefinition): string => {
  const regions = new Map(definition.regions.map(({ baseUrl, name }) => [baseUrl, `${baseUrl} (${name})`]))
  return definedBaseUrls(definition).map((form) => regions.get(form) ?? form).join(" or ")
}

/** Tells whether the token response or the lookup provides the base URL, and no request needs it earlier. */
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
 * Validates the base URL from a token response: it must be the default, match the definition's template, or be on
 * a host of the definition. The failure is a clause for an error message.
 */
export const learnedBaseUrl = (definition: ProviderDefinition, returned: string): Result.Result<string, string> => {
  const parsed = parseBaseUrl(returned, optionsOf(definition))
  if (Result.isFailure(parsed)) {
    return Result.fail("the URL that the provider returned must not receive credentials")
  }
  const { href } = parsed.success
  if (hasDefinedForm(definition, parsed.success)) return Result.succeed(href)
  const listed = definition.hosts.filter((entry) => !entry.startsWith(baseUrlPlace))
    .map((entry) => routeTo(definition, entry.replace(/\/.*$/s, "")))
  return compileRoutes(listed).claims(parsed.success.host, parsed.success.port)
    ? Result.succeed(href)
    : Result.fail("the URL that the provider returned does not match the provider's definition")
}

const missingBaseUrl = (definition: ProviderDefinition) =>
  Result.fail(
    `${definition.displayName} needs the URL of your account. ` +
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
  const { apiUrl } = definition
  if (apiUrl === undefined) return null
  // Looks up the default only if the address needs it, because a list may have thousands of connections.
  const url = apiUrl.startsWith(baseUrlPlace) ? expandBaseUrl(apiUrl, baseUrl ?? defaultBaseUrl(definition)) : apiUrl
  return url === undefined ? null : /^https?:\/\//i.test(url) ? url : `https://${url}`
}

/** The SDK variables for the base URL of the API, with their values for one connection. */
export const baseUrlsOf = (
  definition: ProviderDefinition,
  baseUrl: string | null
): ReadonlyArray<readonly [variable: string, value: string]> =>
  Object.entries(definition.export.baseUrls).map(([variable, template]) => [
    variable,
    expandBaseUrl(template, baseUrl ?? defaultBaseUrl(definition)) ?? template
  ])

const defaultBaseUrl = (definition: ProviderDefinition): string | undefined => {
  if (definition.regions.length > 0) return definition.regions[0]!.baseUrl
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

/** All hosts of a provider for the base URL of a connection. Hosts that depend on an unknown base URL are omitted. */
export const hostsOf = (definition: ProviderDefinition, baseUrl?: string | null): ReadonlyArray<ProviderHost> =>
  compiledHosts(definition, baseUrl).hosts

/**
 * Finds the entry of `hosts` that a request to a provider matches, or returns undefined. No credential is sent without
 * this check.
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

/** Whether `hostFor` finds an entry for some path. */
export const claimsHost = (
  definition: ProviderDefinition,
  baseUrl: string | null,
  host: string,
  port: number
): boolean => compiledHosts(definition, baseUrl).matcher().claims(host, port)

interface CompiledHosts {
  readonly hosts: ReadonlyArray<ProviderHost>
  /** The hosts as routes, for `hostFor` and `claimsHost` only. */
  readonly matcher: () => RouteMatcher & { readonly routes: ReadonlyArray<Route> }
}

// Caches the hosts: each resolved request needs the hosts of one provider, and each change of a connection those of all.
const compiled = new WeakMap<ProviderDefinition, Map<string | undefined, CompiledHosts>>()

const compiledHosts = (definition: ProviderDefinition, baseUrl: string | null | undefined): CompiledHosts => {
  let tenants = compiled.get(definition)
  if (tenants === undefined) compiled.set(definition, tenants = new Map())
  const key = baseUrl ?? undefined
  let found = tenants.get(key)
  if (found === undefined) {
    if (tenants.size >= 1024) tenants.clear()
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
    const routes = hosts.map(({ host, pathPrefix }) => routeTo(definition, host, pathPrefix))
    return { ...compileRoutes(routes), routes }
  }
  return { hosts, matcher: () => made ??= make() }
}

const readHosts = (definition: ProviderDefinition, baseUrl: string | undefined): ReadonlyArray<ReadHost> => {
  const options = optionsOf(definition)
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
  const region = regionAt(definition, baseUrl)
  const isElsewhere = (entry: string) =>
    baseUrl !== undefined && region?.hosts.includes(entry) !== true &&
    definition.regions.some(({ hosts }) => hosts.includes(entry))
  const listed = definition.hosts.filter((entry) => !isElsewhere(entry)).flatMap(read)
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
