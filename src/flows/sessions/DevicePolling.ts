/** Polls the provider of each open device login, with one poller per session among all daemons. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type { SessionId } from "../../domain/wire/AuthSession.ts"
import { makeLeases } from "../../vault/Leases.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { AuthSessions, type StoredSession } from "./AuthSessions.ts"
import { LoginProgress } from "./LoginProgress.ts"

export const makeDevicePolling = Effect.gen(function*() {
  const manifest = yield* StoreManifest
  const leases = yield* makeLeases
  const sessions = yield* AuthSessions
  const progress = yield* LoginProgress
  const pollers = yield* FiberMap.make<SessionId>()

  const leasePrefix = "device:"
  const leaseOf = ({ id_hash: idHash }: StoredSession) => leasePrefix + idHash

  /** Whether this daemon may poll for the session, because no other daemon does. False while the store cannot be used. */
  const mayPoll = (session: StoredSession) =>
    // Removes leases that were left behind: a daemon may have ended at the same time as its login.
    Effect.andThen(leases.prune(leasePrefix), leases.acquire(leaseOf(session))).pipe(
      manifest.transact,
      Effect.map((acquired) => acquired !== "taken"),
      Effect.orElseSucceed(() => false)
    )

  const poll = Effect.fnUntraced(function*(first: StoredSession, seconds: number) {
    const id = first.content.sessionId
    let wait = seconds
    for (;;) {
      const before = yield* sessions.find(id)
      if (before === undefined) return
      const left = DateTime.distance(yield* DateTime.now, before.expires_at)
      yield* Effect.sleep(Duration.min(Duration.seconds(wait), left))
      const session = yield* sessions.find(id)
      if (session?.status !== "waiting_for_user" || session.content.action.type !== "show_user_code") return
      if (DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, session.expires_at)) {
        return yield* progress.close(session, "expired")
      }
      if (!(yield* mayPoll(session))) continue
      const outcome = yield* progress.advance(session, { _tag: "Poll" }).pipe(
        // A busy store may recover; any other failure ends the session and is stored in it.
        Effect.catchTag("VaultUnavailableError", () => Effect.succeed({ _tag: "Wait" as const, seconds: wait }))
      )
      if (outcome?._tag !== "Wait") return
      wait = outcome.seconds
    }
  })

  /** Polls until the login ends or the store fails. Releases the lease if the login has ended. */
  const runPoller = Effect.fnUntraced(function*(session: StoredSession, seconds: number) {
    yield* Effect.ignore(poll(session, seconds))
    const now = yield* sessions.find(session.content.sessionId)
    if (now?.status !== "waiting_for_user") yield* leases.end(leaseOf(session))
  })

  /** Polls for a session, if it is a device login. */
  const watch = (session: StoredSession): Effect.Effect<void> => {
    const { action, sessionId } = session.content
    return action.type !== "show_user_code"
      ? Effect.void
      : Effect.asVoid(
        FiberMap.run(pollers, sessionId, Effect.ignore(runPoller(session, action.interval)), { onlyIfMissing: true })
      )
  }

  return { watch }
})
