/** The uses of credentials by open exchanges and WebSockets, which end when the daemon no longer permits them. */
import * as DateTime from "effect/DateTime"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import type { CredentialRequest } from "./CredentialSource.ts"
import type { Origin } from "./Origin.ts"
import type { Resolution } from "./Resolution.ts"
import type { ResolveBatch } from "./ResolveBatch.ts"

export type Resolved = Extract<Resolution, { readonly _tag: "resolved" }>

export interface CredentialUse {
  readonly origin: Origin
  readonly target: string
  readonly request: CredentialRequest
  /** The connection that the route named when the request began. Undefined if the request chose one. */
  readonly routed: ConnectionName | null | undefined
  readonly resolved: Resolved
}

/** A use and the function that ends it. */
export interface OpenUse {
  readonly use: CredentialUse
  readonly withdraw: (refusal: Refusal) => void
}

/** A key of a credential request, over every field that the daemon considers. */
export const keyOf = (
  { connection, host, path, port, provider, rejected, scope }: CredentialRequest
): string => {
  const key = `${host} ${port} ${provider} ${connection ?? ""} ${path ?? ""} ${rejected?.epochMilliseconds ?? ""}`
  return scope === undefined ? key : `${key} ${scope.region} ${scope.service}`
}

/** Errors that say nothing about the permission. New requests are refused; open ones continue until the daemon decides. */
const UNDECIDED: ReadonlySet<string> = new Set([
  "DaemonUnavailableError",
  "EndpointUnreachableError",
  "RefreshFailedError",
  "Unexpected",
  "VaultUnavailableError"
])

const REPLACED = requestRefusal(403, "the connection was replaced by another login; send the request again")

/** Why a use must end, according to a later response of the daemon. Undefined if it may continue. */
const withdrawalOf = (before: Resolved, outcome: Resolution): Refusal | undefined => {
  if (outcome._tag === "refused") return UNDECIDED.has(outcome.refusal.error) ? undefined : outcome.refusal
  // A refresh gives the same connection another token, and the former one is not withdrawn.
  if (before.refreshable && outcome.refreshable) return undefined
  return DateTime.Equivalence(before.issuedAt, outcome.issuedAt) ? undefined : REPLACED
}

/** The longest wait for all responses. A credential may have to be refreshed first. */
const CONFIRM_MILLISECONDS = 50

/**
 * Asks the daemon for the credential of each use again, and withdraws those that it refuses. Calls `done` when it has
 * responded about all of them, or after 50 milliseconds.
 */
export const confirmUses = (
  open: Iterable<OpenUse>,
  credentials: ResolveBatch<CredentialRequest, Resolution>,
  done: () => void
): void => {
  const grouped = Map.groupBy(open, ({ use }) => keyOf(use.request))
  if (grouped.size === 0) return done()
  let waiting = grouped.size
  let isDone = false
  const finish = (): void => {
    clearTimeout(timer)
    if (!isDone) done()
    isDone = true
  }
  const timer = setTimeout(finish, CONFIRM_MILLISECONDS)
  for (const [key, uses] of grouped) {
    credentials.ask(`${key} confirm`, { ...uses[0]!.use.request, confirm: true }, {
      settled: (outcome) => {
        for (const { use, withdraw } of uses) {
          const refusal = withdrawalOf(use.resolved, outcome)
          if (refusal !== undefined) withdraw(refusal)
        }
        if (--waiting === 0) finish()
      }
    })
  }
}

/** Withdraws the uses whose requests would now use another connection. */
export const withdrawRerouted = (open: Iterable<OpenUse>): void => {
  for (const { use: { origin, request, routed, target }, withdraw } of open) {
    const match = origin.routes?.match(target)
    if (match?._tag !== "Matched" || match.route.provider !== request.provider) continue
    if (routed === undefined || match.route.connection === routed) continue
    withdraw(requestRefusal(403, `the default connection of ${request.provider} has changed; send the request again`))
  }
}
