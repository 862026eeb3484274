/** The state that OAuth flows keep between steps, sealed with the session. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ClientCredentials } from "../../connections/oauth/ClientCredentialsRepo.ts"
import { ClientAuthentication } from "../../domain/definition/Provider.ts"
import { withDefault } from "../../domain/wire/Wire.ts"
import { AuthorizationServer } from "../../oauth/AuthorizationServer.ts"
import { TokenResponse } from "../../oauth/TokenEndpoint.ts"
import type { FlowState } from "../Flow.ts"

export const OAuthTarget = Schema.Struct({
  /** The server, fixed when the user is redirected: its token endpoint gets the code, even if the metadata changes. */
  server: AuthorizationServer,
  discovered: Schema.Boolean,
  resource: Schema.NullOr(Schema.String),
  /** The resource indicator that the server has rejected in this login. */
  refusedResource: Schema.optional(Schema.String),
  scopes: Schema.Array(Schema.String)
})
export type OAuthTarget = typeof OAuthTarget.Type

export const LoginClient = Schema.Struct({
  credentials: ClientCredentials,
  authentication: ClientAuthentication,
  /**
   * Whether no login with the client has succeeded yet. Entered client credentials are stored only with the connection.
   */
  unproven: Schema.Boolean,
  /** Present if the server has already rejected another client in this login. */
  replacement: Schema.optional(Schema.Literal(true))
})
export type LoginClient = typeof LoginClient.Type

const Secret = Schema.RedactedFromValue(Schema.String)

export const Secrets = Schema.Record(Schema.String, Secret)

/** The values of the fields that the definition declares besides OAuth. */
const fields = withDefault(Secrets, {})

/** The parts of every state after the first. */
const opened = { target: OAuthTarget, client: LoginClient, fields }
const Opened = Schema.Struct(opened)
/** A login whose server, client and declared fields are known. */
export type Opened = typeof Opened.Type

const AwaitsInput = Schema.Struct({
  phase: Schema.Literal("client"),
  target: OAuthTarget,
  /** The client, if the user need not enter one. */
  client: Schema.optional(LoginClient),
  /** The declared fields. Absent until the user has entered them. */
  fields: Schema.optional(Secrets)
})
export type AwaitsInput = typeof AwaitsInput.Type

const AwaitsCallback = Schema.Struct({
  phase: Schema.Literal("callback"),
  ...opened,
  redirectUri: Schema.String,
  callbackState: Secret,
  codeVerifier: Schema.optional(Secret)
})
export type AwaitsCallback = typeof AwaitsCallback.Type

const AwaitsDevice = Schema.Struct({
  phase: Schema.Literal("device"),
  ...opened,
  deviceCode: Secret,
  /** The seconds between polls, including the server's increases (RFC 8628 section 3.5). */
  interval: Schema.Number,
  failures: Schema.Number
})
export type AwaitsDevice = typeof AwaitsDevice.Type

const SendsRefreshToken = Schema.Struct({ phase: Schema.Literal("refresh"), ...opened, refreshToken: Secret })
export type SendsRefreshToken = typeof SendsRefreshToken.Type

const granted = {
  ...opened,
  tokens: TokenResponse,
  existing: Schema.optional(Schema.Literals(["replaced", "unchanged"]))
}

const LooksUp = Schema.Struct({ phase: Schema.Literal("lookup"), ...granted })

export const Account = Schema.Struct({ label: Schema.String, values: Schema.Record(Schema.String, Schema.String) })

const AwaitsChoice = Schema.Struct({ phase: Schema.Literal("choice"), ...granted, accounts: Schema.Array(Account) })

/** The tokens of a login, and the client to which they were issued. */
export type Granted = Omit<typeof LooksUp.Type, "phase">

const OAuthState = Schema.Union([
  AwaitsInput,
  AwaitsCallback,
  AwaitsDevice,
  SendsRefreshToken,
  LooksUp,
  AwaitsChoice
])
export type OAuthState = typeof OAuthState.Type

const codec = Schema.toCodecJson(OAuthState)

export const encodeState = (state: OAuthState): Effect.Effect<FlowState> =>
  Effect.orDie(Schema.encodeEffect(codec)(state)) as Effect.Effect<FlowState>

/** The sealed state is authenticated, so a decoding failure is a bug. */
export const decodeState = (state: FlowState): Effect.Effect<OAuthState> =>
  Effect.orDie(Schema.decodeUnknownEffect(codec)(state))

/** Decodes the state of a flow. Returns undefined if the flow has not taken its first step. */
export const stateIfStarted = (state: FlowState): Effect.Effect<OAuthState | undefined> =>
  Effect.orElseSucceed(Schema.decodeUnknownEffect(codec)(state), () => undefined)
