/** The operations on provider definitions, and the schemas of their responses. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import {
  apiKeyFields,
  AuthType,
  Checked,
  FlowKind,
  oauthFields,
  ProviderName,
  ProviderSource
} from "../domain/definition/Provider.ts"
import {
  AuthenticationFailedError,
  EndpointUnreachableError,
  InvalidRequestError,
  OperationNotAllowedError,
  ProviderAlreadyRegisteredError,
  ProviderNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { ProviderRemoved } from "../domain/wire/ConnectionResults.ts"
import { named, struct, wire } from "../domain/wire/Wire.ts"
import { BooleanText, forAdministrator, forJobs, optional, ProfileSelection, titled } from "./OperationParts.ts"

const origin = {
  source: [ProviderSource, "Whether the definition is bundled or was registered"],
  overridesBundled: [Schema.Boolean, "Whether this definition overrides a bundled definition of the same name"]
} as const

export const ProviderSummary = wire("ProviderSummary", "A provider, without the details of its definition", {
  name: [ProviderName, "The name of the provider"],
  displayName: [Schema.String, "The name to show to people"],
  authType: [AuthType, "The kind of credential"],
  flow: [FlowKind, "The default login method"],
  flows: [Schema.Array(FlowKind), "All login methods"],
  ...origin,
  checked: [
    Schema.NullOr(Checked),
    "When the definition was last compared with a source of the vendor; null if it never was, and for custom definitions"
  ],
  hosts: [Schema.Array(Schema.String), "The hosts that may receive the credential"],
  variables: [Schema.Array(Schema.String), "The environment variables that commonly hold the credential"]
})
export type ProviderSummary = typeof ProviderSummary.Type

export const ProviderList = struct("ProviderList", "All providers", {
  providers: [Schema.Array(ProviderSummary), "The providers, sorted by name"]
})

export const ProviderDetail = Schema.Union([
  wire("OAuthProviderDetail", "The definition of a provider with OAuth, and its source", { ...oauthFields, ...origin }),
  wire("ApiKeyProviderDetail", "The definition of a provider with API keys, and its source", {
    ...apiKeyFields,
    ...origin
  })
]).pipe(named("ProviderDetail", "A provider definition with its source"))
export type ProviderDetail = typeof ProviderDetail.Type

export const ProviderOverlap = wire(
  "ProviderOverlap",
  "A host and path that a definition shares with another provider",
  {
    host: [Schema.String, "The host and path of the definition"],
    otherProvider: [ProviderName, "The other provider"],
    otherHost: [Schema.String, "The host and path of the other provider"],
    otherSource: [ProviderSource, "Whether the other definition is bundled"],
    takenOver: [Schema.Boolean, "Whether requests use this provider even if the other provider has a connection"]
  }
)
export type ProviderOverlap = typeof ProviderOverlap.Type

export const ProviderClaims = wire("ProviderClaims", "The hosts and variables that a definition claims", {
  hosts: [Schema.Array(Schema.String), "The hosts that receive the credential"],
  variables: [Schema.Array(Schema.String), "The environment variables that are set in child processes of `run`"],
  overlaps: [Schema.Array(ProviderOverlap), "The hosts and paths that other providers also claim"]
})
export type ProviderClaims = typeof ProviderClaims.Type

export const DiscoveredProvider = wire("DiscoveredProvider", "The result of discovery at a URL", {
  provider: [ProviderName, "The provider already registered for this URL, or else an unused name"],
  registered: [Schema.Boolean, "Whether a provider is registered for this URL"],
  resource: [Schema.String, "The protected resource"],
  authorizationServer: [Schema.String, "The issuer. Show its host to users before they visit it"],
  definition: [Schema.Record(Schema.String, Schema.Json), "The definition to register"]
})
export type DiscoveredProvider = typeof DiscoveredProvider.Type

const registration = {
  allow_insecure_loopback: optional(BooleanText, "Whether to accept http endpoints on literal loopback addresses"),
  take_over: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isMaxLength(512))).check(Schema.isMaxLength(200)).annotate({
      description:
        "A host and path of the definition. Requests to it use this provider even if a bundled provider claims it"
    })
  )
}

const DiscoveryRequest = wire("DiscoveryRequest", "The URL to discover", {
  url: [Schema.String, "The URL of a remote MCP server"],
  allowInsecureLoopback: [
    Schema.optionalKey(Schema.Boolean),
    "Whether to accept an http URL with a literal loopback address. The default is false"
  ],
  trustIssuer: [
    Schema.optionalKey(Schema.String),
    "Another issuer that the authorization server may name in place of its own"
  ],
  noResource: [
    Schema.optionalKey(Schema.Boolean),
    "Whether to accept metadata of another resource, for a login with `no_resource`. The default is false"
  ]
})

export class ProvidersGroup extends HttpApiGroup.make("providers")
  .add(
    forJobs(
      "List providers",
      "Lists all bundled and custom providers, sorted by name, whether or not they have connections."
    ).get("list", "/providers", { success: ProviderList }),
    forJobs("Get a provider's definition", "Returns the definition that is in effect, with its defaults.")
      .get("get", "/providers/:provider", {
        params: { provider: ProviderName },
        success: ProviderDetail,
        error: [ProviderNotFoundError]
      }),
    forAdministrator(
      "Register a custom provider",
      "The body is the definition. With `force=true` it replaces a custom provider of that name or overrides a " +
        "bundled provider. `allow_insecure_loopback=true` accepts http endpoints on literal loopback addresses. If a " +
        "bundled provider with a connection claims the same host and path, requests use the bundled provider. `take_over=<host/path>`, " +
        "given once for each host of the definition, makes them use this provider instead, until its definition changes."
    ).post("register", "/providers", {
      query: { force: optional(BooleanText, "Whether to replace a definition of this name"), ...registration },
      payload: Schema.Unknown,
      success: ProviderDetail.pipe(HttpApiSchema.status(201)),
      error: [InvalidRequestError, ProviderAlreadyRegisteredError, OperationNotAllowedError, VaultUnavailableError]
    }),
    forAdministrator(
      "Check a definition",
      "Validates a definition as registration does and returns its claims. Stores nothing."
    ).post("check", "/providers/check", {
      query: registration,
      payload: Schema.Unknown,
      success: ProviderClaims,
      error: [InvalidRequestError]
    }),
    forAdministrator(
      "Discover how to log in at a URL",
      "Reads the metadata of a remote MCP server (RFC 9728, RFC 8414). Does not register a provider: send `definition` to " +
        "`POST /providers` to do so."
    ).post("discover", "/providers/discover", {
      payload: DiscoveryRequest,
      success: DiscoveredProvider,
      error: [InvalidRequestError, AuthenticationFailedError, EndpointUnreachableError]
    }),
    forAdministrator(
      "Remove a custom provider, or reset a bundled provider",
      "Does not contact the provider. Removing a custom provider also removes its connections in every profile; the " +
        "response lists them."
    ).delete("remove", "/providers/:provider", {
      params: { provider: ProviderName },
      success: ProviderRemoved,
      error: [ProviderNotFoundError, OperationNotAllowedError, VaultUnavailableError]
    })
  )
  .middleware(ProfileSelection)
  .annotateMerge(titled("Providers", "APIs and how to authenticate to them."))
{}
