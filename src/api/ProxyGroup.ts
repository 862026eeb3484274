/** What the proxy needs to know before a request: which hosts belong to which provider. */
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
 * `host` is an exact name or `*.suffix` (one label more, never the suffix itself), with `:port` where it is not 443.
 * `connection` is the default one, null when there is none. `precedence` is absent for a bundled provider: a `custom` route
 * yields to a bundled provider that has a connection, a `confirmed` one takes precedence over it.
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
 * Environment variables for a child process: never a secret, only what makes its SDK start. `connection` is there where the
 * value is that of one connection, as its account or address: for a run that has chosen it, instead of the one without.
 */
export const ProxyPlaceholder = Schema.Struct({
  provider: ProviderName,
  connection: Schema.optionalKey(ConnectionName),
  variable: Schema.String,
  value: Schema.String
})
export type ProxyPlaceholder = typeof ProxyPlaceholder.Type

/**
 * `version` changes with every change of the table; it is also the ETag. `baseUrls` are variables that SDKs read the
 * address of their API from, with that address.
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
      summary: "The routing table",
      description:
        "Which hosts belong to which provider. Answers 304 to an `If-None-Match` with the current version. " +
        "`placeholders` are for providers with a connection, and so are `base_urls`: variables that SDKs read the " +
        "address of their API from, with that address."
    }))
  )
  .middleware(ProfileSelection)
  .middleware(RequestProblems)
  .annotateMerge(OpenApi.annotations({ title: "Proxy", description: "For the forward proxy of `run`." }))
{}
