import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  apiKeyDescriptions,
  ApiKeyProvider,
  AuthType,
  FlowKind,
  oauthDescriptions,
  OAuthProvider,
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
import { named, wire } from "../domain/wire/Wire.ts"
import { ProfileSelection, RequestProblems } from "./Middleware.ts"
import { BooleanText } from "./Parameters.ts"

const originDescriptions = {
  source: "Whether the definition ships with credsvc or was registered",
  overridesBundled: "Whether a bundled definition of this name is not used because of this one"
}

export const ProviderSummary = wire(
  {
    name: ProviderName,
    displayName: Schema.String,
    authType: AuthType,
    flow: FlowKind,
    flows: Schema.Array(FlowKind),
    source: ProviderSource,
    overridesBundled: Schema.Boolean,
    hosts: Schema.Array(Schema.String),
    variables: Schema.Array(Schema.String)
  },
  "ProviderSummary",
  "A provider, without the details of its definition",
  {
    name: "The name of the provider",
    displayName: "The name to show to people",
    authType: "The kind of credential",
    flow: "The default login method",
    flows: "All login methods",
    ...originDescriptions,
    hosts: "The hosts that may receive the credential",
    variables: "The environment variables that commonly hold the credential"
  }
)
export type ProviderSummary = typeof ProviderSummary.Type

export const ProviderList = Schema.Struct({ providers: Schema.Array(ProviderSummary) }).pipe(
  named("ProviderList", "All providers", { providers: "The providers, by name" })
)

const origin = { source: ProviderSource, overridesBundled: Schema.Boolean }

export const ProviderDetail = Schema.Union([
  wire(
    { ...OAuthProvider.to.fields, ...origin },
    "OAuthProviderDetail",
    "The definition of a provider with OAuth, and its source",
    { ...oauthDescriptions, ...originDescriptions }
  ),
  wire(
    { ...ApiKeyProvider.to.fields, ...origin },
    "ApiKeyProviderDetail",
    "The definition of a provider with API keys, and its source",
    { ...apiKeyDescriptions, ...originDescriptions }
  )
]).pipe(named("ProviderDetail", "A provider definition with its source"))
export type ProviderDetail = typeof ProviderDetail.Type

export const ProviderOverlap = wire(
  {
    host: Schema.String,
    otherProvider: ProviderName,
    otherHost: Schema.String,
    otherSource: ProviderSource,
    takenOver: Schema.Boolean
  },
  "ProviderOverlap",
  "A host and path that a definition shares with another provider",
  {
    host: "The host and path of the definition",
    otherProvider: "The other provider",
    otherHost: "The host and path of the other provider",
    otherSource: "Whether the other definition ships with credsvc",
    takenOver: "Whether requests there go to this provider even if the other one has a connection"
  }
)
export type ProviderOverlap = typeof ProviderOverlap.Type

export const ProviderClaims = wire(
  {
    hosts: Schema.Array(Schema.String),
    variables: Schema.Array(Schema.String),
    overlaps: Schema.Array(ProviderOverlap)
  },
  "ProviderClaims",
  "The hosts and variables that a definition claims",
  {
    hosts: "The hosts that receive the credential",
    variables: "The environment variables that are set in child processes of `run`",
    overlaps: "The hosts and paths that other providers claim as well"
  }
)
export type ProviderClaims = typeof ProviderClaims.Type

export const DiscoveredProvider = wire(
  {
    provider: ProviderName,
    registered: Schema.Boolean,
    resource: Schema.String,
    authorizationServer: Schema.String,
    definition: Schema.Record(Schema.String, Schema.Json)
  },
  "DiscoveredProvider",
  "The result of discovery at an address",
  {
    provider: "The provider already registered for this address, or else an unused name",
    registered: "Whether a provider is registered for this address",
    resource: "The protected resource",
    authorizationServer: "The issuer. Users should see its host before they visit it",
    definition: "The definition to register"
  }
)
export type DiscoveredProvider = typeof DiscoveredProvider.Type

const flag = (description: string) => Schema.optionalKey(BooleanText).annotateKey({ description })

const registration = {
  allow_insecure_loopback: flag("Whether to accept http endpoints on literal loopback addresses"),
  take_over: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isMaxLength(512))).check(Schema.isMaxLength(200)).annotate({
      description:
        "A host and path of the definition whose requests go to this provider even if a bundled one claims it"
    })
  )
}

const DiscoveryRequest = wire(
  { url: Schema.String, allowInsecureLoopback: Schema.optionalKey(Schema.Boolean) },
  "DiscoveryRequest",
  "The address to discover",
  {
    url: "The URL of a remote MCP server",
    allowInsecureLoopback: "Whether to accept an http URL with a literal loopback address; false when absent"
  }
)

export class ProvidersGroup extends HttpApiGroup.make("providers")
  .add(
    HttpApiEndpoint.get("list", "/providers", {
      success: ProviderList
    }).annotateMerge(OpenApi.annotations({
      identifier: "providers.list",
      summary: "List providers",
      description: "Lists bundled and custom providers by name, with or without connections."
    })),
    HttpApiEndpoint.get("get", "/providers/:provider", {
      params: { provider: ProviderName },
      success: ProviderDetail,
      error: [ProviderNotFoundError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "providers.get",
      summary: "Get a provider's definition",
      description: "Returns the definition that is in effect, with its defaults."
    })),
    HttpApiEndpoint.post("register", "/providers", {
      query: { force: flag("Whether to replace a definition of this name"), ...registration },
      payload: Schema.Unknown,
      success: ProviderDetail.pipe(HttpApiSchema.status(201)),
      error: [InvalidRequestError, ProviderAlreadyRegisteredError, OperationNotAllowedError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "providers.register",
      summary: "Register a custom provider",
      description:
        "The body is the definition. With `force=true` it replaces a custom provider of that name or overrides a " +
        "bundled one. `allow_insecure_loopback=true` accepts http endpoints on literal loopback addresses. If a " +
        "bundled provider with a connection claims the same host and path, requests go to the bundled one. `take_over=<host/path>`, " +
        "given once for each host of the definition, sends them to this provider instead, until its definition changes."
    })),
    HttpApiEndpoint.post("check", "/providers/check", {
      query: registration,
      payload: Schema.Unknown,
      success: ProviderClaims,
      error: [InvalidRequestError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "providers.check",
      summary: "Check a definition",
      description: "Validates a definition as registration does and returns its claims. Stores nothing."
    })),
    HttpApiEndpoint.post("discover", "/providers/discover", {
      payload: DiscoveryRequest,
      success: DiscoveredProvider,
      error: [InvalidRequestError, AuthenticationFailedError, EndpointUnreachableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "providers.discover",
      summary: "Discover how to log in at an address",
      description:
        "Reads the metadata of a remote MCP server (RFC 9728, RFC 8414). Does not register a provider: send `definition` to " +
        "`POST /providers` to do so."
    })),
    HttpApiEndpoint.delete("remove", "/providers/:provider", {
      params: { provider: ProviderName },
      success: ProviderRemoved,
      error: [ProviderNotFoundError, OperationNotAllowedError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "providers.remove",
      summary: "Remove a custom provider, or reset a bundled one",
      description:
        "Does not contact the provider. Removing a custom provider also removes its connections in every profile; the " +
        "response lists them."
    }))
  )
  .middleware(ProfileSelection)
  .middleware(RequestProblems)
  .annotateMerge(OpenApi.annotations({ title: "Providers", description: "APIs and how to authenticate to them." }))
{}
