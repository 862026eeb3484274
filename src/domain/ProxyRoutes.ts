/** What a proxy reads from the daemon before its first request, and again for each tunnel. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProviderName } from "./ProviderName.ts"
import { Route } from "./Route.ts"
import { wire } from "./Wire.ts"

/**
 * An environment variable for child processes: never a secret, only what an SDK needs to start. With `connection`,
 * the value (an account or an address) belongs to that connection and replaces the general one in runs that use the
 * connection.
 */
export const ProxyPlaceholder = Schema.Struct({
  provider: ProviderName,
  connection: Schema.optionalKey(ConnectionName),
  variable: Schema.String,
  value: Schema.String
})
export type ProxyPlaceholder = typeof ProxyPlaceholder.Type

/**
 * The routing table, with variables for providers with a usable connection. `version` changes with every change of the
 * other fields and is also the ETag. `baseUrls` are the variables from which SDKs read the address of their API, with
 * that address.
 */
export const ProxyRoutes = wire({
  version: Schema.String,
  routes: Schema.Array(Route),
  placeholders: Schema.Array(ProxyPlaceholder),
  baseUrls: Schema.Array(ProxyPlaceholder).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
})
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
