/** Auth sessions: one run of a flow, as a client may see it. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { FlowKind, ProviderName } from "./ProviderName.ts"
import { Timestamp } from "./Timestamp.ts"
import { wire } from "./Wire.ts"

/** 32 random bytes in base64url. It is a capability: logs show the route, never the id. */
export const SessionId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{43}$/, { expected: "an auth session id" })
).pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/**
 * `pending`: being prepared. `waiting_for_user`: `next_action` says for what. `processing`: the provider's answer is being
 * checked. `completed`, `failed`, `expired` and `cancelled` are final.
 */
export const SessionStatus = Schema.Literals([
  "pending",
  "waiting_for_user",
  "processing",
  "completed",
  "failed",
  "expired",
  "cancelled"
])
export type SessionStatus = typeof SessionStatus.Type

export const isFinal = (status: SessionStatus): boolean =>
  status === "completed" || status === "failed" || status === "expired" || status === "cancelled"

/** A value that a person has to enter. `pattern` is a full match on the trimmed value; `secret` ones are never echoed. */
export const InputField = wire({
  name: Schema.String,
  label: Schema.String,
  secret: Schema.Boolean,
  required: Schema.Boolean,
  default: Schema.NullOr(Schema.String),
  pattern: Schema.NullOr(Schema.String),
  hint: Schema.NullOr(Schema.String)
}, "InputField")
export type InputField = typeof InputField.Type

/** What has to happen next, by whoever drives the session. Every `url` is an absolute URL of the daemon or the provider. */
export const NextAction = Schema.Union([
  Schema.Struct({ type: Schema.Literal("open_url"), url: Schema.String }),
  Schema.Struct({ type: Schema.Literal("enter_input"), url: Schema.String, fields: Schema.Array(InputField) }),
  wire({
    type: Schema.Literal("show_user_code"),
    url: Schema.String,
    userCode: Schema.String,
    verificationUri: Schema.String,
    verificationUriComplete: Schema.NullOr(Schema.String),
    interval: Schema.Number
  }),
  Schema.Struct({ type: Schema.Literal("none") })
])
export type NextAction = typeof NextAction.Type

export const AuthSession = wire({
  sessionId: SessionId,
  provider: ProviderName,
  connection: ConnectionName,
  flow: FlowKind,
  status: SessionStatus,
  message: Schema.String,
  error: Schema.NullOr(Schema.Struct({ error: Schema.String, message: Schema.String })),
  /** Of a login that has succeeded: what a person should know of it all the same, such as scopes that were not granted. */
  warning: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  nextAction: NextAction
}, "AuthSession")
export type AuthSession = typeof AuthSession.Type

/** What a client may ask for when it starts a login. */
export const StartLogin = wire({
  provider: ProviderName,
  connection: Schema.optionalKey(ConnectionName),
  flow: Schema.optionalKey(FlowKind),
  scopes: Schema.optionalKey(Schema.Array(Schema.String.check(
    Schema.isPattern(/^[\x21\x23-\x5B\x5D-\x7E]+$/, {
      expected: "a scope: printable ASCII without space, '\"' or '\\'"
    })
  ))),
  baseUrl: Schema.optionalKey(Schema.String),
  force: Schema.optionalKey(Schema.Boolean)
}, "StartLogin")
export type StartLogin = typeof StartLogin.Type
