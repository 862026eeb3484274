/**
 * Denies commands inside a run the operations that reveal secrets, change limits of runs, or read the logs.
 *
 * This is a safeguard, not a security boundary: a program of the same user can hide its origin. It stops an agent that calls
 * `credsvc export`, and records the attempt in the audit log.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditLog } from "../../audit/AuditLog.ts"
import type { AuditRecord } from "../../audit/AuditRecord.ts"
import { isRemote, type Peer } from "../../callers/Caller.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { CurrentProfile, type ProfileHandle } from "../../domain/wire/Profile.ts"
import type { RunName } from "../../domain/wire/Run.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { currentPeer } from "./CurrentCaller.ts"

/** The entry for the audit log. Names that do not apply are null. */
type Attempt = Pick<AuditRecord, "event" | "provider" | "connection">

/** The refused operations. Each completes the sentences "Commands inside credsvc run cannot" and "A job cannot". */
const rules = {
  secrets: "read credentials: the proxy adds them to outgoing requests.",
  files: "replace credentials in files.",
  credentialCommand: "register a credential command, which the daemon would run without the limits of the run.",
  policies: "change policies, which limit the requests of runs.",
  rotation: "rotate the keys of the vault.",
  backup: "back up the store.",
  trustedIssuer: "decide which authorization server or resource is trusted.",
  removalOfContainedOnly: "remove the limitation of a connection to contained runs."
}

const make = Effect.gen(function*() {
  const audit = yield* AuditLog
  const runs = yield* RunRegistry

  const refusePeer = Effect.fnUntraced(function*<E>(
    what: keyof typeof rules,
    peer: Peer,
    identity: ProfileHandle,
    attempt: Effect.Effect<Attempt, E>
  ) {
    const isJob = isRemote(peer) && peer.identity.job !== null
    if (!isJob && !(yield* runs.isInside(peer))) return
    yield* audit.appendRepeatable({ ...yield* attempt, identity, status: "denied" })
    return yield* OperationNotAllowedError.of(
      isJob
        ? `A job cannot ${rules[what]}`
        : `Commands inside credsvc run cannot ${rules[what]} Run this command outside of the run.`
    )
  })

  /** Fails and records the denial if the caller is inside a run or is a job. */
  const refuse = Effect.fnUntraced(function*(what: keyof typeof rules, attempt: Attempt) {
    yield* refusePeer(what, yield* currentPeer, yield* CurrentProfile, Effect.succeed(attempt))
  })

  /**
   * Fails if the caller is inside a run, because the logs tell what other programs of the user do. A caller may read
   * the log entries of its own run.
   */
  const refuseLogs = Effect.fnUntraced(function*(run?: RunName) {
    const own = yield* Effect.flatMap(currentPeer, runs.innermost)
    if (own === undefined || (own !== null && run === own)) return
    return yield* OperationNotAllowedError.of(
      "Commands inside credsvc run cannot read what other programs did. " +
        (own === null
          ? "Run this command outside of the run."
          : `Run this command outside of the run, or read the requests of the run with: credsvc log requests --run ${own}`)
    )
  })

  return {
    refuse,
    /** Serves a request for its profile, or refuses it as `refuse` does. */
    outside: <A, E, R>(
      what: keyof typeof rules,
      attempt: Attempt,
      use: (profile: ProfileHandle) => Effect.Effect<A, E, R>
    ) => Effect.andThen(refuse(what, attempt), Effect.flatMap(CurrentProfile, use)),
    refuseLogs,
    /**
     * Refuses to give secrets to a `resolve` request without the ID of a registered run. `attempt` is evaluated only for
     * a denial.
     */
    refuseResolve: <E>(peer: Peer, profile: ProfileHandle, attempt: Effect.Effect<Attempt, E>) =>
      refusePeer("secrets", peer, profile, attempt)
  }
})

export class ChildRefusal
  extends Context.Service<ChildRefusal, Effect.Success<typeof make>>()("credsvc/server/ChildRefusal")
{
  static readonly layerNoDeps = Layer.effect(ChildRefusal, make)
}
