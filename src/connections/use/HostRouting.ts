/**
 * Creates the routing table of a profile, and the variables that a run sets for its connections. The table stays the same object
 * until a definition or a connection changes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ProviderName } from "../../domain/definition/Provider.ts"
import { exportNames, mainField, optionalFields } from "../../domain/definition/ProviderFields.ts"
import { apiUrlOf, baseUrlsOf, regionAt } from "../../domain/definition/ProviderHosts.ts"
import { AmbiguousProviderError, OperationNotAllowedError, ProviderNotFoundError } from "../../domain/Errors.ts"
import { declaresLogin } from "../../domain/injection/IssuedTokens.ts"
import { opaquePhantom } from "../../domain/injection/Phantom.ts"
import { connectionPlaceholder, variableFor } from "../../domain/injection/Placeholder.ts"
import { exactPlaceholders, placeholderFor } from "../../domain/injection/Placement.ts"
import { compileRoutes, type RouteMatcher } from "../../domain/injection/Route.ts"
import { loginCommand } from "../../domain/text/LoginCommand.ts"
import type { Connection, ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import type { ProxyPlaceholder, ProxyRoutes, Route } from "../../domain/wire/ProxyRoutes.ts"
import type { ResolveRequest } from "../../domain/wire/Resolve.ts"
import { setNewest } from "../../platform/BoundedMap.ts"
import { sha256 } from "../../platform/Digest.ts"
import { type Provider, ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import type { RoutedConnection } from "../../providers/RoutingTable.ts"
import { ConnectionRepo, loginOf, type StoredConnection } from "../ConnectionRepo.ts"
import { Revision } from "../Revision.ts"
import { credentialMissing } from "./CredentialFailures.ts"
import { obstacleOf } from "./DefinitionBinding.ts"

/**
 * A request to route. `port` defaults to 443 and `path` to `/`. With `provider`, only the routes of that provider are considered.
 */
export type RoutedRequest = Pick<ResolveRequest, "host" | "port" | "path" | "provider">

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

/** The properties of a connection that determine its placeholders, besides its definition. */
interface Stored {
  /** The value that replaces the placeholder of the main field. */
  readonly main?: string
  /** The optional fields that have no value. */
  readonly absent?: ReadonlySet<string>
}

const placeholdersOf = (
  { definition }: Provider,
  stored: StoredConnection,
  { absent, main }: Stored
): ReadonlyArray<ProxyPlaceholder> => {
  const { metadata, row: { name, provider } } = stored
  const plain: Readonly<Record<string, string | null>> = {
    ...metadata.plainFields,
    base_url: metadata.baseUrl,
    api_url: apiUrlOf(definition, metadata.baseUrl),
    region: regionAt(definition, metadata.baseUrl)?.name ?? null
  }
  // A client must call the chosen region. Without a chosen region, it calls its default region.
  const regional = metadata.baseUrl === null ? [] : baseUrlsOf(definition, metadata.baseUrl)
    .filter(([variable]) => definition.export.baseUrls[variable]!.startsWith("{"))
    .map(([variable, value]) => ({ provider: definition.name, variable, value }))
  // The placeholder of a program's login names its connection, because other connections may come first.
  const phantom = (placeholder: string): string =>
    declaresLogin(definition)
      ? opaquePhantom(placeholder, { role: "access_token", provider, connection: name, login: loginOf(stored) })
      : placeholder
  return exportNames(definition).flatMap(({ field, placeholder, secret, variable }) => {
    if (absent?.has(field) === true) return []
    const value = secret
      ? (field === mainField(definition) ? main : undefined) ?? (placeholder && phantom(placeholder))
      : placeholder ?? (Object.hasOwn(plain, field) ? plain[field] : undefined)
    if (value === undefined || value === null) return []
    const isExact = exactPlaceholders(definition).includes(value)
    return [{ provider: definition.name, variable, value, ...(isExact ? { exact: true as const } : {}) }]
  }).concat(regional)
}

const routedOf = ({ isDefault, isUsable, stored: { metadata, row } }: RoutedRow): RoutedConnection => ({
  provider: row.provider,
  connection: row.name,
  isDefault,
  baseUrl: metadata.baseUrl,
  connected: isUsable
})

/** A connection that a profile may use, with the definition in force. */
export interface RoutedRow {
  readonly stored: StoredConnection
  readonly provider: Provider | undefined
  readonly isDefault: boolean
  readonly isUsable: boolean
  /** The public form, cached by `Connections.list`. Unset if the status changes with time. */
  described?: Connection
}

