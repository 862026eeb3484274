/**
 * The list of providers, apart from the rest of `ProvidersGroup`: a command that only prints the list has no use for the
 * schemas of definitions, which take longer to make than the list to print.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { AuthType, FlowKind, ProviderName, ProviderSource } from "../domain/ProviderName.ts"
import { wire } from "../domain/Wire.ts"

/** One line of the list of providers. `variables` are the names of environment variables that its credential goes by. */
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

export const listProviders = HttpApiEndpoint.get("list", "/providers", { success: ProviderList })
  .annotateMerge(OpenApi.annotations({ identifier: "providers.list", summary: "List providers" }))
