/**
 * Provider names and categories, apart from the definition, whose schemas take longer to construct than a short-lived
 * process takes to run.
 */
import * as Schema from "effect/Schema"
import { isUnreserved, providerNamePattern } from "./Names.ts"
import { named } from "./Wire.ts"

export const ProviderName = Schema.String.pipe(named("ProviderName", "The name of a provider")).check(
  Schema.isPattern(providerNamePattern, {
    expected: "a name of 1-64 characters from a-z, 0-9, dot, underscore and hyphen"
  }),
  Schema.makeFilter((name: string) => !providerNamePattern.test(name) || isUnreserved(name), {
    expected: "a name that is not reserved and has no \"..\""
  })
).pipe(Schema.brand("ProviderName"))
export type ProviderName = typeof ProviderName.Type

export const AuthType = Schema.Literals(["oauth2", "api_key"]).pipe(
  named("AuthType", "The kind of credential: OAuth tokens, or a key")
)
export type AuthType = typeof AuthType.Type

/** The flows whose connections store what a person entered, and request each access token with it. */
export const StoredGrantKind = Schema.Literals(["client_credentials", "jwt_bearer", "token_request"])
export type StoredGrantKind = typeof StoredGrantKind.Type

export const isStoredGrant = Schema.is(StoredGrantKind)

const redirectless = ["refresh_token", ...StoredGrantKind.literals] as const

export const OAuthFlowKind = Schema.Literals(["pkce", "device_code", "dcr_pkce", ...redirectless]).pipe(
  named("OAuthFlowKind", "A login method of OAuth providers")
)
export type OAuthFlowKind = typeof OAuthFlowKind.Type

export const KeyFlowKind = Schema.Literals(["api_key", "assume_role"]).pipe(
  named("KeyFlowKind", "A login method of providers with keys")
)

export const FlowKind = Schema.Literals([
  "pkce",
  "device_code",
  "dcr_pkce",
  ...redirectless,
  ...KeyFlowKind.literals,
  "credential_command"
]).pipe(named(
  "FlowKind",
  "A login method. `pkce`: authorization code with PKCE. `device_code`: a code that is entered on any device. " +
    "`dcr_pkce`: like `pkce`, with a client that is registered automatically. `assume_role`: keys that AWS issues for a " +
    "role. `credential_command`: a program prints the key"
))
export type FlowKind = typeof FlowKind.Type

/** Whether the daemon can obtain another credential for connections of this flow, without a refresh token. */
export const obtainsAgain = (flow: FlowKind): boolean =>
  isStoredGrant(flow) || flow === "assume_role" || flow === "credential_command"

export const ProviderSource = Schema.Literals(["bundled", "custom"]).pipe(
  named("ProviderSource", "Whether the definition ships with credsvc or was registered")
)
export type ProviderSource = typeof ProviderSource.Type