/** The placeholder variable with which a request chooses a connection other than the default. */
const variableOfConnection = (
  { provider, value, variable }: ProxyPlaceholder,
  connection: ConnectionName
): ReadonlyArray<ProxyPlaceholder> => {
  const placeholder = connectionPlaceholder(value, connection)
  return placeholder === undefined
    ? []
    : [{ provider, connection, own: true, variable: variableFor(variable, connection), value: placeholder }]
}

/** The cloud identities of a connection. `own`: the connection is not the first of its provider. */
const identitiesOf = (
  { definition: { export: { cloudIdentity = {} }, name: provider } }: Provider,
  { metadata: { account }, row: { name } }: StoredConnection,
  own: boolean
): ReadonlyArray<ProxyPlaceholder> => {
  const email = [account.label, account.id].find((text) => text?.includes("@")) ?? ""
  return [
    ...(cloudIdentity.google === true
      ? [{ provider, ...(own ? { connection: name } : {}), variable: "GCE_METADATA_HOST", value: email }]
      : []),
    ...(own ? [] : cloudIdentity.azure ?? []).map((value) => ({ provider, variable: "IDENTITY_ENDPOINT", value }))
  ]
}

/** The maximum number of connections of a provider that get variables of their own: the size of an environment is limited. */
const maxChosen = 10

/** The variables of each provider's default connection, and separate variables of its other connections. */
const variablesOf = (
  rows: ReadonlyArray<RoutedRow & { readonly values: Stored }>
): Omit<ProxyRoutes, "routes" | "version"> => {
  const placeholders = new Map<string, ProxyPlaceholder>()
  const otherValues: Array<ProxyPlaceholder> = []
  const own = new Map<string, ProxyPlaceholder>()
  const counts = new Map<Provider, number>()
  const baseUrls = new Map<string, ProxyPlaceholder>()
  const cloudIdentities: Array<ProxyPlaceholder> = []
  const rank = ({ isDefault, provider }: RoutedRow) =>
    Number(isDefault) - 2 * Number(provider !== undefined && declaresLogin(provider.definition))
  for (const { isDefault, isUsable, provider, stored, values } of rows.toSorted((a, b) => rank(b) - rank(a))) {
    if (!isUsable || provider === undefined) continue
    const count = counts.get(provider) ?? 0
    const isFirst = count === 0
    counts.set(provider, count + 1)
    for (const placeholder of placeholdersOf(provider, stored, values)) {
      const [chosen] = isDefault || count > maxChosen ? [] : variableOfConnection(placeholder, stored.row.name)
      if (chosen !== undefined && !own.has(chosen.variable)) own.set(chosen.variable, chosen)
      const usual = placeholders.get(placeholder.variable)
      if (usual === undefined && isFirst) placeholders.set(placeholder.variable, placeholder)
      else if (
        (usual?.provider ?? placeholder.provider) === placeholder.provider && usual?.value !== placeholder.value
      ) {
        otherValues.push({ ...placeholder, connection: stored.row.name })
      }
    }
    cloudIdentities.push(...identitiesOf(provider, stored, !isFirst))
    const { definition } = provider
    for (const [variable, value] of baseUrlsOf(definition, stored.metadata.baseUrl)) {
      if (!baseUrls.has(variable)) baseUrls.set(variable, { provider: definition.name, variable, value })
    }
  }
  const free = [...own.values()].filter(({ variable }) => !placeholders.has(variable))
  return {
    placeholders: [...placeholders.values(), ...otherValues, ...free],
    baseUrls: [...baseUrls.values()],
    cloudIdentities
  }
}

const make = Effect.gen(function*() {
  const repo = yield* ConnectionRepo
  const registry = yield* ProviderRegistry
  const revision = yield* Revision
  const routesByProfile = new Map<string, ProfileRoutes>()

  const valuesOf = ({ definition }: Provider, stored: StoredConnection) => {
    const optional = optionalFields(definition)
    return Object.keys(definition.placeholderByPrefix).length === 0 && optional.length === 0
      ? Effect.succeed({})
      : Effect.map(repo.openSecrets(stored), ({ values }): Stored => ({
        ...(Object.keys(definition.placeholderByPrefix).length === 0
          ? {}
          : { main: placeholderFor(definition, values) }),
        absent: new Set(optional.filter((name) => !Object.hasOwn(values, name)))
      }))
  }

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
    const rows = yield* Effect.forEach(found.rows, (row) =>
      Effect.map(
        row.isUsable && row.provider !== undefined ? valuesOf(row.provider, row.stored) : Effect.succeed({}),
        (values) => ({ ...row, values })
      ))
    const content = { routes: found.routes, ...variablesOf(rows) }
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
