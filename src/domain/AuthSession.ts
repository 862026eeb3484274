/** Auth sessions: one run of a flow, as clients see it. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { CredentialCommand } from "./CredentialCommand.ts"
import { FlowKind, ProviderName } from "./ProviderName.ts"
import { Timestamp } from "./Timestamp.ts"
import { wire } from "./Wire.ts"

/** 32 random bytes in base64url. A session ID is a bearer value: logs contain the route, never the ID. */
export const SessionId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{43}$/, { expected: "an auth session id" })
).pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** `waiting_for_user`: `next_action` says for what. The last four are final. */
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

/** A value that a person must enter. `pattern` must match the whole trimmed value; secret fields are never echoed. */
export const InputField = wire({
  name: Schema.String,
  label: Schema.String,
  secret: Schema.Boolean,
  /** Whether the value has several lines, such as a private key in PEM; false when absent. */
  multiline: Schema.optionalKey(Schema.Boolean),
  required: Schema.Boolean,
  default: Schema.NullOr(Schema.String),
  pattern: Schema.NullOr(Schema.String),
  hint: Schema.NullOr(Schema.String),
  /** The only values that are accepted, if a person chooses one. */
  options: Schema.optionalKey(Schema.Array(Schema.Struct({ value: Schema.String, label: Schema.String })))
}, "InputField")
export type InputField = typeof InputField.Type

/** The next action of the client. Every `url` is an absolute URL of the daemon or the provider. */
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
  /** A warning about a successful login, such as scopes that were not granted. */
  warning: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  nextAction: NextAction
}, "AuthSession")
export type AuthSession = typeof AuthSession.Type

/** The request body that starts a login. */
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
  /** The program that prints the credential, for the flow `credential_command`. */
  command: Schema.optionalKey(CredentialCommand),
  force: Schema.optionalKey(Schema.Boolean),
  /** Whether only contained runs may use the connection. If absent, the login does not change this. */
  containedOnly: Schema.optionalKey(Schema.Boolean)
}, "StartLogin")
export type StartLogin = typeof StartLogin.Type
