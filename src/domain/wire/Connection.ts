/**
 * Connections: stored credentials of one provider under a name, as clients see them. No schema that a client can reach
 * contains a refresh token.
 */
import * as Schema from "effect/Schema"
import { CredentialCommand } from "./CredentialCommand.ts"
import { connectionNamePattern, isReservedConnectionName } from "./Names.ts"
import { AuthType, FlowKind, ProviderName } from "./ProviderName.ts"
import { named, struct, Timestamp, wire } from "./Wire.ts"

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
  "`expired`: has expired and cannot be refreshed. `invalid`: either the definition has changed since the login, and the credential " +
    "is not sent, or the provider rejected the credential at `refused_at`, and it is still sent. `not_connected`: " +
    "the provider has no connection (only in listings of providers)"
))
export type ConnectionStatus = typeof ConnectionStatus.Type

/** Replaces a secret, unless the caller asked to reveal it. */
export const redactedMarker = "***REDACTED***"

const Account = struct("Account", "The account at the provider that the credential belongs to", {
  id: [Schema.NullOr(Schema.String), "The ID of the account; null if unknown"],
  label: [Schema.NullOr(Schema.String), "The display name of the account, such as an email address; null if unknown"]
})

/**
 * A connection on the wire, with either `accessToken` or `apiKey`: {@link redactedMarker}, or the secret if requested.
 * An API key with several fields is revealed as a JSON object.
 */
export const Connection = wire("Connection", "A stored credential of one provider", {
  provider: [ProviderName, "The provider"],
  connectionName: [ConnectionName, "The name of the connection, unique within the provider and the profile"],
  profile: [Schema.String, "The handle of the profile that the connection belongs to"],
  authType: [AuthType, "The kind of credential"],
  flow: [FlowKind, "The login method that created the connection"],
  status: [ConnectionStatus, "Whether the credential can be used"],
  isDefault: [Schema.Boolean, "Whether this is the provider's default connection"],
  baseUrl: [Schema.NullOr(Schema.String), "The base URL of the account; null for providers without base URLs"],
  apiUrl: [Schema.NullOr(Schema.String), "The URL of the API for this connection; null if the definition has none"],
  scopes: [Schema.Array(Schema.String), "The granted scopes"],
  tokenType: [Schema.NullOr(Schema.String), "The type of the access token, such as Bearer; null for API keys"],
  expiresAt: [Schema.NullOr(Timestamp), "When the credential expires; null if never or unknown"],
  obtainedAt: [Timestamp, "When the login stored the connection"],
  lastRefreshAt: [Schema.NullOr(Timestamp), "When the token was last refreshed; null if it never was"],
  lastRefreshError: [
    Schema.NullOr(Schema.String),
    "Why the last refresh failed, or why the connection is invalid; null if neither is the case"
  ],
  refusedAt: [
    Schema.NullOr(Timestamp),
    "When the provider last responded with 401 to this credential; null again after a successful check"
  ],
  account: [Account, "The account at the provider"],
  hasRefreshToken: [Schema.Boolean, "Whether a refresh token is stored. No operation returns it"],
  renewable: [Schema.Boolean, "Whether the daemon obtains another credential before this one expires"],
  containedOnly: [
    Schema.Boolean,
    "Whether only contained runs may use the connection, because of a setting or of the provider's definition"
  ],
  grantedBy: [
    Schema.optionalKey(Schema.String),
    "The profile that has granted the use of the connection to the profile of the request. Absent for the " +
    "profile's own connections"
  ],
  trustedIssuer: [
    Schema.optionalKey(Schema.String),
    "Another issuer that the login accepted for the authorization server. Absent without such an issuer"
  ],
  noResource: [
    Schema.optionalKey(Schema.Literal(true)),
    "Present if the login used `no_resource`, so the daemon sends no `resource` and accepts metadata of another resource"
  ],
  fields: [
    Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    "Values that are not secret, such as an account ID. Absent without such values"
  ],
  command: [
    Schema.optionalKey(CredentialCommand),
    "The program that prints the credential. Absent for other login methods"
  ],
  accessToken: [
    Schema.optionalKey(Schema.RedactedFromValue(Schema.String)),
    `The access token, or ${redactedMarker} unless it is revealed. Absent for API keys`
  ],
  apiKey: [
    Schema.optionalKey(Schema.RedactedFromValue(Schema.String)),
    `The API key, or ${redactedMarker} unless it is revealed. A JSON object for keys with several fields; absent for OAuth`
  ]
})
export type Connection = typeof Connection.Type

export const CheckOutcome = Schema.Literals([
  "works",
  "limited",
  "refused",
  "unexpected",
  "unreachable",
  "not_checked"
]).pipe(
  named(
    "CheckOutcome",
    "`limited`: the provider accepts the credential, which lacks the permission for the test request. `refused`: " +
      "the provider responded with 401 or 403, or its response body says that it refuses the credential. " +
      "`unexpected`: the provider responded with another status, so the check is inconclusive. `not_checked`: the " +
      "provider's definition has no `test_request`"
  )
)
export type CheckOutcome = typeof CheckOutcome.Type

export const ConnectionCheck = wire(
  "ConnectionCheck",
  "The result of sending the provider's test request with the credential of a connection",
  {
    provider: [ProviderName, "The provider"],
    connection: [ConnectionName, "The connection"],
    outcome: [CheckOutcome, "Whether the provider accepts the credential"],
    httpStatus: [Schema.NullOr(Schema.Int), "The status of the provider's response; null without a response"],
    message: [Schema.String, "The result, and what to do"],
    checkedAt: [Timestamp, "When the response arrived"]
  }
)
export type ConnectionCheck = typeof ConnectionCheck.Type
