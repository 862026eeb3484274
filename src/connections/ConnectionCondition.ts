/** Computes the status of a connection as clients see it. */
import * as DateTime from "effect/DateTime"
import type { ConnectionStatus } from "../domain/Connection.ts"
import { TokenExpiredError } from "../domain/Errors.ts"
import type { Provider } from "../providers/ProviderRegistry.ts"
import type { StoredConnection } from "./ConnectionRepo.ts"
import { loginCommand, obstacleOf } from "./DefinitionBinding.ts"
import { isValid, lifeOf } from "./TokenLife.ts"

interface Condition {
  readonly status: ConnectionStatus
  /** Null if the connection is usable. */
  readonly lastRefreshError: string | null
}

/** `now` is in milliseconds since 1970. */
export const conditionOf = (stored: StoredConnection, provider: Provider | undefined, now: number): Condition => {
  const { metadata, row } = stored
  if (metadata.status === "revoking") {
    return { status: "invalid", lastRefreshError: "This connection is being revoked at the provider." }
  }
  const obstacle = obstacleOf(stored, provider)
  if (obstacle !== undefined) return { status: "invalid", lastRefreshError: obstacle }
  if (metadata.status === "connected" && !metadata.hasRefreshToken && !isValid(lifeOf(metadata), now)) {
    return {
      status: "expired",
      lastRefreshError: `The access token has expired. Log in again with: ${loginCommand(row.provider, row.name, true)}`
    }
  }
  if (metadata.status === "connected" && metadata.refusedAt !== undefined) {
    return {
      status: "invalid",
      lastRefreshError: `${row.provider} responded with 401 to this credential at ${
        DateTime.formatIso(metadata.refusedAt)
      }. It is still sent; check it with: credsvc doctor --probe. Log in again with: ${
        loginCommand(row.provider, row.name, true)
      }`
    }
  }
  return { status: metadata.status, lastRefreshError: metadata.lastRefreshError }
}

export const expired = ({ row }: StoredConnection) =>
  new TokenExpiredError({
    provider: row.provider,
    connection: row.name,
    detail: `The access token for ${row.provider} has expired and cannot be refreshed. ` +
      `Log in again with: ${loginCommand(row.provider, row.name, true)}`
  })
