/** What an agent can reach: the connections of the profile, within the limits of the outer run of this program. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ProviderSummary } from "../../api/ProvidersGroup.ts"
import { isInsideRun } from "../../config/RunMark.ts"
import { ConnectionName, ConnectionStatus } from "../../domain/Connection.ts"
import { ProviderName } from "../../domain/ProviderName.ts"
import type { ProxyPlaceholder, ProxyRoutes, Route } from "../../domain/ProxyRoutes.ts"
import { placeOf } from "../../domain/Route.ts"
import { Timestamp } from "../../domain/Timestamp.ts"
import { wire } from "../../domain/Wire.ts"
import * as RouteTable from "../../proxy/routing/RouteTable.ts"
import { McpDaemon, type McpLimits, type ShownConnection } from "./McpDaemon.ts"
import { singleLine } from "./SingleLine.ts"

/** An environment variable from which a client of the provider reads its credential or settings. */
const Variable = Schema.Struct({
  name: Schema.String,
  value: Schema.String.annotate({
    description: "A placeholder, which the proxy replaces with the credential, or a setting that is not secret"
  })
})

const ReachableConnection = wire({
  name: ConnectionName,
  used: Schema.Boolean.annotate({ description: "Whether requests to the provider use this connection" }),
  status: ConnectionStatus,
  problem: Schema.NullOr(Schema.String).annotate({ description: "What is wrong with the connection, if anything" }),
  account: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Timestamp)
})

const ReachableProvider = wire({
  provider: ProviderName,
  displayName: Schema.String,
  hosts: Schema.Array(Schema.String).annotate({
    description: "Hosts, some with a path prefix, whose https requests get the credential"
  }),
  variables: Schema.Array(Variable),
  connections: Schema.Array(ReachableConnection)
})

export const Connected = wire({
  profile: Schema.String,
  insideRun: Schema.Boolean.annotate({ description: "Whether this server was started by `credsvc run`" }),
  limitedTo: Schema.NullOr(Schema.Array(ProviderName)).annotate({
    description: "The only providers that the run may use; null without such a limit"
  }),
  otherHosts: Schema.Literals(["allow", "deny"]).annotate({
    description: "Whether the run may send requests to hosts without a provider"
  }),
  providers: Schema.Array(ReachableProvider)
})
export type Connected = typeof Connected.Type

export const Explained = wire({
  outcome: Schema.Literals(["reachable", "no_connection", "ambiguous", "no_provider", "blocked", "not_https"])
    .annotate({
      description:
        "`reachable`: the request gets a credential. `no_connection`: it needs a login. `no_provider`: it is " +
        "sent without a credential. `blocked`: the run does not allow it"
    }),
  provider: Schema.NullOr(ProviderName),
  connection: Schema.NullOr(ConnectionName),
  candidates: Schema.Array(ProviderName).annotate({ description: "The providers to which the URL may belong" }),
  variables: Schema.Array(Variable),
  message: Schema.String
})
export type Explained = typeof Explained.Type

export interface Reach {
  readonly profile: string
  readonly limits: McpLimits
  readonly routes: ReadonlyArray<Route>
  readonly table: RouteTable.RouteTable
  readonly placeholders: ReadonlyArray<ProxyPlaceholder>
  readonly connections: ReadonlyArray<ShownConnection>
}

export const allows = ({ providers }: McpLimits, provider: ProviderName): boolean =>
  providers === null || providers.includes(provider)

const reachOf = (
  { limits, profile }: Pick<Reach, "limits" | "profile">,
  { placeholders, routes, version }: ProxyRoutes,
  connections: ReadonlyArray<ShownConnection>
): Reach => {
  const filter: RouteTable.RouteFilter = {
    providers: limits.providers ?? undefined,
    connections: limits.connections
  }
  return {
    profile,
    limits,
    routes: routes.filter(({ provider }) => allows(limits, provider)),
    table: RouteTable.make(version, routes, filter),
    placeholders: RouteTable.variablesOf(placeholders, filter),
    connections: connections.filter(({ provider }) => allows(limits, provider))
  }
}

