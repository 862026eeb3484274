/** The errors that explain why a credential is not used. */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import { CredentialMissingError, OperationNotAllowedError, TokenExpiredError } from "../../domain/Errors.ts"
import { existingConnections } from "../../domain/text/ExistingConnections.ts"
import { loginCommand } from "../../domain/text/LoginCommand.ts"
import type { Provider } from "../../providers/ProviderSnapshot.ts"
import { conditionOf } from "../ConnectionRecord.ts"
import type { StoredConnection } from "../ConnectionRepo.ts"
import { obstacleOf } from "./DefinitionBinding.ts"

/**
 * The error for a connection that only contained runs may use. `consequence` says what does not happen, such as "it is not
 * exported".
 */
export const containedOnly = (provider: string, connection: string, consequence: string) =>
  OperationNotAllowedError.of(
    `The connection "${connection}" for ${provider} is for contained runs only, so ${consequence}. ` +
      "Use it with: credsvc run --contain -- <command>"
  )

/** Returns the value, or fails with a refusal that says the reason. */
export const allowed = <A>(result: Result.Result<A, string>) =>
  Effect.mapError(Effect.fromResult(result), OperationNotAllowedError.of)

/** The error for a credential that is missing or unusable. `detail` is a sentence that says why. */
export const credentialMissing = (provider: string, connection: string, detail: string) =>
  new CredentialMissingError({ provider, connection, detail })

/** The error for a missing connection. `existing`: the names of the provider's other connections. */
export const notConnected = (provider: string, connection: string, existing: ReadonlyArray<string> = []) => {
  const found = `Connection "${connection}" not found for ${provider}.${existingConnections(existing)}`
  return credentialMissing(provider, connection, `${found} Create it with: ${loginCommand(provider, connection)}`)
}

/** The error for an access token that has expired, of a connection that cannot be refreshed. */
export const expiredToken = ({ row: { name, provider } }: StoredConnection) =>
  new TokenExpiredError({
    provider,
    connection: name,
    detail: `The access token for ${provider} has expired and cannot be refreshed. ` +
      `Log in again with: ${loginCommand(provider, name, true)}`
  })

/** Fails unless the credential may be used. */
export const checkUsable = Effect.fnUntraced(function*(stored: StoredConnection, known: Provider) {
  const { metadata, row: { name, provider } } = stored
  const obstacle = obstacleOf(stored, known)
  if (obstacle !== undefined) return yield* credentialMissing(provider, name, obstacle)
  if (metadata.status === "expired") return yield* expiredToken(stored)
  if (metadata.status !== "connected") {
    const { lastRefreshError } = conditionOf(stored, known, 0)
    const reason = lastRefreshError ?? `${provider} rejected the credential.`
    const remedy = `Log in again with: ${loginCommand(provider, name, true)}`
    return yield* credentialMissing(provider, name, reason.endsWith(remedy) ? reason : `${reason} ${remedy}`)
  }
})
