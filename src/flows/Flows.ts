/** Selects the flow of a login. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type BuiltInFlowKind,
  type FlowKind,
  isOwnFlow,
  isStoredGrant,
  type ProviderDefinition,
  StoredGrantKind
} from "../domain/definition/Provider.ts"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import type { OAuthHttp } from "../oauth/OAuthHttp.ts"
import { ApiKeyFlow } from "./ApiKeyFlow.ts"
import { AssumeRoleFlow } from "./AssumeRoleFlow.ts"
import { makeCodeFlow } from "./CodeFlow.ts"
import { CredentialCommandFlow } from "./CredentialCommandFlow.ts"
import { DeviceCodeFlow } from "./DeviceCodeFlow.ts"
import type { Flow, FlowState, HeldTokens } from "./Flow.ts"
import { LoginClients } from "./oauth/LoginClients.ts"
import { OAuthTargets } from "./oauth/OAuthTargets.ts"
import { RefreshTokenFlow } from "./RefreshTokenFlow.ts"
import { makeStoredGrantFlow } from "./StoredGrantFlow.ts"

const names: Readonly<Record<BuiltInFlowKind, string>> = {
  api_key: "an API key",
  assume_role: "a role",
  pkce: "OAuth in the browser",
  device_code: "a device code",
  dcr_pkce: "OAuth with dynamic registration",
  refresh_token: "a refresh token",
  client_credentials: "client credentials",
  jwt_bearer: "a private key",
  token_request: "a token request",
  credential_command: "a credential command"
}

/**
 * The flows that a definition need not declare: an existing refresh token, a program that prints a key, and the browser
 * login with the user's own client instead of a registered one.
 */
const ownFlows = ({ authType, flows }: ProviderDefinition): ReadonlyArray<FlowKind> => {
  if (authType === "api_key") return ["credential_command"]
  if (flows.every((flow) => isStoredGrant(flow))) return []
  return flows.includes("dcr_pkce") ? ["pkce", "refresh_token"] : ["refresh_token"]
}

export class Flows extends Context.Service<Flows, {
  /** Returns the flow of this kind for a provider. Fails if the provider does not support it. */
  readonly of: (definition: ProviderDefinition, kind: FlowKind) => Effect.Effect<Flow, OperationNotAllowedError>

  /** Returns the tokens that the state of a flow holds. */
  readonly held: (kind: FlowKind, state: FlowState) => Effect.Effect<HeldTokens | undefined>
}>()("credsvc/flows/Flows") {
  /** For each kind, uses the first flow that supports the provider. */
  static readonly layerOf = (flows: ReadonlyArray<Flow>): Layer.Layer<Flows> =>
    Layer.succeed(Flows, {
      held: (kind, state) =>
        Effect.map(
          Effect.forEach(flows, (flow) => flow.kind === kind && flow.held ? flow.held(state) : Effect.undefined),
          (found) => found.find((held) => held !== undefined)
        ),
      of: (definition, kind) => {
        const supported: ReadonlyArray<FlowKind> = [
          ...new Set<FlowKind>([...definition.flows, ...ownFlows(definition)])
        ]
        const flow = flows.find((flow) => flow.kind === kind && (flow.supports?.(definition) ?? true))
        if (supported.includes(kind) && flow !== undefined) return Effect.succeed(flow)
        const named = isOwnFlow(kind) ? kind : `${names[kind]} (${kind})`
        return Effect.fail(OperationNotAllowedError.of(
          supported.includes(kind)
            ? `The login method "${kind}" of ${definition.displayName} is available only in the program that embeds credsvc. ` +
              `Log in through that program.`
            : `${definition.displayName} does not support a login with ${named}. It supports: ${supported.join(", ")}.`
        ))
      }
    })

  /** The caller's flows, which take precedence for the providers that they support, followed by the built-in flows. */
  static readonly layerWith = (
    own: ReadonlyArray<Flow>
  ): Layer.Layer<Flows, never, LoginClients | OAuthHttp | OAuthTargets> =>
    Layer.unwrap(
      Effect.map(
        Effect.all([
          Effect.succeed(ApiKeyFlow),
          Effect.succeed(CredentialCommandFlow),
          AssumeRoleFlow,
          makeCodeFlow("pkce"),
          DeviceCodeFlow,
          makeCodeFlow("dcr_pkce"),
          RefreshTokenFlow,
          ...StoredGrantKind.literals.map(makeStoredGrantFlow)
        ]),
        (flows) => Flows.layerOf([...own, ...flows])
      )
    )

  /** The service together with the services of this room that only flows use. */
  static readonly layerRoom = (own: ReadonlyArray<Flow> = []) =>
    Flows.layerWith(own).pipe(Layer.provide([LoginClients.layerNoDeps, OAuthTargets.layerNoDeps]))
}
