/** Obtains the key of a connection again, from a program, a provider or a flow of the embedding program. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import { optionalFields, plainFieldNames } from "../../domain/definition/ProviderFields.ts"
import type { AuthenticationFailedError, EndpointUnreachableError } from "../../domain/Errors.ts"
import type { FieldValues } from "../../domain/injection/Placement.ts"
import { isOwnFlow } from "../../domain/wire/ProviderName.ts"
import { isLost, type OAuthError } from "../../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import type { CommandFailure } from "../../platform/process/CommandOutput.ts"
import type { Provider } from "../../providers/ProviderSnapshot.ts"
import { ConnectionRepo, contentOf, plainFieldsOf, type Secrets, type StoredConnection } from "../ConnectionRepo.ts"
import { assumeRole, refusesKeys } from "../grants/AssumeRole.ts"
import { runCredentialCommand } from "../grants/CredentialCommands.ts"
import { obstacleOf } from "../use/DefinitionBinding.ts"
import { OwnRenewals, type RenewedCredential } from "./OwnRenewals.ts"
import { type RefreshedTokens, RenewalFailure, renewalFailureOf } from "./RefreshedTokens.ts"

type KeySourceError =
  | AuthenticationFailedError
  | CommandFailure
  | EndpointUnreachableError
  | OAuthError
  | RenewalFailure

/**
 * Whether a new credential has the fields of the stored one. Optional fields may be missing. Without this check, a
 * changed definition could give a secret the name, and so the meaning, of another field.
 */
const hasSameFields = (definition: ProviderDefinition, before: FieldValues, after: FieldValues): boolean => {
  const optional = new Set(optionalFields(definition))
  const lacks = (values: FieldValues) => (name: string) => !Object.hasOwn(values, name) && !optional.has(name)
  return !Object.keys(before).some(lacks(after)) && !Object.keys(after).some(lacks(before))
}

/** The failure of this attempt, or the reason why the connection has ended. */
const keyFailureOf = (before: StoredConnection, error: KeySourceError): RenewalFailure | string => {
  switch (error._tag) {
    case "AuthenticationFailedError":
      return error.message
    case "RenewalFailure":
      return error
    case "CommandFailure":
      return new RenewalFailure({
        message: `${error.message} The daemon will run the command again later.`,
        answered: true
      })
    case "EndpointUnreachableError":
      return new RenewalFailure({ message: error.message, answered: false })
    default:
      return error._tag === "OAuthRejected" && refusesKeys(error)
        ? `${before.row.provider} refused the keys of this login: ${error.message}.`
        : renewalFailureOf(before, error)
  }
}

/** Makes the function that obtains a key again. It needs no lease, because the request can be repeated without harm. */
export const makeKeyRenewal = Effect.fnUntraced(function*({ endConnection, recordFailure, saveKey }: RefreshedTokens) {
  const repo = yield* ConnectionRepo
  const http = yield* OAuthHttp
  const ownRenewals = yield* OwnRenewals

  /** Returns an effect that obtains new values for a key, or undefined if the connection has no source for them. */
  const keySourceOf = (
    { metadata, row }: StoredConnection,
    definition: ProviderDefinition,
    { grantValues }: Secrets
  ): Effect.Effect<RenewedCredential, KeySourceError> | undefined => {
    const { baseUrl, command, requestedScopes: scopes = [] } = metadata
    if (isOwnFlow(row.flow)) {
      if (grantValues === undefined) return undefined
      const renewal = ownRenewals.get(row.flow)
      if (renewal !== undefined) {
        return renewal({ profile: row.profile, definition, connection: row.name, baseUrl, scopes, grantValues })
      }
      const message = `This daemon cannot renew connections of the login method ${row.flow}, which only a ` +
        "program that embeds credsvc provides."
      return Effect.fail(new RenewalFailure({ message, answered: true }))
    }
    if (definition.authType !== "api_key") return undefined
    if (command !== undefined) return runCredentialCommand(definition, command)
    if (row.flow !== "assume_role" || grantValues === undefined) return undefined
    const ask = Effect.provideService(assumeRole(definition, grantValues), OAuthHttp, http)
    return Effect.catchIf(ask, isLost, () => ask)
  }

  return Effect.fnUntraced(function*(before: StoredConnection, provider: Provider) {
    const { definition } = provider
    const { metadata: { refusedAt: _, ...metadata }, row } = before
    if (obstacleOf(before, provider) !== undefined) return
    const secrets = yield* repo.openSecrets(before)
    const source = keySourceOf(before, definition, secrets)
    if (source === undefined) return
    const result = yield* Effect.result(source)
    if (Result.isFailure(result)) {
      const failure = keyFailureOf(before, result.failure)
      return yield* typeof failure === "string"
        ? endConnection(before, secrets, "invalid", failure)
        : recordFailure(before, secrets, failure, "known")
    }
    const { expiresAt = null, obtainedAt, values } = result.success
    if (!hasSameFields(definition, secrets.values, values)) {
      const reason = `The fields in the definition of ${row.provider} have changed since this login.`
      return yield* endConnection(before, secrets, "invalid", reason)
    }
    // The definition may have changed: fields that were secret at the login stay secret.
    const plain = plainFieldNames(definition, row.flow).filter((name) => Object.hasOwn(metadata.plainFields, name))
    const content = contentOf({
      row,
      metadata: {
        ...metadata,
        expiresAt,
        lastRefreshAt: obtainedAt,
        lastRefreshError: null,
        plainFields: plainFieldsOf(values, plain)
      }
    }, { ...secrets, values })
    yield* saveKey(before, content)
  })
})
