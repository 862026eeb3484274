/** Identifies this daemon in leases, and tells whether the owner of another lease may still be alive. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { builtins } from "../builtins.ts"
import { isRunning, ownIdentity } from "../process/ProcessIdentity.ts"

export class LeaseOwner extends Context.Service<LeaseOwner, {
  /** The owner name of this daemon's leases, which stays the same while it runs. */
  readonly own: string

  /** Whether the daemon with this owner name may still be alive. */
  readonly isAlive: (owner: string) => Effect.Effect<boolean, SqlError>

  /** The time in milliseconds by the clock that all daemons of this store share. */
  readonly now: Effect.Effect<number, SqlError>
}>()("credsvc/platform/store/LeaseOwner") {
  /** Identifies owners by their process, because all daemons that use the same file run on one machine. */
  static readonly ofProcess = () => {
    const self = ownIdentity()
    return LeaseOwner.of({
      own: `${self} ${builtins.crypto.randomBytes(8).toString("hex")}`,
      isAlive: (owner) =>
        Effect.sync(() => {
          // Only one daemon runs per home, so another owner with this process ID has ended.
          const [process = ""] = owner.split(" ")
          return process !== self && isRunning(process)
        }),
      now: Clock.currentTimeMillis
    })
  }
}
