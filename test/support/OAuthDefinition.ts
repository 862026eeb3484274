/** An OAuth provider, parsed from its document like any other. */
import * as Result from "effect/Result"
import type { OAuthProvider } from "../../src/domain/Provider.ts"
import { readDefinition } from "../../src/domain/ProviderDocument.ts"

export const oauthDocument = (overrides: Record<string, unknown> = {}) => ({
  schema_version: 1,
  name: "acme",
  auth_type: "oauth2",
  flow: "pkce",
  api_url: "https://api.acme.example",
  ...overrides,
  oauth: {
    authorization_url: "https://login.acme.example/authorize",
    token_url: "https://login.acme.example/token",
    revocation_url: "https://login.acme.example/revoke",
    ...overrides["oauth"] as object | undefined
  }
})

export const oauthDefinition = (overrides: Record<string, unknown> = {}): OAuthProvider => {
  const definition = Result.getOrThrow(readDefinition(JSON.parse(JSON.stringify(oauthDocument(overrides)))))
  if (definition.authType !== "oauth2") throw new Error("not an OAuth provider")
  return definition
}
