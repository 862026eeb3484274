/** Builds the routing table of all providers, and finds hosts and paths that several providers claim. */
import * as Result from "effect/Result"
import { type HostPattern, parseHostPattern, patternsOverlap } from "../domain/definition/HostPattern.ts"
import type { ProviderDefinition, ProviderName, ProviderSource } from "../domain/definition/Provider.ts"
import { hostsOf } from "../domain/definition/ProviderHosts.ts"
import { declaresLogin, sharesLogin } from "../domain/injection/Capture.ts"
import { placementAt } from "../domain/injection/Placement.ts"
import { hostAndPrefix } from "../domain/injection/Route.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { Route } from "../domain/wire/ProxyRoutes.ts"

/** What the routing table needs to know of a provider. */
export interface RoutedProvider {
  readonly name: ProviderName
  readonly definition: ProviderDefinition
  readonly source: ProviderSource
  /** Hosts, with paths, that the user allows the provider to take over from bundled providers. */
  readonly takesOver: ReadonlyArray<string>
  /** The provider's routes without a connection, if the build has computed them. */
  readonly unconnected?: ReadonlyArray<Route>
}

/** What the routing table needs to know of a connection. */
export interface RoutedConnection {
  readonly provider: ProviderName
  readonly connection: ConnectionName
  readonly isDefault: boolean
  /** The base URL of the connection, or null if it has none. */
  readonly baseUrl: string | null
  /** Whether the connection is usable. Otherwise the provider keeps the host, but no credential is sent. */
  readonly connected: boolean
}

/**
 * Builds one route per host of each provider. Of several connections with the same base URL, the route uses the default
 * connection, or else the first. The matcher decides between providers that claim the same request.
 */
export const buildRoutes = (
  providers: Iterable<RoutedProvider>,
  connections: ReadonlyArray<RoutedConnection>
): ReadonlyArray<Route> => {
  const byProvider = Map.groupBy(connections, ({ provider }) => provider)
  return [...providers].flatMap((provider) => {
    const own = byProvider.get(provider.name) ?? []
    return own.length === 0 && provider.unconnected !== undefined ? provider.unconnected : routesOf(provider, own)
  })
}

const unconnected = { baseUrl: null, connected: false, connection: null }

/** Builds the routes of one provider. Each has its own host and path. */
export const routesOf = (
  { definition, source, takesOver }: RoutedProvider,
  connections: ReadonlyArray<RoutedConnection>
): ReadonlyArray<Route> => {
  const ordered = [
    ...connections.filter(({ isDefault }) => isDefault),
    ...connections.filter(({ isDefault }) => !isDefault)
  ]
  const found = new Map<string, Route>()
  // A program that logs in during a run may use the provider's other hosts later in the same run.
  const isLogin = declaresLogin(definition)
  const isShared = sharesLogin(definition)
  const tenants = new Set<string | null>()
  for (const { baseUrl, connected, connection } of ordered.length === 0 ? [unconnected] : ordered) {
    if (tenants.has(baseUrl)) continue
    tenants.add(baseUrl)
    for (const { entry, host, pathPrefix } of hostsOf(definition, baseUrl)) {
      const isPublic = connection === null && definition.publicHosts.includes(entry)
      if (isPublic && !isLogin) continue
      const place = hostAndPrefix({ host, pathPrefix })
      if (found.has(place)) continue
      const { awsSigv4, issuedTokensOnly } = placementAt(definition, entry)
      const isOpen = isLogin && (isPublic || issuedTokensOnly === true)
      found.set(place, {
        host,
        pathPrefix,
        provider: definition.name,
        connection,
        connected,
        ...(isOpen ? { open: true } : {}),
        ...(isLogin ? { login: true } : {}),
        ...(isOpen && isShared && connection === null ? { asked: true } : {}),
        ...(awsSigv4 === undefined ? {} : { signing: "aws_sigv4" }),
        ...(source === "bundled" ? {} : { precedence: takesOver.includes(place) ? "confirmed" : "custom" })
      })
    }
  }
  return [...found.values()]
}

interface Claim {
  readonly place: string
  readonly pattern: HostPattern
}

