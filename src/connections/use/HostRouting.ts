/**
 * Selects the connection for a host, and creates the routing table of a profile. The table stays the same object until a definition
 * or a connection changes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ProviderName } from "../../domain/definition/Provider.ts"
import { AmbiguousProviderError, OperationNotAllowedError, ProviderNotFoundError } from "../../domain/Errors.ts"
import { compileRoutes, type RouteMatcher } from "../../domain/injection/Route.ts"
import { loginCommand } from "../../domain/text/LoginCommand.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import type { ProxyRoutes, Route } from "../../domain/wire/ProxyRoutes.ts"
import type { ResolveRequest } from "../../domain/wire/Resolve.ts"
import { setNewest } from "../../platform/BoundedMap.ts"
import { sha256 } from "../../platform/Digest.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import type { RoutedConnection } from "../../providers/RoutingTable.ts"
import { ConnectionRepo } from "../ConnectionRepo.ts"
import { Revision } from "../Revision.ts"
import { credentialMissing } from "./CredentialFailures.ts"
import { obstacleOf } from "./DefinitionBinding.ts"
import { type RoutedRow, runVariables } from "./RunVariables.ts"

/**
 * A request to route. `port` defaults to 443 and `path` to `/`. With `provider`, only the routes of that provider are considered.
 */
type RoutedRequest = Pick<ResolveRequest, "host" | "port" | "path" | "provider">

/** The maximum number of profiles whose tables are cached. */
const maxProfiles = 1000

interface ProfileRoutes {
  readonly revision: object
  readonly rows: ReadonlyArray<RoutedRow>
  readonly rowsByProvider: ReadonlyMap<ProviderName, ReadonlyArray<RoutedRow>>
  readonly routes: ReadonlyArray<Route>
  /** The matcher of the routes. Compiled on the first `resolve`, because listing the routes does not need it. */
  readonly matcher: () => RouteMatcher
  /** The routing table. Created on first use, because `resolve` does not need it. */
  table: ProxyRoutes | undefined
}

const routedOf = ({ isDefault, isUsable, stored: { metadata, row } }: RoutedRow): RoutedConnection => ({
  provider: row.provider,
  connection: row.name,
  isDefault,
  baseUrl: metadata.baseUrl,
  connected: isUsable
})

const make = Effect.gen(function*() {
  const repo = yield* ConnectionRepo
  const registry = yield* ProviderRegistry
  const revision = yield* Revision
  const routesByProfile = new Map<string, ProfileRoutes>()

  const routesOf = Effect.fnUntraced(function*(profile: ProfileHandle) {
    const { content: current } = yield* revision.current
    const known = routesByProfile.get(profile)
    if (known?.revision === current) return known
    const byName = new Map((yield* registry.list).map((provider) => [provider.name, provider]))
    const rows: Array<RoutedRow> = []
    for (const { isDefault, stored } of yield* repo.listUsable(profile)) {
      const provider = byName.get(stored.row.provider)
      const isUsable = stored.metadata.status === "connected" && obstacleOf(stored, provider) === undefined
      rows.push({ stored, provider, isDefault, isUsable })
    }
    const routes = yield* registry.routes(rows.map(routedOf))
    let matcher: RouteMatcher | undefined
    const found: ProfileRoutes = {
      revision: current,
      rows,
      rowsByProvider: Map.groupBy(rows, ({ stored }) => stored.row.provider),
      routes,
      matcher: () => matcher ??= compileRoutes(routes.filter(({ asked }) => asked !== true)),
      table: undefined
    }
    setNewest(routesByProfile, profile, found, maxProfiles)
    return found
  })

  const table = Effect.fnUntraced(function*(profile: ProfileHandle) {
    const found = yield* routesOf(profile)
    if (found.table !== undefined) return found.table
    const content = { routes: found.routes, ...(yield* runVariables(found.rows, repo.openSecrets)) }
    const version = sha256(JSON.stringify(content)).slice(0, 32)
    return found.table ??= { version, ...content }
  })

  /** Finds the route of one request, restricted to the named provider, if any. The route may have no connection. */
  const route = Effect.fnUntraced(function*(profile: ProfileHandle, request: RoutedRequest) {
    const { host, path = "/", port = 443 } = request
    const { matcher, routes: all } = yield* routesOf(profile)
    if (request.provider !== undefined) yield* registry.get(request.provider)
    const routes = request.provider === undefined
      ? matcher()
      : compileRoutes(all.filter(({ provider }) => provider === request.provider))
    const match = routes.match(host, port, path)
    switch (match._tag) {
      case "Matched":
        return match.route
      case "NotConnected": {
        // Unusable connections are included: resolving one reports why it cannot be used.
        const there = match.candidates.filter(({ connection }) => connection !== null)
        const [chosen] = there.length > 0 ? there : match.candidates
        if (there.length > 1) return yield* ambiguous(host, there)
        if (there.length === 1 || match.candidates.length === 1) return chosen!
        return yield* credentialMissing(
          chosen!.provider,
          defaultConnectionName,
          `${host} belongs to several providers, and none is connected. Connect one with: ` +
            match.candidates.map(({ provider }) => loginCommand(provider, defaultConnectionName)).join(", or: ")
        )
      }
      case "Ambiguous":
        return yield* ambiguous(host, match.candidates)
      case "Unmatched":
        return yield* refusedHost(routes, all, request)
    }
  })

  return {
    table,
    connections: (profile: ProfileHandle) => Effect.map(routesOf(profile), ({ rows }) => rows.map(routedOf)),

    /** Lists the connections that the profile may use. They stay the same objects until a definition or a connection changes. */
    rows: (profile: ProfileHandle, provider?: ProviderName) =>
      Effect.map(
        routesOf(profile),
        ({ rows, rowsByProvider }) => provider === undefined ? rows : rowsByProvider.get(provider) ?? []
      ),

    route
  }
})

export class HostRouting
  extends Context.Service<HostRouting, Effect.Success<typeof make>>()("credsvc/connections/HostRouting")
{
  static readonly layerNoDeps = Layer.effect(HostRouting, make)
}

const ambiguous = (host: string, candidates: ReadonlyArray<Route>) =>
  new AmbiguousProviderError({
    host,
    candidates: candidates.map(({ connection, provider }) => ({
      provider,
      connection: connection ?? defaultConnectionName
    })),
    detail: `${host} matches ${candidates.map(({ provider }) => provider).join(" and ")}, so no credential is sent. ` +
      "Choose one with --provider or --connection."
  })

const refusedHost = (
  matcher: RouteMatcher,
  routes: ReadonlyArray<Route>,
  { host, port = 443, provider }: RoutedRequest
) => {
  const ports = new Set(routes.flatMap((route) => /:(\d+)$/.exec(route.host)?.[1] ?? []).map(Number)).add(443)
  if (matcher.claims(host, port)) {
    return OperationNotAllowedError.of(
      `${provider === undefined ? "No provider has" : `${provider} does not have`} this path of ${host}. ` +
        `See the paths with: credsvc inspect ${provider ?? "<provider>"}`
    )
  }
  if ([...ports].some((other) => matcher.claims(host, other))) {
    return OperationNotAllowedError.of(`Credentials must not be sent to ${host} on port ${port}.`)
  }
  return provider === undefined
    ? new ProviderNotFoundError({
      provider: "",
      suggestions: [],
      detail: `No provider has the host ${host}. Add one with: credsvc register <file>`
    })
    : OperationNotAllowedError.of(`${host} is not a host of ${provider}.`)
}
