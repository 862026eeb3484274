/** The routing table of the proxy: which hosts belong to which provider. */
import * as Effect from "effect/Effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ConnectionName } from "../domain/Connection.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { ProviderName } from "../domain/ProviderName.ts"
import { wire } from "../domain/Wire.ts"
import { ProfileSelection, RequestProblems } from "./Middleware.ts"

/**
 * A route. `host` is an exact name or `*.suffix` (exactly one more label), with `:port` if it is not 443.
 * `connection` is the default connection, or null. `precedence` is absent for a bundled provider: a `custom` route
 * yields to a bundled provider with a connection, a `confirmed` one takes precedence over it.
 */
export const ProxyRoute = wire({
  host: Schema.String,
  pathPrefix: Schema.NullOr(Schema.String),
  provider: ProviderName,
  connection: Schema.NullOr(ConnectionName),
  connected: Schema.Boolean,
  precedence: Schema.optionalKey(Schema.Literals(["custom", "confirmed"]))
}, "ProxyRoute")
export type ProxyRoute = typeof ProxyRoute.Type

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
 * The routing table. `version` changes with every change of the table and is also the ETag. `baseUrls` are the
 * variables from which SDKs read the address of their API, with that address.
 */
export const ProxyRoutes = wire({
  version: Schema.String,
  routes: Schema.Array(ProxyRoute),
  placeholders: Schema.Array(ProxyPlaceholder),
  baseUrls: Schema.Array(ProxyPlaceholder).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
})
export type ProxyRoutes = typeof ProxyRoutes.Type

export class ProxyGroup extends HttpApiGroup.make("proxy")
  .add(
    HttpApiEndpoint.get("routes", "/proxy/routes", {
      success: ProxyRoutes,
      error: [VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "proxy.routes",
      summary: "Get the routing table",
      description:
        "Returns which hosts belong to which provider. Responds with 304 to an `If-None-Match` with the current version. " +
        "`placeholders` and `base_urls` exist for providers with a connection. `base_urls` are the variables from which SDKs read the " +
        "address of their API from, with that address."
    }))
  )
  .middleware(ProfileSelection)
  .middleware(RequestProblems)
  .annotateMerge(
    OpenApi.annotations({ title: "Proxy", description: "The routing table for the forward proxy of `run`." })
  )
{}
