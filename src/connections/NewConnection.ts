/** The result of a login, and the content of the row that stores it. */
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { FlowKind, ProviderName } from "../domain/definition/Provider.ts"
import { plainFieldNames } from "../domain/definition/ProviderFields.ts"
import type {
  ConnectionAlreadyExistsError,
  OperationNotAllowedError,
  ProviderNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { CredentialCommand } from "../domain/wire/CredentialCommand.ts"
import type { Provider } from "../providers/ProviderSnapshot.ts"
import type { StoreTransaction } from "../vault/manifest/StoreManifest.ts"
import { type ConnectionContent, plainFieldsOf, type Secrets, type StoredConnection } from "./ConnectionRepo.ts"
import type { OAuthBinding } from "./oauth/OAuthBinding.ts"

export interface NewConnection extends Secrets {
  readonly provider: ProviderName
  readonly connection: ConnectionName
  readonly flow: FlowKind
  readonly baseUrl: string | null
  /** The `fingerprint` of the definition that the login used. `save` fails if the definition has changed after the login. */
  readonly definitionFp: string
  /** Whether only contained runs may use the connection. If absent, a replaced connection keeps its value. */
  readonly containedOnly?: boolean | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The scopes of each token request; for stored grants only. */
  readonly requestedScopes?: ReadonlyArray<string> | undefined
  readonly tokenType?: string | undefined
  /** Start of the credential's validity; defaults to now. */
  readonly obtainedAt?: DateTime.Utc | undefined
  readonly expiresAt?: DateTime.Utc | undefined
  readonly account?: { readonly id: string | null; readonly label: string | null } | undefined
  /** Issuer and client of the tokens; for OAuth logins only. */
  readonly oauth?: OAuthBinding | undefined
  readonly command?: CredentialCommand | undefined
  /** The token response of a login that a program has made, with phantoms, as JSON. */
  readonly programResponse?: string | undefined
}

export type SaveError =
  | ConnectionAlreadyExistsError
  | OperationNotAllowedError
  | ProviderNotFoundError
  | VaultUnavailableError

export interface SaveOptions {
  /** Whether to replace an existing connection of this name. */
  readonly force: boolean
  /** An effect to run in the same transaction. */
  readonly also?: Effect.Effect<void, SqlError | VaultUnavailableError, StoreTransaction>
}

/** The content of a row for a login. `replaced` is the connection that had this name before. */
export const contentOfLogin = (
  given: NewConnection,
  { definition, source }: Provider,
  now: DateTime.Utc,
  replaced: StoredConnection | undefined
): ConnectionContent => {
  const containedOnly = definition.containedOnly === true ||
    (given.containedOnly ?? replaced?.metadata.containedOnly === true)
  return {
    authType: definition.authType,
    flow: given.flow,
    definitionFp: given.definitionFp,
    metadata: {
      status: "connected",
      baseUrl: given.baseUrl,
      scopes: given.scopes ?? [],
      requestedScopes: given.requestedScopes,
      tokenType: given.tokenType ?? null,
      expiresAt: given.expiresAt ?? null,
      obtainedAt: given.obtainedAt ?? now,
      lastRefreshAt: null,
      lastRefreshError: null,
      account: given.account ?? { id: null, label: null },
      hasRefreshToken: given.refreshToken !== undefined,
      plainFields: plainFieldsOf(given.values, plainFieldNames(definition, given.flow)),
      definitionSource: source,
      containedOnly: containedOnly || undefined,
      oauth: given.oauth,
      command: given.command,
      programResponse: given.programResponse
    },
    secrets: { values: given.values, refreshToken: given.refreshToken, grantValues: given.grantValues }
  }
}
