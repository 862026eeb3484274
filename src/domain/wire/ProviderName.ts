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

/** The flows whose connections store what the user entered, with which the daemon requests each access token. */
export const StoredGrantKind = Schema.Literals(["client_credentials", "jwt_bearer", "token_request"])
export type StoredGrantKind = typeof StoredGrantKind.Type

export const isStoredGrant = (flow: string): flow is StoredGrantKind =>
  (StoredGrantKind.literals as ReadonlyArray<string>).includes(flow)

/** A flow of the embedding program. The dot keeps its name apart from the names of built-in flows. */
type OwnFlowKind = `${string}.${string}`

const ownFlowKind = /^(?=.{3,64}$)[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*)+$/u

/** Whether a program that embeds credsvc has defined the flow. */
export const isOwnFlow = (flow: string): flow is OwnFlowKind => ownFlowKind.test(flow)

/** One of the given built-in flows, or a flow of the embedding program. One schema, so that an invalid flow is one problem. */
const openKinds = <const Kinds extends ReadonlyArray<string>>(kinds: Kinds, component: string, description: string) =>
  Schema.String.pipe(
    named(
      component,
      `${description}. A name with a dot, such as \`acme.ticket\`: a login method of a program that embeds credsvc`
    ),
    Schema.refine((flow): flow is Kinds[number] | OwnFlowKind => kinds.includes(flow) || isOwnFlow(flow), {
      expected: `${kinds.map((kind) => JSON.stringify(kind)).join(" | ")}, or a name with a dot such as "acme.ticket"`,
      toJsonSchema: () => ({
        anyOf: [
          { component: `Known${component}`, description, type: "string", enum: kinds },
          { type: "string", pattern: ownFlowKind.source }
        ]
      })
    })
  )

const oauthFlows = ["pkce", "device_code", "dcr_pkce", "refresh_token", ...StoredGrantKind.literals] as const
const keyFlows = ["api_key", "assume_role"] as const

export const OAuthFlowKind = openKinds(oauthFlows, "OAuthFlowKind", "A login method of OAuth providers")
export type OAuthFlowKind = typeof OAuthFlowKind.Type

export const KeyFlowKind = openKinds(keyFlows, "KeyFlowKind", "A login method of providers with keys")
export const DefaultKeyFlowKind = openKinds(
  ["api_key"],
  "DefaultKeyFlowKind",
  "The default login method of providers with keys"
)

export const builtInFlows = [...oauthFlows, ...keyFlows, "credential_command"] as const
export type BuiltInFlowKind = typeof builtInFlows[number]

export const FlowKind = openKinds(
  builtInFlows,
  "FlowKind",
  "A login method. `pkce`: authorization code with PKCE. `device_code`: a code that is entered on any device. " +
    "`dcr_pkce`: like `pkce`, with a client that is registered automatically. `assume_role`: keys that AWS issues for a " +
    "role. `credential_command`: a program prints the key"
)
export type FlowKind = typeof FlowKind.Type

export const isFlow = Schema.is(FlowKind)

/** Whether the daemon can obtain another credential for connections of this flow, without a refresh token. */
export const obtainsAgain = (flow: FlowKind): boolean =>
  isStoredGrant(flow) || flow === "assume_role" || flow === "credential_command"

export const ProviderSource = Schema.Literals(["bundled", "custom"]).pipe(
  named("ProviderSource", "Whether the definition is bundled or was registered")
)
export type ProviderSource = typeof ProviderSource.Type

export const RedirectHost = Schema.Literals(["127.0.0.1", "localhost"]).pipe(
  named("RedirectHost", "Host of a redirect URI on this machine")
)
