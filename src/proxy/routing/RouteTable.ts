/**
 * The daemon's route list, filtered by the options of `run` and indexed by host. The daemon checks the route again when it
 * resolves the credential, so a stale table can refuse a request but cannot send a secret to the wrong host.
 */
import { matchesHost, patternSuffix, withoutPort } from "../../domain/definition/HostPattern.ts"
import { compileRoutes, type RouteMatch } from "../../domain/injection/Route.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { ProxyPlaceholder, Route } from "../../domain/wire/ProxyRoutes.ts"
import { setNewest } from "../../platform/BoundedMap.ts"

export interface RouteFilter {
  /** The only providers to inject credentials for; hosts of other providers are not routed. */
  readonly providers?: ReadonlyArray<string> | undefined
  readonly connections?: Readonly<Record<string, string>> | undefined
  /** The providers that the program of the run logs in to. */
  readonly logins?: ReadonlyArray<string> | undefined
}

/** The route of a request. `Plain`: it is sent without a credential. */
type RouteDecision =
  | { readonly _tag: "Plain" }
  | { readonly _tag: "Routed"; readonly route: Route }
  | { readonly _tag: "Ambiguous"; readonly providers: ReadonlyArray<string> }

const PLAIN: RouteDecision = { _tag: "Plain" }

/** Chooses the route of a request to a host. `provider`: the provider of the login placeholder in the request. */
export const decideRoute = (
  routes: HostRoutes | undefined,
  method: string,
  target: string,
  provider?: string
): RouteDecision => {
  const match = routes?.match(target, provider)
  if (match === undefined || match._tag === "Unmatched") return PLAIN
  // The daemon is asked for an unconnected provider too: its connection may be newer than the routing table.
  const candidates = match._tag === "Matched" ? [match.route] : match.candidates
  const [route] = candidates
  // OPTIONS gets no credential: it needs none, and some servers echo the request.
  if (method === "OPTIONS" && candidates.every(({ open }) => open !== true)) return PLAIN
  return match._tag === "Ambiguous" || route === undefined
    ? { _tag: "Ambiguous", providers: candidates.map(({ provider }) => provider) }
    : { _tag: "Routed", route }
}

const hasPort = (host: string): boolean => host.includes(":")

/** The variables for the child process. The variables of a selected connection replace the provider's default ones. */
export const filtered = (
  listed: ReadonlyArray<ProxyPlaceholder>,
  { connections, providers }: RouteFilter
): ReadonlyArray<ProxyPlaceholder> => {
  const injected = listed.filter(({ provider }) => providers === undefined || providers.includes(provider))
  const chosen = injected.filter(({ connection, own, provider }) =>
    connection !== undefined && own === undefined && connection === connections?.[provider]
  )
  // A run that is limited to one connection of a provider cannot choose another one.
  const own = injected.filter(({ own, provider }) => own === true && connections?.[provider] === undefined)
  const isDefault = ({ connection, provider, variable }: ProxyPlaceholder) =>
    connection === undefined && !chosen.some((own) => own.provider === provider && own.variable === variable)
  return [...injected.filter(isDefault), ...chosen, ...own]
}

/**
 * Routes of providers outside the run. They only keep placeholders of logins from a provider, which would reject them: the program
 * would then consider its login ended.
 */
const isOutsideRoute = ({ asked, connected, login, open, pathPrefix, provider }: Route, named: ReadonlySet<string>) =>
  login === true && (named.has(provider) || (asked !== true && (connected || (open === true && pathPrefix === null))))

/** The routes of one host and port. */
const hostRoutes = (
  routes: ReadonlyArray<Route>,
  isOutside: boolean,
  { host, port }: { readonly host: string; readonly port: number },
  connections: RouteFilter["connections"]
) => {
  const matcher = compileRoutes(isOutside ? routes.filter(({ open }) => open === true) : routes)
  const byPath = routes.some((route) => (route.pathPrefix ?? "") !== "")
  const only = byPath ? undefined : matcher.match(host, port, "/")
  return {
    /** Whether the match depends on the path of a request. */
    byPath,
    /** Whether only providers outside the run have routes: requests with placeholders of logins are refused, and others get no credential. */
    isOutside,
    /** Whether the run is limited to one connection of a provider. */
    isFixed: (provider: string): boolean => connections?.[provider] !== undefined,
    /** Finds the route of a target. With `provider`, only that provider's routes count. */
    match: (target: string, provider?: string): RouteMatch =>
      provider === undefined
        ? only ?? matcher.match(host, port, target)
        : compileRoutes(routes.filter((route) => route.provider === provider)).match(host, port, target)
  }
}
export type HostRoutes = ReturnType<typeof hostRoutes>

export const make = (version: string, listed: ReadonlyArray<Route>, filter: RouteFilter = {}) => {
  const { connections, logins = [], providers } = filter
  const isInside = ({ provider }: Route) => providers === undefined || providers.includes(provider)
  const possible = listed.filter(isInside)
  const named = new Set([...logins, ...providers ?? []])
  const outside = listed.filter((route) => !isInside(route) && isOutsideRoute(route, named))
  const routes = possible.flatMap((route): ReadonlyArray<Route> => {
    if (route.asked === true && !named.has(route.provider)) return []
    const connection = connections?.[route.provider]
    return [connection === undefined ? route : { ...route, connection: connection as ConnectionName }]
  })
  const patternsOf = (some: ReadonlyArray<Route>) => new Set(some.map(({ host }) => withoutPort(host)))
  const patterns = [...patternsOf(routes)].toSorted()
  const withPort = routes.filter(({ host }) => hasPort(host))
  const find = (host: string, port: number): HostRoutes | undefined => {
    const among = (some: ReadonlyArray<Route>) =>
      some.filter((route) => matchesHost(withoutPort(route.host), host) && compileRoutes([route]).claims(host, port))
    const inside = among(routes)
    const here = inside.length === 0 ? among(outside) : inside
    return here.length === 0 ? undefined : hostRoutes(here, inside.length === 0, { host, port }, connections)
  }
  const known = new Map<string, HostRoutes | undefined>()

  return {
    version,
    patterns,
    /** The ports of all routes, always including 443. */
    ports: [...new Set([443, ...withPort.map(({ host }) => Number(host.slice(withoutPort(host).length + 1)))])],
    /**
     * Names at or below which certificates may be issued: `*.x.y` appears as `x.y`. Another run may log in to providers without a
     * connection, and then this run has routes to them.
     */
    certificateNames: [...new Set(Array.from(patternsOf([...possible, ...outside]), patternSuffix))],
    /** Whether the name is routed on any port. */
    claims: (host: string) => patterns.some((pattern) => matchesHost(pattern, host)),
    host: (host: string, port: number) => {
      const key = `${host}:${port}`
      if (known.has(key)) return known.get(key)
      const found = find(host, port)
      // The client chooses the host names, so the number of remembered ones must be limited.
      setNewest(known, key, found, 1024)
      return found
    }
  }
}
export type RouteTable = ReturnType<typeof make>
