/** Describes a stored connection as clients see it. */
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import { apiUrlOf } from "../domain/definition/ProviderHosts.ts"
import { loginCommand } from "../domain/text/LoginCommand.ts"
import { type Connection, redactedMarker } from "../domain/wire/Connection.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import type { Provider } from "../providers/ProviderSnapshot.ts"
import { isRenewable, type StoredConnection } from "./ConnectionRepo.ts"
import { isValid, lifeOf } from "./renewal/TokenLife.ts"
import { obstacleOf } from "./use/DefinitionBinding.ts"

/** The status of a connection, and the error of its last refresh, which is null if there was none. */
type Condition = Pick<Connection, "status" | "lastRefreshError">

/** The exceptions for authorization servers that the user has accepted for this connection. */
const acceptedIn = ({ metadata: { oauth } }: StoredConnection): Pick<Connection, "noResource" | "trustedIssuer"> => ({
  ...(oauth?.trustedIssuer === undefined ? {} : { trustedIssuer: oauth.trustedIssuer }),
  ...(oauth?.noResource === undefined ? {} : { noResource: oauth.noResource })
})

export const conditionOf = (stored: StoredConnection, provider: Provider | undefined, now: number): Condition => {
  const { metadata, row } = stored
  if (metadata.status === "revoking") {
    return { status: "invalid", lastRefreshError: "This connection is being revoked at the provider." }
  }
  const obstacle = obstacleOf(stored, provider)
  if (obstacle !== undefined) return { status: "invalid", lastRefreshError: obstacle }
  const again = `Log in again with: ${loginCommand(row.provider, row.name, true)}`
  if (metadata.status === "connected" && !isRenewable(stored) && !isValid(lifeOf(metadata), now)) {
    return { status: "expired", lastRefreshError: `The access token has expired. ${again}` }
  }
  if (metadata.status === "connected" && metadata.refusedAt !== undefined) {
    const refusal = `${row.provider} responded with 401 to this credential at ${
      DateTime.formatIso(metadata.refusedAt)
    }.`
    return { status: "invalid", lastRefreshError: `${refusal} The proxy still sends it. ${again}` }
  }
  return { status: metadata.status, lastRefreshError: metadata.lastRefreshError }
}

/** Whether only contained runs may use a connection. */
export const isContainedOnly = ({ metadata }: StoredConnection, provider: Provider | undefined): boolean =>
  metadata.containedOnly === true || provider?.definition.containedOnly === true

/** One shared object, because a list may have thousands of records. */
const redacted = Redacted.make(redactedMarker)

/** Describes a connection for clients. `now` is in milliseconds since 1970. */
export const recordOf = (
  stored: StoredConnection,
  { isDefault, now, profile, provider, secret = redacted }: {
    /** The profile that sees the connection. */
    readonly profile: ProfileHandle
    readonly provider: Provider | undefined
    readonly isDefault: boolean
    readonly now: number
    readonly secret?: Redacted.Redacted<string> | undefined
  }
): Connection => {
  const { metadata, row } = stored
  return {
    provider: row.provider,
    connectionName: row.name,
    profile: row.profile,
    authType: row.auth_type,
    flow: row.flow,
    ...conditionOf(stored, provider, now),
    isDefault,
    baseUrl: metadata.baseUrl,
    apiUrl: provider === undefined ? null : apiUrlOf(provider.definition, metadata.baseUrl),
    scopes: metadata.scopes,
    tokenType: metadata.tokenType,
    expiresAt: metadata.expiresAt,
    obtainedAt: metadata.obtainedAt,
    lastRefreshAt: metadata.lastRefreshAt,
    refusedAt: metadata.refusedAt ?? null,
    account: metadata.account,
    hasRefreshToken: metadata.hasRefreshToken,
    renewable: isRenewable(stored),
    containedOnly: isContainedOnly(stored, provider),
    ...(row.profile === profile ? {} : { grantedBy: row.profile }),
    ...(obstacleOf(stored, provider) === undefined ? acceptedIn(stored) : {}),
    ...(metadata.command === undefined ? {} : { command: metadata.command }),
    ...(Object.keys(metadata.plainFields).length === 0 ? {} : { fields: metadata.plainFields }),
    ...(row.auth_type === "oauth2" ? { accessToken: secret } : { apiKey: secret })
  }
}
