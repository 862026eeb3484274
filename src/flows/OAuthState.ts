/** The state that OAuth flows keep between steps, sealed with the session. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ClientCredentials } from "../connections/ClientCredentialsRepo.ts"
import { ClientAuthentication } from "../domain/Provider.ts"
import type { AuthorizationServer } from "../oauth/AuthorizationServer.ts"
import type { FlowState } from "./Flow.ts"

const optionalText = Schema.optionalKey(Schema.String)
const optionalTexts = Schema.optionalKey(Schema.Array(Schema.String))

/** Fixed when the person is redirected: the code is sent to this token endpoint, even if the metadata changes. */
const Server: Schema.Codec<AuthorizationServer, Schema.Json> = Schema.Struct({
  issuer: Schema.String,
  issuerKnown: Schema.Boolean,
  authorizationEndpoint: optionalText,
  tokenEndpoint: optionalText,
  deviceAuthorizationEndpoint: optionalText,
  deviceTokenEndpoint: optionalText,
  revocationEndpoint: optionalText,
  registrationEndpoint: optionalText,
  pushedAuthorizationRequestEndpoint: optionalText,
  requirePushedAuthorizationRequests: Schema.Boolean,
  issParameterSupported: Schema.Boolean,
  codeChallengeMethods: optionalTexts,
  tokenEndpointAuthMethods: optionalTexts,
  grantTypes: optionalTexts,
  scopesSupported: optionalTexts,
  clientIdMetadataDocumentSupported: Schema.Boolean,
  reach: Schema.Struct({ allowLoopback: Schema.Boolean, publicOnly: Schema.Boolean })
})

export const OAuthTarget = Schema.Struct({
  server: Server,
  discovered: Schema.Boolean,
  resource: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String)
})
export type OAuthTarget = typeof OAuthTarget.Type

export const LoginClient = Schema.Struct({
  credentials: ClientCredentials,
  authentication: ClientAuthentication,
  /** Stored only with the connection: a successful login proves that the entered values are valid. */
  unproven: Schema.Boolean
})
export type LoginClient = typeof LoginClient.Type

const Secret = Schema.RedactedFromValue(Schema.String)

const AwaitsClient = Schema.Struct({ phase: Schema.Literal("client"), target: OAuthTarget })

const AwaitsCallback = Schema.Struct({
  phase: Schema.Literal("callback"),
  target: OAuthTarget,
  client: LoginClient,
  redirectUri: Schema.String,
  callbackState: Secret,
  codeVerifier: Schema.optionalKey(Secret)
})
export type AwaitsCallback = typeof AwaitsCallback.Type

const AwaitsDevice = Schema.Struct({
  phase: Schema.Literal("device"),
  target: OAuthTarget,
  client: LoginClient,
  deviceCode: Secret,
  /** Seconds between polls, including the server's increases (RFC 8628 section 3.5). */
  interval: Schema.Number,
  failures: Schema.Number
})
export type AwaitsDevice = typeof AwaitsDevice.Type

const OAuthState = Schema.Union([AwaitsClient, AwaitsCallback, AwaitsDevice])
export type OAuthState = typeof OAuthState.Type

const codec = Schema.toCodecJson(OAuthState)

export const encodeState = (state: OAuthState): Effect.Effect<FlowState> =>
  Effect.orDie(Schema.encodeEffect(codec)(state)) as Effect.Effect<FlowState>

/** The sealed state is authenticated, so a decoding failure is a bug. */
export const decodeState = (state: FlowState): Effect.Effect<OAuthState> =>
  Effect.orDie(Schema.decodeUnknownEffect(codec)(state))
