/**
 * Connections: stored credentials of one provider under a name, as clients see them. No schema that a client can reach
 * contains a refresh token.
 */
import * as Schema from "effect/Schema"
import { CredentialCommand } from "./CredentialCommand.ts"
import { connectionNamePattern, isReservedConnectionName } from "./Names.ts"
import { AuthType, FlowKind, ProviderName } from "./ProviderName.ts"
import { Timestamp } from "./Timestamp.ts"
import { named, wire } from "./Wire.ts"

export const ConnectionName = Schema.String.pipe(named("ConnectionName", "The name of a connection")).check(
  Schema.isPattern(connectionNamePattern, {
    expected:
      "a connection name: 1 to 64 letters, digits, '.', '_', '@' or '-', beginning with a letter, digit, '_' or '@'"
  }),
  Schema.makeFilter((name: string) => !isReservedConnectionName(name), {
    expected: "a connection name that is not reserved"
  })
).pipe(Schema.brand("ConnectionName"))
export type ConnectionName = typeof ConnectionName.Type

export const ConnectionStatus = Schema.Literals(["connected", "expired", "invalid", "not_connected"]).pipe(named(
  "ConnectionStatus",
  "`expired`: cannot be refreshed. `invalid`: the definition has changed since the login, and the credential is not " +
    "sent, or the provider rejected it at `refused_at`, and it is still sent. `not_connected`: only in listings"
))
export type ConnectionStatus = typeof ConnectionStatus.Type

/** Replaces a secret, unless the caller asked to reveal it. */
export const redactedMarker = "***REDACTED***"

/**
 * A connection on the wire, with either `accessToken` or `apiKey`: {@link redactedMarker}, or the secret if requested.
 * An API key with several fields is revealed as a JSON object.
 */
const Account = Schema.Struct({ id: Schema.NullOr(Schema.String), label: Schema.NullOr(Schema.String) }).pipe(
  named("Account", "The account at the provider that the credential belongs to", {
    id: "Its ID; null if unknown",
    label: "The name that people know it by, such as an email address; null if unknown"
  })
)

export const Connection = wire(
  {
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
    refusedAt: Schema.NullOr(Timestamp),
    account: Account,
    hasRefreshToken: Schema.Boolean,
    renewable: Schema.Boolean,
    containedOnly: Schema.Boolean,
    grantedBy: Schema.optionalKey(Schema.String),
    fields: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    command: Schema.optionalKey(CredentialCommand),
    accessToken: Schema.optionalKey(Schema.RedactedFromValue(Schema.String)),
    apiKey: Schema.optionalKey(Schema.RedactedFromValue(Schema.String))
  },
  "Connection",
  "A stored credential of one provider",
  {
    provider: "The provider",
    connectionName: "The name of the connection, unique within the provider and the profile",
    profile: "The handle of the profile that it belongs to",
    authType: "The kind of credential",
    flow: "The login method that created the connection",
    status: "Whether the credential can be used",
    isDefault: "Whether this is the provider's default connection",
    baseUrl: "The tenant address; null for providers without tenants",
    apiUrl: "The URL of the API for this connection; null if the definition has none",
    scopes: "The granted scopes",
    tokenType: "The type of the access token, such as Bearer; null for API keys",
    expiresAt: "When the credential expires; null if it does not or this is unknown",
    obtainedAt: "When the login stored the connection",
    lastRefreshAt: "When the token was last refreshed; null if it never was",
    lastRefreshError: "Why the last refresh failed, or why the connection is invalid; null if neither is the case",
    refusedAt: "When the provider last responded with 401 to this credential; null again once a check succeeds",
    account: "The account at the provider",
    hasRefreshToken: "Whether a refresh token is stored. No operation returns it",
    renewable: "Whether the daemon obtains another credential before this one expires",
    containedOnly:
      "Whether only contained runs may use the connection, by its own setting or by the provider's definition",
    grantedBy:
      "The profile that has granted the use of the connection to the profile of the request; absent for its own connections",
    fields: "Values that are not secret, such as an account ID; absent without any",
    command: "The program that prints the credential; absent for other login methods",
    accessToken: `The access token, or ${redactedMarker} unless it is revealed; absent for API keys`,
    apiKey:
      `The API key, or ${redactedMarker} unless it is revealed; a JSON object for keys with several fields; absent for OAuth`
  }
)
export type Connection = typeof Connection.Type

export const CheckOutcome = Schema.Literals(["works", "refused", "unexpected", "unreachable", "not_checked"]).pipe(
  named(
    "CheckOutcome",
    "`refused`: the provider responded with 401 or 403. `unexpected`: with another status, so the check is " +
      "inconclusive. `not_checked`: its definition has no `test_request`"
  )
)
export type CheckOutcome = typeof CheckOutcome.Type

export const ConnectionCheck = wire(
  {
    provider: ProviderName,
    connection: ConnectionName,
    outcome: CheckOutcome,
    httpStatus: Schema.NullOr(Schema.Int),
    message: Schema.String,
    checkedAt: Timestamp
  },
  "ConnectionCheck",
  "The result of sending the provider's test request with the credential of a connection",
  {
    provider: "The provider",
    connection: "The connection",
    outcome: "Whether the provider accepts the credential",
    httpStatus: "The status of the provider's response; null without a response",
    message: "The result, and what to do",
    checkedAt: "When the response arrived"
  }
)
export type ConnectionCheck = typeof ConnectionCheck.Type
