/** What a proxy reads from the daemon before its first request, and again for each tunnel to a host without a route. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProviderName } from "./ProviderName.ts"
import { named, struct, wire, withDefault } from "./Wire.ts"

const RoutePrecedence = Schema.Literals(["custom", "confirmed"]).pipe(named(
  "RoutePrecedence",
  "The precedence if a request also matches a bundled provider with a connection. `custom`: the request goes to " +
    "the bundled provider, however specific this route is. `confirmed`: the request goes to this route, as the user has confirmed"
))

export const Route = wire("ProxyRoute", "A row of the routing table", {
  host: [
    Schema.String,
    "An exact name, or a name in which `*` stands for exactly one label, such as `*.example.com`; with `:port` if the " +
    "port is not 443"
  ],
  pathPrefix: [
    Schema.NullOr(Schema.String),
    "The path prefix of the requests, in whole segments; null for the whole host"
  ],
  provider: [ProviderName, "The provider that the requests belong to"],
  connection: [Schema.NullOr(ConnectionName), "The default connection of the provider; null if it has no connection"],
  connected: [Schema.Boolean, "Whether the provider has a usable connection"],
  open: [
    Schema.optionalKey(Schema.Literal(true)),
    "Present if requests need no connection: programs log in to the provider, or send tokens that the API has issued"
  ],
  login: [
    Schema.optionalKey(Schema.Literal(true)),
    "Present for a provider to which programs log in. A request without a placeholder of such a login belongs to another " +
    "connected provider, if there is one"
  ],
  asked: [
    Schema.optionalKey(Schema.Literal(true)),
    "Present for a route that a run has only if its program logs in to the provider, or if --provider names the provider"
  ],
  signing: [
    Schema.optionalKey(Schema.Literal("aws_sigv4")),
    "Present if requests get a signature in place of the secret"
  ],
  precedence: [
    Schema.optionalKey(RoutePrecedence),
    "How the route ranks among other routes of the same host. Absent for a bundled provider"
  ]
})
export type Route = typeof Route.Type

export const ProxyPlaceholder = struct(
  "ProxyPlaceholder",
  "An environment variable for child processes: never a secret",
  {
    provider: [ProviderName, "The provider"],
    connection: [
      Schema.optionalKey(ConnectionName),
      "The connection whose account or address the variable contains, for runs that use this connection. Absent for the " +
      "value that all other runs get"
    ],
    own: [
      Schema.optionalKey(Schema.Literal(true)),
      "Present if the value is the placeholder with which a request selects the connection"
    ],
    exact: [
      Schema.optionalKey(Schema.Literal(true)),
      "Present if the value is a placeholder that does not contain the usual text `credsvc-proxy-managed`"
    ],
    variable: [Schema.String, "The name of the variable"],
    value: [Schema.String, "The value of the variable, which an SDK needs to start"]
  }
)
export type ProxyPlaceholder = typeof ProxyPlaceholder.Type

export const ProxyRoutes = wire(
  "ProxyRoutes",
  "The routing table, with variables for providers with a usable connection",
  {
    version: [Schema.String, "Changes with every change of the other fields; also the ETag"],
    routes: [Schema.Array(Route), "The routes"],
    placeholders: [
      Schema.Array(ProxyPlaceholder),
      "The variables with placeholders that clients of the providers read"
    ],
    baseUrls: [
      withDefault(Schema.Array(ProxyPlaceholder), []),
      "The variables from which SDKs read the base URL of their API, and their values"
    ],
    cloudIdentities: [
      withDefault(Schema.Array(ProxyPlaceholder), []),
      "The variables by which cloud SDKs find the metadata endpoint that a run provides: GCE_METADATA_HOST, with " +
      "the email address of the account if known, and IDENTITY_ENDPOINT, with each resource"
    ]
  }
)
export type ProxyRoutes = typeof ProxyRoutes.Type
