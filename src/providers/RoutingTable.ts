/** The routing table of all providers, and the hosts that more than one of them claims. */
import type { ConnectionName } from "../domain/Connection.ts"
import type { ProviderDefinition, ProviderName, ProviderSource } from "../domain/Provider.ts"
import { hostsOf, type Route } from "../domain/Route.ts"

export interface RoutedProvider {
  readonly definition: ProviderDefinition
  readonly source: ProviderSource
}

/** What routing needs to know of a connection. */
export interface RoutedConnection {
  readonly provider: ProviderName
  readonly connection: ConnectionName
  readonly isDefault: boolean
  /** The tenant it belongs to, null for providers without tenants. */
  readonly baseUrl: string | null
  /** False for one that is expired or invalid: its hosts stay the provider's, and get no credential. */
  readonly connected: boolean
}

interface Candidate {
  readonly route: Route
  readonly source: ProviderSource
}

const placeOf = (route: Route): string => `${route.host}${route.pathPrefix ?? ""}`

/**
 * One route per host of each provider. Hosts follow the tenants of the connections; of several connections to one
 * tenant the default one answers, else the first. Where providers claim the same place, those with a usable connection
 * stay, and among them a bundled provider puts custom ones of another name out of its way (A36). What is left may still
 * be ambiguous: the matcher says so, and the proxy injects nothing.
 */
export const buildRoutes = (
  providers: Iterable<RoutedProvider>,
  connections: ReadonlyArray<RoutedConnection>
): ReadonlyArray<Route> => {
  const byProvider = Map.groupBy(connections, ({ provider }) => provider)
  const byPlace = new Map<string, Array<Candidate>>()
  for (const { definition, source } of providers) {
    for (const route of routesOf(definition, byProvider.get(definition.name) ?? [])) {
      const place = placeOf(route)
      const there = byPlace.get(place)
      if (there === undefined) byPlace.set(place, [{ route, source }])
      else there.push({ route, source })
    }
  }
  return [...byPlace.values()].flatMap(prevailing).map(({ route }) => route)
}

const routesOf = (
  definition: ProviderDefinition,
  connections: ReadonlyArray<RoutedConnection>
): ReadonlyArray<Route> => {
  const ordered = [
    ...connections.filter(({ isDefault }) => isDefault),
    ...connections.filter(({ isDefault }) => !isDefault)
  ]
  const found = new Map<string, Route>()
  const add = (baseUrl: string | null, connection: ConnectionName | null, connected: boolean) => {
    for (const { entry, host, pathPrefix } of hostsOf(definition, baseUrl)) {
      if (connection === null && definition.publicHosts.includes(entry)) continue
      const route: Route = { host, pathPrefix, provider: definition.name, connection, connected }
      if (!found.has(placeOf(route))) found.set(placeOf(route), route)
    }
  }
  for (const { baseUrl, connected, connection } of ordered) add(baseUrl, connection, connected)
  if (ordered.length === 0) add(null, null, false)
  return [...found.values()]
}

const prevailing = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> => {
  if (candidates.length === 1) return candidates
  const connected = candidates.filter(({ route }) => route.connected)
  const remaining = connected.length > 0 ? connected : candidates
  const bundled = remaining.filter(({ source }) => source === "bundled")
  return bundled.length > 0 ? bundled : remaining
}

/** Sentences about custom providers that claim a host of another provider. */
export const hostConflicts = (providers: ReadonlyArray<RoutedProvider>): ReadonlyArray<string> => {
  const claims = Map.groupBy(
    providers.flatMap(({ definition, source }) =>
      hostsOf(definition).map(({ host, pathPrefix }) => ({
        place: `${host}${pathPrefix ?? ""}`,
        name: definition.name,
        source
      }))
    ),
    ({ place }) => place
  )
  return [...claims].flatMap(([place, claimants]) => {
    const custom = claimants.filter(({ source }) => source === "custom").map(({ name }) => name)
    const bundled = claimants.filter(({ source }) => source === "bundled").map(({ name }) => name)
    if (custom.length === 0 || claimants.length === 1) return []
    return bundled.length > 0
      ? [
        `${place} belongs to ${bundled.join(" and ")}, and also to the custom provider ${custom.join(" and ")}, ` +
        `which is used there only while the other is not connected`
      ]
      : [
        `${place} is claimed by the custom providers ${custom.join(" and ")}; ` +
        `while more than one of them is connected, none is used there`
      ]
  })
}
