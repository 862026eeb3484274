/** What a proxy reads from the daemon before its first request, and again for each tunnel. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProviderName } from "./ProviderName.ts"
import { Route } from "./Route.ts"
import { named, wire } from "./Wire.ts"

export const ProxyPlaceholder = Schema.Struct({
  provider: ProviderName,
  connection: Schema.optionalKey(ConnectionName),
  own: Schema.optionalKey(Schema.Literal(true)),
  variable: Schema.String,
  value: Schema.String
}).pipe(named("ProxyPlaceholder", "An environment variable for child processes: never a secret", {
  provider: "The provider",
  connection:
    "The connection that the value (an account or an address) belongs to: it replaces the general value in runs that " +
    "use the connection. Absent for the general value",
  own: "Present if the value is the placeholder by which a request chooses the connection",
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

const isEncoded = Schema.is(Schema.toEncoded(ProxyRoutes))

/**
 * Decodes the table as its schema does; undefined if the schema rejects the value. Every run needs this before its command
 * starts, and the transformations of the schema take twice as long (docs/decisions/0022-start-of-a-run.md).
 */
export const readRoutes = (value: unknown): ProxyRoutes | undefined => {
  if (!isEncoded(value)) return undefined
  const { base_urls: baseUrls = [], placeholders, routes, version } = value
  return {
    version,
    routes: routes.map(({ path_prefix: pathPrefix, ...route }) => Object.assign(route, { pathPrefix }) as Route),
    placeholders: placeholders as ReadonlyArray<ProxyPlaceholder>,
    baseUrls: baseUrls as ReadonlyArray<ProxyPlaceholder>
  }
}
