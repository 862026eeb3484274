import * as Result from "effect/Result"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import type { ProviderDefinition } from "../../src/domain/definition/Provider.ts"

/** Reads the document of a provider with an API key, unless it says otherwise. */
export const define = (document: object): ProviderDefinition =>
  Result.getOrThrow(readDefinition({ name: "acme", auth_type: "api_key", flow: "api_key", ...document }))

/** What makes it a provider with OAuth. */
export const oauth = {
  auth_type: "oauth2",
  flow: "pkce",
  oauth: { authorization_url: "https://acme.dev/a", token_url: "https://acme.dev/t" },
  api_url: "https://api.acme.dev"
}
