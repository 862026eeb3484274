/**
 * Connections: stored credentials of one provider under a name, as a client may see them.
 *
 * A refresh token has no schema here, nor anywhere else that a client can reach.
 */
import * as Schema from "effect/Schema"
import { AuthType, FlowKind, ProviderName } from "./ProviderName.ts"
import { Timestamp } from "./Timestamp.ts"
import { wire } from "./Wire.ts"

/** 1 to 64 characters of `a-z A-Z 0-9 . _ @ -`, not beginning with a dot or a dash (it becomes a command-line value). */
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
 * `connected`: usable. `expired`: can't be refreshed any more, log in again. `invalid`: the provider refused it, or its
 * definition has changed since the login. `not_connected`: only in listings, for a provider without connections.
 */
export const ConnectionStatus = Schema.Literals(["connected", "expired", "invalid", "not_connected"])
export type ConnectionStatus = typeof ConnectionStatus.Type

/** Stands where a secret would, unless the caller asked to reveal it. */
export const redactedMarker = "***REDACTED***"

/**
 * A connection on the wire. Exactly one of `accessToken` and `apiKey` is present: {@link redactedMarker}, or the secret itself
 * when the caller asked for it. An API key of several parts reveals as a JSON object of its fields.
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
  account: Schema.Struct({ id: Schema.NullOr(Schema.String), label: Schema.NullOr(Schema.String) }),
  hasRefreshToken: Schema.Boolean,
  accessToken: Schema.optionalKey(Schema.RedactedFromValue(Schema.String)),
  apiKey: Schema.optionalKey(Schema.RedactedFromValue(Schema.String))
}, "Connection")
export type Connection = typeof Connection.Type
