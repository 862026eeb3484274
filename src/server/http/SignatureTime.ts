/** Refuses signatures that are too old, or that were made before the daemon could know whether they were used. */
import * as Effect from "effect/Effect"
import { replayWindow } from "../../callers/UsedNonces.ts"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import { LeaseOwner } from "../../platform/store/LeaseOwner.ts"
import { unsigned } from "./RequestSignature.ts"

/** The shortest time between reads of the store's clock, in milliseconds: stale signatures must not cause more work. */
const clockPause = 1000

export const staleSignature = unsigned(
  `The signature was made more than ${replayWindow} seconds ago or in the future. Check the clock.`
)

const tooEarly = () =>
  VaultUnavailableError.of(
    "The request was signed before the daemon started, so the daemon cannot know whether the signature was used. Send the " +
      "request again with a new signature. If it is refused again, check the clocks of both machines."
  )

/** `knownSince`: the time since which used nonces are known, in Unix seconds. */
export const makeSignatureTime = Effect.fnUntraced(function*(knownSince: number) {
  const leases = yield* LeaseOwner
  /** By how many milliseconds the clock of the store is ahead of this daemon's clock, and when this was measured. */
  let ahead = 0
  let readAt = -Infinity
  const now = () => Math.floor((Date.now() + ahead) / 1000)

  const refusalAt = (created: number) =>
    Math.abs(now() - created) > replayWindow ? staleSignature : created < knownSince ? tooEarly() : undefined

  /** Checks the time, by the clock of the store if this daemon's own clock may be wrong. */
  const correctedRefusalAt = Effect.fnUntraced(function*(created: number) {
    const refusal = refusalAt(created)
    if (refusal !== staleSignature || performance.now() - readAt < clockPause) return refusal
    readAt = performance.now()
    ahead = (yield* Effect.orElseSucceed(leases.now, () => Date.now())) - Date.now()
    return refusalAt(created)
  })

  return { refusalAt, correctedRefusalAt }
})
