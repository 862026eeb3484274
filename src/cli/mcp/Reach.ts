/** What an agent can reach: the connections of the profile, within the limits of the outer run of this program. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ResponseOf } from "../../api/Operations.ts"
import { isInsideRun } from "../../config/RunMark.ts"
import { hostAndPrefix } from "../../domain/injection/Route.ts"
import { ConnectionName, ConnectionStatus } from "../../domain/wire/Connection.ts"
import { ProviderName } from "../../domain/wire/ProviderName.ts"
import type { ProxyRoutes } from "../../domain/wire/ProxyRoutes.ts"
import { Timestamp, wire } from "../../domain/wire/Wire.ts"
import { outcomes } from "../../proxy/Explanation.ts"
import * as RouteTable from "../../proxy/routing/RouteTable.ts"
import { singleLine } from "../output/Sanitize.ts"
import type { OuterLimits } from "../run/OuterRuns.ts"
import { explained } from "../run/ProxyDecision.ts"
import { daemonView, type ShownConnection } from "./McpDaemon.ts"

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
export type Connected = typeof Connected.Encoded

export const Explained = wire({
  outcome: Schema.Literals(outcomes).annotate({
    description:
      "`credential`: the request gets a credential. `not_connected`: it needs a login. `no_credential`: it is sent " +
      "without a credential. `refused`: it is not sent"
  }),
  provider: Schema.NullOr(Schema.String),
  connection: Schema.NullOr(Schema.String),
  rule: Schema.NullOr(Schema.String).annotate({ description: "The rule that allows the request, if rules apply" }),
  variables: Schema.Array(Variable),
  message: Schema.String
})
export type Explained = typeof Explained.Encoded

export type Reach = Effect.Success<typeof readReach>

export const allows = ({ providers }: OuterLimits, provider: string): boolean =>
  providers === null || providers.some((name) => name === provider)

const reachOf = (
  { limits, profile }: { readonly limits: OuterLimits; readonly profile: string },
  { placeholders, routes, version }: ProxyRoutes,
  connections: ReadonlyArray<ShownConnection>
) => {
  const filter: RouteTable.RouteFilter = {
    providers: limits.providers ?? undefined,
    connections: limits.connections
  }
  return {
    profile,
    limits,
    routes: routes.filter(({ provider }) => allows(limits, provider)),
    table: RouteTable.make(version, routes, filter),
    placeholders: RouteTable.filtered(placeholders, filter),
    connections: connections.filter(({ provider }) => allows(limits, provider))
  }
}

export const readReach = Effect.gen(function*() {
  const { connections, limits, routes, whoami } = yield* daemonView
  const { profile } = yield* whoami
  return reachOf({ limits, profile }, yield* routes, yield* connections)
})

const problemOf = (
  { last_refresh_error: lastRefreshError, refused_at: refusedAt, status }: ShownConnection
): string | null => {
  if (status === "expired") return "The credential has expired and cannot be refreshed: the user has to log in again."
  if (refusedAt !== null) return "The provider rejected the credential: the user should log in again."
  if (status === "invalid") {
    return "The provider's definition has changed since the login: the user has to log in again."
  }
  return lastRefreshError === null ? null : `The last refresh failed: ${singleLine(lastRefreshError)}`
}

const shownVariables = (reach: Reach, provider: string) =>
  reach.placeholders.filter((each) => each.provider === provider).map(({ value, variable }) => ({
    name: variable,
    value
  }))

const isUsed = (
  { limits }: Reach,
  { connection_name: name, is_default: isDefault, provider }: ShownConnection
): boolean => {
  const chosen = limits.connections[provider]
  return chosen === undefined ? isDefault : chosen === name
}

export const connectedOf = (reach: Reach, known: ResponseOf<"providers.list">["providers"]): Connected => {
  const names = [...new Set(reach.connections.map(({ provider }) => provider))].toSorted()
  return {
    profile: reach.profile,
    inside_run: isInsideRun(),
    limited_to: reach.limits.providers,
    other_hosts: reach.limits.unmatched,
    providers: names.map((provider) => ({
      provider,
      display_name: singleLine(known.find(({ name }) => name === provider)?.display_name ?? provider),
      hosts: [...new Set(reach.routes.filter((route) => route.provider === provider).map(hostAndPrefix))],
      variables: shownVariables(reach, provider),
      connections: reach.connections.filter((each) => each.provider === provider).map((connection) => ({
        name: connection.connection_name,
        used: isUsed(reach, connection),
        status: connection.status,
        problem: problemOf(connection),
        account: nullable(connection.account.label ?? connection.account.id),
        expires_at: connection.expires_at
      }))
    }))
  }
}

const nullable = (text: string | null): string | null => text === null ? null : singleLine(text)

/** Tells how an agent sends a request with the credential. */
const howToSend = (): string =>
  isInsideRun()
    ? "Commands in this environment already send it with the credential."
    : "Run the command that sends it as: credsvc run -- <command>"

/** Explains the decision of the proxy. Returns undefined if the proxy would reject the URL as invalid. */
export const explain = (reach: Reach, method: string, url: string): Explained | undefined => {
  const { rules, unmatched } = reach.limits
  const decision = explained({ ...reach, rules, unmatched }, { method, url })
  if (decision === undefined) return undefined
  const { connection, message, outcome, provider, rule, variables } = decision
  const advice = outcome === "credential"
    ? ` ${howToSend()}`
    : outcome === "not_connected"
    ? ". Ask the user for it with request_login."
    : ""
  const sentence = outcome === "credential" ? `${message}.` : message
  return { outcome, provider, connection, rule, variables, message: `${method} ${url} ${sentence}${advice}` }
}
