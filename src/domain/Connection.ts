/**
 * Connections: stored credentials of one provider under a name, as clients see them. No schema that a client can reach
 * contains a refresh token.
 */
import * as Schema from "effect/Schema"
import { CredentialCommand } from "./CredentialCommand.ts"
import { AuthType, FlowKind, ProviderName } from "./ProviderName.ts"
import { Timestamp } from "./Timestamp.ts"
import { wire } from "./Wire.ts"

/** 1 to 64 characters of `a-z A-Z 0-9 . _ @ -`, not beginning as a command-line option or a hidden file does. */
export const ConnectionName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_@][A-Za-z0-9._@-]{0,63}$/, {
    expected:
      "a connection name: 1 to 64 letters, digits, '.', '_', '@' or '-', beginning with a letter, digit, '_' or '@'"
  }),
  Schema.makeFilter((name: string) => !["__proto__", "constructor", "prototype"].includes(name), {
    expected: "a connection name that is not reserved"
  })
).pipe(Schema.brand("ConnectionName"))
export type ConnectionName = typeof ConnectionName.Type

export const defaultConnectionName = "default" as ConnectionName

/**
 * `expired`: cannot be refreshed. `invalid`: the definition has changed since the login, and the credential is not
 * sent, or the provider rejected it at `refusedAt`, and it is still sent. `not_connected`: only in listings.
 */
export const ConnectionStatus = Schema.Literals(["connected", "expired", "invalid", "not_connected"])
export type ConnectionStatus = typeof ConnectionStatus.Type

/** Replaces a secret, unless the caller asked to reveal it. */
export const redactedMarker = "***REDACTED***"

/**
 * A connection on the wire, with either `accessToken` or `apiKey`: {@link redactedMarker}, or the secret if requested.
 * An API key with several fields is revealed as a JSON object.
 */
export const Connection = wire({
  provider: ProviderName,
  connectionName: ConnectionName,
  profile: Schema.String,
  authType: AuthType,
  flow: FlowKind,
  status: ConnectionStatus,
  isDefault: Schema.Boolean,
  baseUrl: Schema.NullOr(Schema.String),
  apiUrl: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String),
  tokenType: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Timestamp),
  obtainedAt: Timestamp,
  lastRefreshAt: Schema.NullOr(Timestamp),
  lastRefreshError: Schema.NullOr(Schema.String),
  refusedAt: Schema.NullOr(Timestamp).annotate({
    description: "When the provider last responded with 401 to this credential; null again once a check succeeds"
  }),
  account: Schema.Struct({ id: Schema.NullOr(Schema.String), label: Schema.NullOr(Schema.String) }),
  hasRefreshToken: Schema.Boolean,
  containedOnly: Schema.Boolean.annotate({
    description:
      "Whether only contained runs may use the connection, by its own setting or by the provider's definition"
  }),
  fields: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "Values that are not secret, such as an account ID; absent without any"
    })
  ),
  command: Schema.optionalKey(CredentialCommand),
  accessToken: Schema.optionalKey(Schema.RedactedFromValue(Schema.String)),
  apiKey: Schema.optionalKey(Schema.RedactedFromValue(Schema.String))
}, "Connection")
export type Connection = typeof Connection.Type

/**
 * `refused`: the provider responded with 401 or 403. `unexpected`: with another status, so the check is inconclusive.
 * `not_checked`: its definition has no `test_request`.
 */
export const CheckOutcome = Schema.Literals(["works", "refused", "unexpected", "unreachable", "not_checked"])
export type CheckOutcome = typeof CheckOutcome.Type

/** The result of sending the provider's test request with the credential of a connection. */
export const ConnectionCheck = wire({
  provider: ProviderName,
  connection: ConnectionName,
  outcome: CheckOutcome,
  /** The status of the provider's response; null without a response. */
  httpStatus: Schema.NullOr(Schema.Int),
  /** The result and what to do. */
  message: Schema.String,
  checkedAt: Timestamp
}, "ConnectionCheck")
export type ConnectionCheck = typeof ConnectionCheck.Type