/** The claims of a definition without a base URL, cached because each custom definition is compared with all others. */
const claimsByDefinition = new WeakMap<ProviderDefinition, ReadonlyArray<Claim>>()

const claimsOf = (definition: ProviderDefinition, baseUrls: ReadonlyArray<string | null>): ReadonlyArray<Claim> => {
  if (baseUrls.length > 0) return readClaims(definition, baseUrls)
  const claims = claimsByDefinition.get(definition) ?? readClaims(definition, [])
  claimsByDefinition.set(definition, claims)
  return claims
}

const readClaims = (definition: ProviderDefinition, baseUrls: ReadonlyArray<string | null>): ReadonlyArray<Claim> => {
  const places = new Set([null, ...baseUrls].flatMap((baseUrl) => hostsOf(definition, baseUrl).map(hostAndPrefix)))
  return [...places].flatMap((place) => {
    const pattern = parseHostPattern(place, { allowInsecureLoopback: true })
    return Result.isSuccess(pattern) ? [{ place, pattern: pattern.success }] : []
  })
}

/** Finds the overlaps of custom providers with all others, including the base URLs of these connections. */
export const overlapsOf = (
  custom: ReadonlyArray<RoutedProvider>,
  others: ReadonlyArray<RoutedProvider>,
  connections: ReadonlyArray<RoutedConnection>
) => {
  if (custom.length === 0) return []
  const tenants = Map.groupBy(connections, ({ provider }) => provider)
  const claims = (owner: RoutedProvider) =>
    claimsOf(owner.definition, (tenants.get(owner.name) ?? []).map(({ baseUrl }) => baseUrl))
      .map(({ pattern, place }) => ({ pattern, place, owner }))
  const all = others.flatMap(claims)
  return custom.flatMap(claims).flatMap(({ owner, pattern, place }) =>
    all
      .filter((other) => other.owner.name !== owner.name && patternsOverlap(pattern, other.pattern))
      .map((other) => ({
        place,
        provider: owner.name,
        confirmed: owner.takesOver.includes(place),
        otherPlace: other.place,
        otherProvider: other.owner.name,
        otherSource: other.owner.source
      }))
  )
}

/** A place of a custom provider that another provider claims, too. */
export type Overlap = ReturnType<typeof overlapsOf>[number]

const listed = (words: Iterable<string>): string => [...new Set(words)].join(" and ")

/** Returns one sentence for each custom provider and host. An overlap of two custom providers is reported once. */
export const overlapWarnings = (overlaps: ReadonlyArray<Overlap>): ReadonlyArray<string> => {
  const withBundled = Map.groupBy(
    overlaps.filter(({ otherSource }) => otherSource === "bundled"),
    ({ place, provider }) => `${provider} ${place}`
  )
  const custom = overlaps.filter(({ otherProvider, otherSource, provider }) =>
    otherSource === "custom" && provider < otherProvider
  )
  const samePlace = Map.groupBy(custom.filter(({ otherPlace, place }) => place === otherPlace), ({ place }) => place)
  return [
    ...[...withBundled.values()].map((found) => {
      const { confirmed, place, provider } = found[0]!
      const others = listed(found.map(({ otherProvider }) => otherProvider))
      return confirmed
        ? `the custom provider ${provider} takes over ${place} from ${others}, as confirmed at its registration; ` +
          `undo this with: credsvc remove ${provider}`
        : `the custom provider ${provider} claims ${place}, which belongs to ${others}; ` +
          `the custom provider is used there only while ${others} has no connection`
    }),
    ...[...samePlace].map(([place, found]) =>
      `${place} is claimed by the custom providers ${
        listed(found.flatMap(({ otherProvider, provider }) => [provider, otherProvider]))
      }; while more than one of them is connected, none is used there`
    ),
    ...custom.filter(({ otherPlace, place }) => place !== otherPlace).map((
      { otherPlace, otherProvider, place, provider }
    ) =>
      `${place} of the custom provider ${provider} overlaps ${otherPlace} of the custom provider ${otherProvider}; ` +
      "the more specific host and path is used"
    )
  ]
}
