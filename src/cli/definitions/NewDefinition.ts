/** Builds a provider definition from the user's answers. */
import { variablePrefix } from "../../domain/ProviderName.ts"

export type Authentication =
  | { readonly kind: "bearer" }
  | { readonly kind: "header"; readonly name: string; readonly prefix: string }
  | { readonly kind: "query"; readonly parameter: string }
  /** Matches paths such as `/bot{api_key}`. */
  | { readonly kind: "path"; readonly template: string }
  | { readonly kind: "basic" }
  | {
    readonly kind: "oauth"
    readonly authorizationUrl: string
    readonly tokenUrl: string
    readonly scopes: ReadonlyArray<string>
  }

export interface Answers {
  readonly name: string
  readonly displayName: string
  readonly apiUrl: string
  readonly authentication: Authentication
  /** The page where keys or OAuth apps are created. May be empty. */
  readonly credentialsUrl: string
  readonly variable: string
}

const apiKeyOf = (authentication: Exclude<Authentication, { readonly kind: "oauth" }>): object => {
  switch (authentication.kind) {
    case "bearer":
      return {}
    case "header":
      return { api_key: { header_name: authentication.name, header_prefix: authentication.prefix } }
    case "query":
      return { api_key: { query_param: authentication.parameter } }
    case "path":
      return { api_key: { path_templates: [authentication.template] } }
    case "basic":
      return {
        api_key: {
          basic: { username: "{username}", password: "{api_key}" },
          fields: [{ name: "username", label: "User name", secret: false }, { name: "api_key", label: "Password" }]
        }
      }
  }
}

export const defaultVariable = (name: string, kind: Authentication["kind"]): string =>
  `${variablePrefix(name)}_${kind === "oauth" ? "ACCESS_TOKEN" : "API_KEY"}`

export const definitionOf = ({ apiUrl, authentication, credentialsUrl, displayName, name, variable }: Answers) => {
  const isOAuth = authentication.kind === "oauth"
  return {
    schema_version: 1,
    name,
    display_name: displayName,
    ...(credentialsUrl === "" ? {} : { credentials_url: credentialsUrl }),
    auth_type: isOAuth ? "oauth2" : "api_key",
    flow: isOAuth ? "pkce" : "api_key",
    api_url: apiUrl,
    ...(isOAuth
      ? {
        oauth: {
          authorization_url: authentication.authorizationUrl,
          token_url: authentication.tokenUrl,
          scopes: authentication.scopes
        }
      }
      : apiKeyOf(authentication)),
    export: { env: { [isOAuth ? "access_token" : "api_key"]: variable } }
  }
}
