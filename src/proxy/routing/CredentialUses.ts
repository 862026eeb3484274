/** The uses of credentials by open exchanges and WebSockets, which end when the daemon no longer permits them. */
import * as DateTime from "effect/DateTime"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import type { CredentialRequest } from "./CredentialSource.ts"
import type { Resolution, Resolved } from "./Resolution.ts"
import type { ResolveBatch } from "./ResolveBatch.ts"

export interface CredentialUse {
  readonly request: CredentialRequest
  readonly resolved: Resolved
}

/** A use and the function that ends it. */
export interface OpenUse {
  readonly use: CredentialUse
  readonly withdraw: (refusal: Refusal) => void
}

/** A key of a credential request, over every field that the daemon considers. */
export const keyOf = (
  { connection, host, login, path, port, provider, rejected, scope }: CredentialRequest
): string => {
  const name = login === undefined ? connection ?? "" : `${connection} ${login}`
  const key = `${host} ${port} ${provider} ${name} ${path ?? ""} ${rejected?.epochMilliseconds ?? ""}`
  return scope === undefined ? key : `${key} ${scope.region} ${scope.service}`
}

/** Errors that say nothing about the permission. New requests are refused; open ones continue until the daemon decides. */
const UNDECIDED =
  /^(?:DaemonUnavailableError|EndpointUnreachableError|RefreshFailedError|Unexpected|VaultUnavailableError)$/

const REPLACED = requestRefusal(403, "the connection was replaced by another login; send the request again")

/** Why a use must end, according to a later response of the daemon, or undefined if it may continue. */
const withdrawalOf = (before: Resolved, outcome: Resolution): Refusal | undefined => {
  if (outcome._tag === "refused") return UNDECIDED.test(outcome.refusal.error) ? undefined : outcome.refusal
  // A refresh gives the same connection another token, and the old token is not withdrawn.
  if (before.refreshable && outcome.refreshable) return undefined
  return DateTime.Equivalence(before.issuedAt, outcome.issuedAt) ? undefined : REPLACED
}

/** Asks the daemon again for the credential of each use, and withdraws the uses that the daemon refuses. */
export const confirmUses = (
  open: Iterable<OpenUse>,
  credentials: ResolveBatch<CredentialRequest, Resolution>
): void => {
  for (const [key, uses] of Map.groupBy(open, ({ use }) => keyOf(use.request))) {
    credentials.ask(`${key} confirm`, { ...uses[0]!.use.request, confirm: true }, {
      settled: (outcome) => {
        for (const { use, withdraw } of uses) {
          const refusal = withdrawalOf(use.resolved, outcome)
          if (refusal !== undefined) withdraw(refusal)
        }
      }
    })
  }
}
