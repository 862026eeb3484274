/** Renewals that a program which embeds credsvc has for its own login methods. */
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
  /** The values of the grant. They must stay valid, because a renewal is repeated if its outcome is lost. */
  readonly grantValues: FieldValues
}

/** A credential that a program or a provider has issued for some time. */
export interface RenewedCredential {
  /** For a renewal, the same fields as in the grant. */
  readonly values: FieldValues
  readonly obtainedAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc | undefined
}

/** An `AuthenticationFailedError` ends the connection. An `EndpointUnreachableError` leaves it for another attempt. */
export type Renewal = (
  request: RenewalRequest
) => Effect.Effect<RenewedCredential, AuthenticationFailedError | EndpointUnreachableError>

/** By flow. Without an entry, connections of a flow are not renewed and remain valid until they expire. */
export const OwnRenewals = Context.Reference<ReadonlyMap<FlowKind, Renewal>>(
  "credsvc/connections/renewal/OwnRenewals",
  { defaultValue: () => new Map() }
)
