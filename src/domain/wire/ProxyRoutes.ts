/** What a proxy reads from the daemon before its first request, and again for each tunnel. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProviderName } from "./ProviderName.ts"
import { named, wire } from "./Wire.ts"

const RoutePrecedence = Schema.Literals(["custom", "confirmed"]).pipe(named(
  "RoutePrecedence",
  "A `custom` route yields to a bundled provider with a connection, however specific it is; a `confirmed` one, which " +
    "the user has confirmed, takes precedence over it"
))

export const Route = wire(
  {
    host: Schema.String,
    pathPrefix: Schema.NullOr(Schema.String),
    provider: ProviderName,
    connection: Schema.NullOr(ConnectionName),
    connected: Schema.Boolean,
    signing: Schema.optionalKey(Schema.Literal("aws_sigv4")),
    precedence: Schema.optionalKey(RoutePrecedence)
  },
  "ProxyRoute",
  "A row of the routing table",
  {
    host:
      "An exact name, or a name in which `*` stands for exactly one label, such as `*.example.com`; with `:port` if the " +
      "port is not 443",
    pathPrefix: "The path that requests must be under, in whole segments; null for the whole host",
    provider: "The provider that the requests belong to",
    connection: "The default connection of the provider; null without one",
    connected: "Whether the provider has a usable connection",
    signing: "Present if requests get a signature in place of the secret",
    precedence: "How the route ranks among others of the same host; absent for a bundled provider"
  }
)
export type Route = typeof Route.Type

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
