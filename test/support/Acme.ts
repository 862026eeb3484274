/** The provider `acme` of many tests, with an API key or with OAuth, parsed from its document like any other. */
import * as Result from "effect/Result"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import type { OAuthProvider, ProviderName } from "../../src/domain/definition/Provider.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"

export const acme = "acme" as ProviderName
export const main = "default" as ConnectionName
export const work = "work" as ConnectionName

type Changes = Readonly<Record<string, unknown>>

export const keyDocument = (changes: Changes = {}) => ({
  schema_version: 1,
  name: "acme",
  auth_type: "api_key",
  flow: "api_key",
  api_url: "https://api.acme.example",
  ...changes
})

export const keyDefinition = (changes: Changes = {}) => Result.getOrThrow(readDefinition(keyDocument(changes)))

export const oauthDocument = (changes: Changes = {}) => ({
  schema_version: 1,
  name: "acme",
  auth_type: "oauth2",
  flow: "pkce",
  api_url: "https://api.acme.example",
  ...changes,
  oauth: {
    authorization_url: "https://login.acme.example/authorize",
    token_url: "https://login.acme.example/token",
    revocation_url: "https://login.acme.example/revoke",
    ...changes["oauth"] as object | undefined
  }
})

export const oauthDefinition = (changes: Changes = {}): OAuthProvider => {
  const definition = Result.getOrThrow(readDefinition(JSON.parse(JSON.stringify(oauthDocument(changes)))))
  if (definition.authType !== "oauth2") throw new Error("not an OAuth provider")
  return definition
}
