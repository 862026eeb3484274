import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ProviderRemoved } from "../domain/ConnectionResults.ts"
import {
  ApiKeyProvider,
  AuthType,
  FlowKind,
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
import { wire } from "../domain/Wire.ts"
import { ProfileSelection, RequestProblems } from "./Middleware.ts"

/**
 * An entry of the provider list. `variables` are the names of environment variables that commonly hold its
 * credential.
 */
export const ProviderSummary = wire({
  name: ProviderName,
  displayName: Schema.String,
  authType: AuthType,
  flow: FlowKind,
  flows: Schema.Array(FlowKind),
  source: ProviderSource,
  overridesBundled: Schema.Boolean,
  hosts: Schema.Array(Schema.String),
  variables: Schema.Array(Schema.String)
}, "ProviderSummary")
export type ProviderSummary = typeof ProviderSummary.Type

export const ProviderList = Schema.Struct({ providers: Schema.Array(ProviderSummary) })

const origin = { source: ProviderSource, overridesBundled: Schema.Boolean }

/** A provider definition with its source. */
export const ProviderDetail = Schema.Union([
  wire({ ...OAuthProvider.to.fields, ...origin }),
  wire({ ...ApiKeyProvider.to.fields, ...origin })
])
export type ProviderDetail = typeof ProviderDetail.Type

/** A host and path that a definition shares with another provider. */
export const ProviderOverlap = wire({
  host: Schema.String,
  otherProvider: ProviderName,
  otherHost: Schema.String,
  otherSource: ProviderSource,
  /** Whether requests there go to this provider even if the other one has a connection. */
  takenOver: Schema.Boolean
}, "ProviderOverlap")
export type ProviderOverlap = typeof ProviderOverlap.Type

/** The claims of a definition: `hosts` receive the credential, `variables` are set in child processes of `run`. */
export const ProviderClaims = wire({
  hosts: Schema.Array(Schema.String),
  variables: Schema.Array(Schema.String),
  overlaps: Schema.Array(ProviderOverlap)
}, "ProviderClaims")
export type ProviderClaims = typeof ProviderClaims.Type

/** The result of discovery at an address: its authorization server, and the definition to register. */
export const DiscoveredProvider = wire({
  /** The provider already registered for this address, or else an unused name. */
  provider: ProviderName,
  registered: Schema.Boolean,
  resource: Schema.String,
  /** The issuer. Users should see its host before they visit it. */
  authorizationServer: Schema.String,
  definition: Schema.Record(Schema.String, Schema.Json)
}, "DiscoveredProvider")
export type DiscoveredProvider = typeof DiscoveredProvider.Type

const flag = Schema.optionalKey(Schema.Literals(["true", "false"]))

const registration = {
  allow_insecure_loopback: flag,
  take_over: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isMaxLength(512))).check(Schema.isMaxLength(200))
  )
}

export class ProvidersGroup extends HttpApiGroup.make("providers")
  .add(
    HttpApiEndpoint.get("list", "/providers", {
      success: ProviderList
    }).annotateMerge(OpenApi.annotations({ identifier: "providers.list", summary: "List providers" })),
    HttpApiEndpoint.get("get", "/providers/:provider", {
      params: { provider: ProviderName },
      success: ProviderDetail,
      error: [ProviderNotFoundError]
    }).annotateMerge(OpenApi.annotations({ identifier: "providers.get", summary: "Get a provider's definition" })),
    HttpApiEndpoint.post("register", "/providers", {
      query: { force: flag, ...registration },
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
      payload: wire({ url: Schema.String, allowInsecureLoopback: Schema.optionalKey(Schema.Boolean) }),
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
