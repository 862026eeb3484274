/** Builds a provider definition from the user's answers. */
import { variablePrefix } from "../../../domain/wire/Names.ts"

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
  | { readonly kind: "client"; readonly tokenUrl: string; readonly scopes: ReadonlyArray<string> }

export interface Answers {
  readonly name: string
  readonly displayName: string
  readonly apiUrl: string
  readonly authentication: Authentication
  /** The page where keys or OAuth apps are created. May be empty. */
  readonly credentialsUrl: string
  readonly variable: string
}

const sectionOf = (authentication: Authentication): object => {
  switch (authentication.kind) {
    case "oauth": {
      const { authorizationUrl, scopes, tokenUrl } = authentication
      return { oauth: { authorization_url: authorizationUrl, token_url: tokenUrl, scopes } }
    }
    case "client": {
      const { scopes, tokenUrl } = authentication
      return { oauth: { token_url: tokenUrl, client_credentials: { scopes } } }
    }
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

const flows: { readonly [Kind in Authentication["kind"]]?: string } = { oauth: "pkce", client: "client_credentials" }

export const defaultVariable = (name: string, kind: Authentication["kind"]): string =>
  `${variablePrefix(name)}_${flows[kind] === undefined ? "API_KEY" : "ACCESS_TOKEN"}`

export const definitionOf = ({ apiUrl, authentication, credentialsUrl, displayName, name, variable }: Answers) => {
  const oauthFlow = flows[authentication.kind]
  return {
    schema_version: 1,
    name,
    display_name: displayName,
    ...(credentialsUrl === "" ? {} : { credentials_url: credentialsUrl }),
    auth_type: oauthFlow === undefined ? "api_key" : "oauth2",
    flow: oauthFlow ?? "api_key",
    api_url: apiUrl,
    ...sectionOf(authentication),
    export: { env: { [oauthFlow === undefined ? "api_key" : "access_token"]: variable } }
  }
}
