/** What a proxy reads from the daemon before its first request, and again for each tunnel. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { isConnectionName, isProviderName } from "./Names.ts"
import { ProviderName } from "./ProviderName.ts"
import { Route } from "./Route.ts"
import { named, wire } from "./Wire.ts"

export const ProxyPlaceholder = Schema.Struct({
  provider: ProviderName,
  connection: Schema.optionalKey(ConnectionName),
  own: Schema.optionalKey(Schema.Literal(true)),
  exact: Schema.optionalKey(Schema.Literal(true)),
  variable: Schema.String,
  value: Schema.String
}).pipe(named("ProxyPlaceholder", "An environment variable for child processes: never a secret", {
  provider: "The provider",
  connection:
    "The connection that the value (an account or an address) belongs to: it replaces the general value in runs that " +
    "use the connection. Absent for the general value",
  own: "Present if the value is the placeholder by which a request chooses the connection",
  exact: "Present if the value is a placeholder that does not contain the usual text `credsvc-proxy-managed`",
  variable: "The name of the variable",
  value: "Its value, which an SDK needs to start"
}))
export type ProxyPlaceholder = typeof ProxyPlaceholder.Type

export const ProxyRoutes = wire(
  {
    version: Schema.String,
    routes: Schema.Array(Route),
    placeholders: Schema.Array(ProxyPlaceholder),
    baseUrls: Schema.Array(ProxyPlaceholder).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
  },
  "ProxyRoutes",
  "The routing table, with variables for providers with a usable connection",
  {
    version: "Changes with every change of the other fields; also the ETag",
    routes: "The routes",
    placeholders: "The variables with placeholders that clients of the providers read",
    baseUrls: "The variables from which SDKs read the address of their API, with that address"
  }
)
export type ProxyRoutes = typeof ProxyRoutes.Type

type EncodedRoute = typeof Route.Encoded
type EncodedPlaceholder = typeof ProxyPlaceholder.Encoded

const isRoute = (row: EncodedRoute): boolean =>
  typeof row === "object" && row !== null && typeof row.host === "string" &&
  (row.path_prefix === null || typeof row.path_prefix === "string") &&
  typeof row.provider === "string" && isProviderName(row.provider) &&
  (row.connection === null || (typeof row.connection === "string" && isConnectionName(row.connection))) &&
  typeof row.connected === "boolean" &&
  (row.signing === undefined || row.signing === "aws_sigv4") &&
  (row.precedence === undefined || row.precedence === "custom" || row.precedence === "confirmed")

const isPlaceholder = (row: EncodedPlaceholder): boolean =>
  typeof row === "object" && row !== null && typeof row.provider === "string" && isProviderName(row.provider) &&
  (row.connection === undefined || (typeof row.connection === "string" && isConnectionName(row.connection))) &&
  (row.own === undefined || row.own === true) &&
  typeof row.variable === "string" && typeof row.value === "string"

const isTable = (value: unknown): value is typeof ProxyRoutes.Encoded => {
  if (typeof value !== "object" || value === null) return false
  const { base_urls: baseUrls = [], placeholders, routes, version } = value as Partial<typeof ProxyRoutes.Encoded>
  return typeof version === "string" && Array.isArray(routes) && routes.every(isRoute) &&
    Array.isArray(placeholders) && placeholders.every(isPlaceholder) &&
    Array.isArray(baseUrls) && baseUrls.every(isPlaceholder)
}

const fromRow = ({ connected, connection, host, path_prefix, precedence, provider, signing }: EncodedRoute): Route => ({
  host,
  pathPrefix: path_prefix,
  provider: provider as Route["provider"],
  connection: connection as Route["connection"],
  connected,
  ...(signing === undefined ? {} : { signing }),
  ...(precedence === undefined ? {} : { precedence })
})

/**
 * Decodes the table as its schema does; undefined if the schema rejects the value. Every run needs the 1,100 rows before its
 * command starts, and the schema takes four times as long (docs/decisions/0022-start-of-a-run.md).
 */
export const readRoutes = (value: unknown): ProxyRoutes | undefined => {
  if (!isTable(value)) return undefined
  const { base_urls: baseUrls = [], placeholders, routes, version } = value
  return {
    version,
    routes: routes.map(fromRow),
    placeholders: placeholders as ReadonlyArray<ProxyPlaceholder>,
    baseUrls: baseUrls as ReadonlyArray<ProxyPlaceholder>
  }
}
