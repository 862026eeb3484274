/**
 * What this process knows of the state of the store: the rows that it has verified, the states that its last commit may
 * have left, and a detected change by others.
 */
import * as Effect from "effect/Effect"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import { isSameSecret } from "../../platform/Digest.ts"
import type { StoreChanges } from "../../platform/store/StoreChanges.ts"
import { restoreAdvice } from "../StoreFailures.ts"
import type { Verified } from "./RowTracking.ts"

/** The last state that was verified or written. */
export interface State extends Verified {
  readonly epoch: number
  readonly mac: Uint8Array
}

/** The part of a state that the manifest records. */
export type Mark = Pick<State, "epoch" | "mac">

/** Whether the manifest records the same state, which may be missing. */
export const isSameMark = (one: Mark | undefined, other: Mark): boolean =>
  one?.epoch === other.epoch && isSameSecret(one.mac, other.mac)

const integrityError = (changes: StoreChanges["Service"], what: string) =>
  VaultUnavailableError.of(
    `The store was changed outside of credsvc: ${what}. No stored secret is used until the store is restored: stop the daemon, ` +
      `${restoreAdvice(changes)}, and start the daemon again.`
  )

export type KnownState = ReturnType<typeof makeKnownState>

export const makeKnownState = (changes: StoreChanges["Service"]) => {
  let verified: State | undefined
  /** The error of a detected change. Never cleared, so that restoring the old data does not hide an attack. */
  let difference: VaultUnavailableError | undefined
  /** The possible states after this process's last commit: there are two while its outcome is unknown. */
  let left: ReadonlyArray<Mark> = []

  return {
    /** The verified state, or undefined if the store must be read again or was changed by others. */
    verified: () => difference === undefined ? verified : undefined,

    difference: () => difference,

    /** Fails if a change by others was detected. */
    requireIntact: Effect.suspend(() => difference === undefined ? Effect.void : Effect.fail(difference)),

    /** Whether this process has verified the store since it started. */
    hasLeft: () => left.length > 0,

    setVerified: (state: State | undefined): void => {
      verified = state
    },

    setLeft: (...marks: ReadonlyArray<Mark>): void => {
      left = marks
    },

    /** Whether a state follows the states that this process knows. */
    isSuccessor: (mark: Mark): boolean => {
      const [earliest] = left
      return earliest === undefined || left.some((mine) => isSameMark(mine, mark)) ||
        (changes.isShared && mark.epoch > earliest.epoch)
    },

    /** Blocks every further use of the store until a restart. */
    condemn: (what: string) =>
      Effect.suspend(() => {
        if (difference !== undefined) return Effect.fail(difference)
        const error = difference = integrityError(changes, what)
        return Effect.andThen(Effect.logError(error.detail), Effect.fail(error))
      })
  }
}
