/** Auth sessions: one run of a flow, as clients see it. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { CredentialCommand } from "./CredentialCommand.ts"
import { FlowKind, ProviderName } from "./ProviderName.ts"
import { Timestamp } from "./Timestamp.ts"
import { named, wire } from "./Wire.ts"

/** 32 random bytes in base64url. A session ID is a bearer value: logs contain the route, never the ID. */
export const SessionId = Schema.String.pipe(named("SessionId", "The ID of an auth session")).check(
  Schema.isPattern(/^[A-Za-z0-9_-]{43}$/u, { expected: "an auth session id" })
).pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

export const SessionStatus = Schema.Literals([
  "pending",
  "waiting_for_user",
  "processing",
  "completed",
  "failed",
  "expired",
  "cancelled"
]).pipe(named(
  "SessionStatus",
  "`waiting_for_user`: `next_action` says for what. `completed`, `failed`, `expired` and `cancelled` are final"
))
export type SessionStatus = typeof SessionStatus.Type

export const isFinal = (status: SessionStatus): boolean =>
  status === "completed" || status === "failed" || status === "expired" || status === "cancelled"

const InputOption = Schema.Struct({ value: Schema.String, label: Schema.String }).pipe(
  named("InputOption", "A value to choose", { value: "The value to submit", label: "The text to show" })
)

export const InputField = wire(
  {
    name: Schema.String,
    label: Schema.String,
    secret: Schema.Boolean,
    multiline: Schema.optionalKey(Schema.Boolean),
    required: Schema.Boolean,
    default: Schema.NullOr(Schema.String),
    pattern: Schema.NullOr(Schema.String),
    hint: Schema.NullOr(Schema.String),
    options: Schema.optionalKey(Schema.Array(InputOption))
  },
  "InputField",
  "A value that a person must enter",
  {
    name: "The key of the value in `data` of the request that continues the session",
    label: "The label of the input",
    secret: "Whether the value must not be echoed",
    multiline: "Whether the value has several lines, such as a private key in PEM; false when absent",
    required: "Whether the value must not be empty",
    default: "The value to fill in; null without one",
    pattern: "Regular expression that the whole trimmed value must match; null if any value is accepted",
    hint: "Where to find the value; null without a hint",
    options: "The only values that are accepted, if a person chooses one"
  }
)
export type InputField = typeof InputField.Type

const actionType = "Tells the actions apart"

/** Every `url` is an absolute URL of the daemon or the provider. */
export const NextAction = Schema.Union([
  Schema.Struct({ type: Schema.Literal("open_url"), url: Schema.String }).pipe(
    named("OpenUrlAction", "Open a page in the browser", { type: actionType, url: "The page to open" })
  ),
  Schema.Struct({ type: Schema.Literal("enter_input"), url: Schema.String, fields: Schema.Array(InputField) }).pipe(
    named("EnterInputAction", "Enter values, in the browser or by continuing the session", {
      type: actionType,
      url: "The page with a form for the values",
      fields: "The values to enter"
    })
  ),
  wire(
    {
      type: Schema.Literal("show_user_code"),
      url: Schema.String,
      userCode: Schema.String,
      verificationUri: Schema.String,
      verificationUriComplete: Schema.NullOr(Schema.String),
      interval: Schema.Finite
    },
    "ShowUserCodeAction",
    "Enter a code at the provider, on any device (RFC 8628)",
    {
      type: actionType,
      url: "The daemon's page that shows the code",
      userCode: "The code to enter",
      verificationUri: "The page of the provider where the code is entered",
      verificationUriComplete: "The same page with the code already entered; null if the provider has none",
      interval: "The seconds between the daemon's polls"
    }
  ),
  Schema.Struct({ type: Schema.Literal("none") }).pipe(
    named("NoAction", "The client has nothing to do but wait", { type: actionType })
  )
]).pipe(named("NextAction", "The next step of a login"))
export type NextAction = typeof NextAction.Type

const SessionFailure = Schema.Struct({ error: Schema.String, message: Schema.String }).pipe(
  named("SessionFailure", "Why a login failed", {
    error: "The name of the error class",
    message: "What is wrong, and what to do"
  })
)

export const AuthSession = wire(
  {
    sessionId: SessionId,
    provider: ProviderName,
    connection: ConnectionName,
    flow: FlowKind,
    status: SessionStatus,
    message: Schema.String,
    error: Schema.NullOr(SessionFailure),
    warning: Schema.NullOr(Schema.String),
    createdAt: Timestamp,
    expiresAt: Timestamp,
    nextAction: NextAction
  },
  "AuthSession",
  "A login in progress, or the result of one",
  {
    sessionId: "The ID of the session. Anyone who knows it can continue the login",
    provider: "The provider to log in to",
    connection: "The connection that the login creates",
    flow: "The login method",
    status: "The state of the login",
    message: "What is happening, as a sentence for the user",
    error: "Why the login failed; null if it has not failed",
    warning: "A warning about a successful login, such as scopes that were not granted; null without one",
    createdAt: "When the login started",
    expiresAt: "When the current step expires",
    nextAction: "What the client has to do next"
  }
)
export type AuthSession = typeof AuthSession.Type

export const StartLogin = wire(
  {
    provider: ProviderName,
    connection: Schema.optionalKey(ConnectionName),
    flow: Schema.optionalKey(FlowKind),
    scopes: Schema.optionalKey(Schema.Array(Schema.String.check(
      Schema.isPattern(/^[\x21\x23-\x5B\x5D-\x7E]+$/u, {
        expected: "a scope: printable ASCII without space, '\"' or '\\'"
      })
    ))),
    baseUrl: Schema.optionalKey(Schema.String),
    command: Schema.optionalKey(CredentialCommand),
    force: Schema.optionalKey(Schema.Boolean),
    containedOnly: Schema.optionalKey(Schema.Boolean)
  },
  "StartLogin",
  "The login to start",
  {
    provider: "The provider to log in to",
    connection: "The name of the connection to create; `default` when absent",
    flow: "The login method; the default one of the provider when absent",
    scopes: "The scopes to request; those of the definition when absent",
    baseUrl: "The tenant address, for providers with one per customer",
    command: "The program that prints the credential, for the flow `credential_command`",
    force: "Whether to replace an existing connection; false when absent",
    containedOnly: "Whether only contained runs may use the connection. If absent, the login does not change this"
  }
)
export type StartLogin = typeof StartLogin.Type
