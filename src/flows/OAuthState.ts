/** What the OAuth flows keep between their steps, sealed with the session. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ClientCredentials } from "../connections/ClientCredentialsRepo.ts"
import { ClientAuthentication } from "../domain/Provider.ts"
import type { AuthorizationServer } from "../oauth/AuthorizationServer.ts"
import type { FlowState } from "./Flow.ts"

const optionalText = Schema.optionalKey(Schema.String)
const optionalTexts = Schema.optionalKey(Schema.Array(Schema.String))

/** As it was when the person was sent there: the code goes to this token endpoint, whatever the metadata say later. */
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

/** Where a login goes and what it asks for there. */
export const OAuthTarget = Schema.Struct({
  server: Server,
  /** Whether the endpoints are from the server's metadata. */
  discovered: Schema.Boolean,
  /** RFC 8707, in the authorization request, the token request and each refresh. */
  resource: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String)
})
export type OAuthTarget = typeof OAuthTarget.Type

/** The client of a login. */
export const LoginClient = Schema.Struct({
  credentials: ClientCredentials,
  authentication: ClientAuthentication,
  /** Stored with the connection: only a login that succeeds shows that what was entered is right. */
  unproven: Schema.Boolean
})
export type LoginClient = typeof LoginClient.Type

const Secret = Schema.RedactedFromValue(Schema.String)

/** The person has been asked for the client's credentials. */
const AwaitsClient = Schema.Struct({ phase: Schema.Literal("client"), target: OAuthTarget })

/** The browser has been sent to the authorization server. */
const AwaitsCallback = Schema.Struct({
  phase: Schema.Literal("callback"),
  target: OAuthTarget,
  client: LoginClient,
  redirectUri: Schema.String,
  callbackState: Secret,
  codeVerifier: Schema.optionalKey(Secret)
})
export type AwaitsCallback = typeof AwaitsCallback.Type

/** The person enters the user code somewhere. */
const AwaitsDevice = Schema.Struct({
  phase: Schema.Literal("device"),
  target: OAuthTarget,
  client: LoginClient,
  deviceCode: Secret,
  /** Seconds between two polls; what the server has added stays (RFC 8628 section 3.5). */
  interval: Schema.Number,
  /** Polls without an answer, one after the other. */
  failures: Schema.Number
})
export type AwaitsDevice = typeof AwaitsDevice.Type

const OAuthState = Schema.Union([AwaitsClient, AwaitsCallback, AwaitsDevice])
export type OAuthState = typeof OAuthState.Type

const codec = Schema.toCodecJson(OAuthState)

export const encodeState = (state: OAuthState): Effect.Effect<FlowState> =>
  Effect.orDie(Schema.encodeEffect(codec)(state)) as Effect.Effect<FlowState>

/** The vault has vouched for it: what cannot be read is a bug. */
export const decodeState = (state: FlowState): Effect.Effect<OAuthState> =>
  Effect.orDie(Schema.decodeUnknownEffect(codec)(state))
