/** Auth sessions, as clients see them. Each session is one execution of a flow. */
import * as Schema from "effect/Schema"
import { ClientIdUrl } from "./ClientIdUrl.ts"
import { ConnectionName } from "./Connection.ts"
import { CredentialCommand } from "./CredentialCommand.ts"
import { FlowKind, ProviderName, RedirectHost } from "./ProviderName.ts"
import { named, struct, Timestamp, wire } from "./Wire.ts"

/** 32 random bytes in base64url. A session ID is a bearer value: logs contain the route, never the ID. */
export const SessionId = Schema.String.pipe(named("SessionId", "The ID of an auth session")).check(
  Schema.isPattern(/^[A-Za-z0-9_-]{43}$/u, { expected: "an auth session ID" })
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
  "`waiting_for_user`: `next_action` says what the user has to do. `completed`, `failed`, `expired` and `cancelled` are final"
))
export type SessionStatus = typeof SessionStatus.Type

export const isFinal = (status: SessionStatus): boolean =>
  status === "completed" || status === "failed" || status === "expired" || status === "cancelled"

const InputOption = struct("InputOption", "A value to choose", {
  value: [Schema.String, "The value to submit"],
  label: [Schema.String, "The text to show"]
})

export const InputField = wire("InputField", "A value that a person must enter", {
  name: [Schema.String, "The key of the value in `data` of the request that continues the session"],
  label: [Schema.String, "The label of the input"],
  secret: [Schema.Boolean, "Whether the value must not be echoed"],
  multiline: [
    Schema.optionalKey(Schema.Boolean),
    "Whether the value has several lines, such as a private key in PEM. The default is false"
  ],
  required: [Schema.Boolean, "Whether the value must not be empty"],
  default: [Schema.NullOr(Schema.String), "The default value to fill in; null without a default"],
  pattern: [
    Schema.NullOr(Schema.String),
    "Regular expression that the whole trimmed value must match; null if any value is accepted"
  ],
  hint: [Schema.NullOr(Schema.String), "Where to find the value; null without a hint"],
  options: [Schema.optionalKey(Schema.Array(InputOption)), "The only accepted values, if the user chooses from a list"]
})
export type InputField = typeof InputField.Type

const actionType = "The kind of action"

/** Every `url` is an absolute URL of the daemon or the provider. */
export const NextAction = Schema.Union([
  struct(
    "OpenUrlAction",
    "Open a page in the browser. If the browser then cannot reach the daemon, continue the session with `callback`: the " +
      "address that the browser was redirected to",
    { type: [Schema.Literal("open_url"), actionType], url: [Schema.String, "The page to open"] }
  ),
  struct("EnterInputAction", "Enter values, in the browser or by continuing the session", {
    type: [Schema.Literal("enter_input"), actionType],
    url: [Schema.String, "The page with a form for the values"],
    fields: [Schema.Array(InputField), "The values to enter"]
  }),
  wire("ShowUserCodeAction", "Enter a code at the provider, on any device (RFC 8628)", {
    type: [Schema.Literal("show_user_code"), actionType],
    url: [Schema.String, "The daemon's page that shows the code"],
    userCode: [Schema.String, "The code to enter"],
    verificationUri: [Schema.String, "The page of the provider where the code is entered"],
    verificationUriComplete: [
      Schema.NullOr(Schema.String),
      "The same page with the code already entered; null if the provider has none"
    ],
    interval: [Schema.Finite, "The seconds between the daemon's polls"]
  }),
  struct("NoAction", "The client only has to wait", { type: [Schema.Literal("none"), actionType] })
]).pipe(named("NextAction", "The next step of a login"))
export type NextAction = typeof NextAction.Type

const SessionFailure = struct("SessionFailure", "Why a login failed", {
  error: [Schema.String, "The name of the error class"],
  message: [Schema.String, "What is wrong, and what to do"]
})

export const AuthSession = wire("AuthSession", "A login in progress, or the result of a login", {
  sessionId: [SessionId, "The ID of the session. Anyone who knows it can continue the login"],
  provider: [ProviderName, "The provider to log in to"],
  connection: [ConnectionName, "The connection that the login creates"],
  flow: [FlowKind, "The login method"],
  status: [SessionStatus, "The state of the login"],
  message: [Schema.String, "What is happening, as a sentence for the user"],
  error: [Schema.NullOr(SessionFailure), "Why the login failed; null if it has not failed"],
  warning: [
    Schema.NullOr(Schema.String),
    "A warning about a successful login, such as scopes that were not granted; null without a warning"
  ],
  createdAt: [Timestamp, "When the login started"],
  expiresAt: [Timestamp, "When the current step expires"],
  nextAction: [NextAction, "What the client has to do next"]
})
export type AuthSession = typeof AuthSession.Type

const optionalScopes = Schema.optionalKey(Schema.Array(Schema.String.check(
  Schema.isPattern(/^[\x21\x23-\x5B\x5D-\x7E]+$/u, {
    expected: "a scope: printable ASCII without space, '\"' or '\\'"
  })
)))

export const StartLogin = wire("StartLogin", "The login to start", {
  provider: [ProviderName, "The provider to log in to"],
  connection: [
    Schema.optionalKey(ConnectionName),
    "The name of the connection to create. When absent, it is `default`"
  ],
  flow: [Schema.optionalKey(FlowKind), "The login method. When absent, it is the provider's default method"],
  scopes: [optionalScopes, "The scopes to request. The default is the scopes in the definition"],
  addScopes: [
    optionalScopes,
    "Scopes to request in addition to the scopes of the existing connection; the login replaces this connection"
  ],
  baseUrl: [Schema.optionalKey(Schema.String), "The base URL, for providers that have a URL for each customer"],
  redirectHost: [
    Schema.optionalKey(RedirectHost),
    "The host of the redirect URI of a daemon on this machine. When absent, it is the host in the definition, or `localhost` if " +
    "the server does not register that host"
  ],
  clientId: [
    Schema.optionalKey(ClientIdUrl),
    "The URL of a client ID metadata document to log in with, in place of a known or registered client"
  ],
  command: [
    Schema.optionalKey(CredentialCommand),
    "The program that prints the credential, for the flow `credential_command`"
  ],
  noResource: [
    Schema.optionalKey(Schema.Boolean),
    "Whether to leave out the parameter `resource` of OAuth requests (RFC 8707). The default is false"
  ],
  trustIssuer: [
    Schema.optionalKey(Schema.String),
    "Another issuer that the authorization server may name in place of its own, for this connection only"
  ],
  force: [Schema.optionalKey(Schema.Boolean), "Whether to replace an existing connection. The default is false"],
  containedOnly: [
    Schema.optionalKey(Schema.Boolean),
    "Whether only contained runs may use the connection. If absent, the login does not change this"
  ]
})
export type StartLogin = typeof StartLogin.Type