export const readReach = Effect.gen(function*() {
  const { connections, limits, routes, whoami } = yield* (yield* McpDaemon).view
  const { profile } = yield* whoami
  return reachOf({ limits, profile }, yield* routes, yield* connections)
})

export const problemOf = ({ lastRefreshError, refusedAt, status }: ShownConnection): string | null => {
  if (status === "expired") return "The credential has expired and cannot be refreshed: the user has to log in again."
  if (refusedAt !== null) return "The provider rejected the credential: the user should log in again."
  if (status === "invalid") {
    return "The provider's definition has changed since the login: the user has to log in again."
  }
  return lastRefreshError === null ? null : `The last refresh failed: ${singleLine(lastRefreshError)}`
}

const variablesOf = (reach: Reach, provider: ProviderName) =>
  reach.placeholders.filter((each) => each.provider === provider).map(({ value, variable }) => ({
    name: variable,
    value
  }))

const isUsed = ({ limits }: Reach, { connectionName, isDefault, provider }: ShownConnection): boolean => {
  const chosen = limits.connections[provider]
  return chosen === undefined ? isDefault : chosen === connectionName
}

export const connectedOf = (reach: Reach, known: ReadonlyArray<ProviderSummary>): Connected => {
  const names = [...new Set(reach.connections.map(({ provider }) => provider))].toSorted()
  return {
    profile: reach.profile,
    insideRun: isInsideRun(),
    limitedTo: reach.limits.providers,
    otherHosts: reach.limits.unmatched,
    providers: names.map((provider) => ({
      provider,
      displayName: singleLine(known.find(({ name }) => name === provider)?.displayName ?? provider),
      hosts: [...new Set(reach.routes.filter((route) => route.provider === provider).map(placeOf))],
      variables: variablesOf(reach, provider),
      connections: reach.connections.filter((each) => each.provider === provider).map((connection) => ({
        name: connection.connectionName,
        used: isUsed(reach, connection),
        status: connection.status,
        problem: problemOf(connection),
        account: nullable(connection.account.label ?? connection.account.id),
        expiresAt: connection.expiresAt
      }))
    }))
  }
}

const nullable = (text: string | null): string | null => text === null ? null : singleLine(text)

/** How an agent sends a request so that it gets the credential. */
const howToSend = (): string =>
  isInsideRun()
    ? "Commands that run in this environment send it with the credential already."
    : "Run the command that sends it as: credsvc run -- <command>"

export const explain = (reach: Reach, url: URL): Explained => {
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80))
  const nothing = { provider: null, connection: null, candidates: [], variables: [] }
  const unmatched: Explained = reach.limits.unmatched === "deny"
    ? { ...nothing, outcome: "blocked", message: `The outer run of this server allows no requests to ${url.host}.` }
    : { ...nothing, outcome: "no_provider", message: `${url.host} belongs to no provider: requests get no credential.` }
  if (url.protocol !== "https:") {
    return reach.table.claims(url.hostname)
      ? { ...nothing, outcome: "not_https", message: "Credentials are only added to https requests. Use https." }
      : unmatched
  }
  const match = reach.table.host(url.hostname, port)?.match(url.pathname)
  if (match === undefined || match._tag === "Unmatched") return unmatched
  if (match._tag === "Matched") {
    const { connection, provider } = match.route
    return {
      outcome: "reachable",
      provider,
      connection,
      candidates: [provider],
      variables: variablesOf(reach, provider),
      message:
        `Requests to this URL get the credential of the connection "${connection}" of ${provider}. ${howToSend()}` +
        (reach.limits.rules.length === 0
          ? ""
          : ` Rules limit the requests of this run. To check one, run: credsvc explain <method> <url>`)
    }
  }
  const candidates = [...new Set(match.candidates.map(({ provider }) => provider))]
  return match._tag === "Ambiguous"
    ? {
      ...nothing,
      outcome: "ambiguous",
      candidates,
      message:
        `This URL belongs to several providers, so requests get no credential: ${
          candidates.join(", ")
        }. The user can ` +
        "remove one of them."
    }
    : {
      ...nothing,
      outcome: "no_connection",
      candidates,
      message:
        `This URL belongs to ${candidates.join(" or ")}, which has no usable connection. Ask the user for a login ` +
        "with request_login."
    }
}
