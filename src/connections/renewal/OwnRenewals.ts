/** The renewal functions of a program that embeds credsvc, for the program's own login methods. */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import type { AuthenticationFailedError, EndpointUnreachableError } from "../../domain/Errors.ts"
import type { FieldValues } from "../../domain/injection/Placement.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import type { FlowKind } from "../../domain/wire/ProviderName.ts"

export interface RenewalRequest {
  readonly profile: ProfileHandle
  readonly definition: ProviderDefinition
  readonly connection: ConnectionName
  readonly baseUrl: string | null
  /** The scopes that the login requested. */
  readonly scopes: ReadonlyArray<string>
  /** The stored values of the grant. A renewal must not invalidate them, because it is repeated if its outcome is lost. */
  readonly grantValues: FieldValues
}

/** A credential with a limited lifetime, from a program or a provider. */
export interface RenewedCredential {
  /** The values of the credential. A renewal must return the same fields as the login. */
  readonly values: FieldValues
  readonly obtainedAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc | undefined
}

/**
 * Obtains another credential. An `AuthenticationFailedError` ends the connection. After an `EndpointUnreachableError` the renewal
 * is repeated.
 */
export type Renewal = (
  request: RenewalRequest
) => Effect.Effect<RenewedCredential, AuthenticationFailedError | EndpointUnreachableError>

/** The renewal of each flow. Connections of a flow without an entry are not renewed and remain valid until they expire. */
export const OwnRenewals = Context.Reference<ReadonlyMap<FlowKind, Renewal>>(
  "credsvc/connections/renewal/OwnRenewals",
  { defaultValue: () => new Map() }
)
