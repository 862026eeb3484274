/** Polls the provider of each open device login, with one poller per session. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import type { SessionId } from "../domain/AuthSession.ts"
import { AuthSessions, type StoredSession } from "./AuthSessions.ts"
import { LoginProgress } from "./LoginProgress.ts"

export class DevicePolling extends Context.Service<DevicePolling, {
  readonly watch: (session: StoredSession) => Effect.Effect<void>
}>()("credsvc/flows/DevicePolling") {
  static readonly layerNoDeps = Layer.effect(
    DevicePolling,
    Effect.gen(function*() {
      const sessions = yield* AuthSessions
      const progress = yield* LoginProgress
      const pollers = yield* FiberMap.make<SessionId>()

      const poll = Effect.fnUntraced(function*(id: SessionId, seconds: number) {
        let wait = seconds
        for (;;) {
          const before = yield* sessions.find(id)
          if (before === undefined) return
          const left = DateTime.distance(yield* DateTime.now, before.expiresAt)
          yield* Effect.sleep(Duration.min(Duration.seconds(wait), left))
          const session = yield* sessions.find(id)
          if (session?.status !== "waiting_for_user" || session.content.action.type !== "show_user_code") return
          if (DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, session.expiresAt)) {
            return yield* progress.close(session, "expired")
          }
          const outcome = yield* progress.advance(session, { _tag: "Poll" }).pipe(
            // A busy store may recover; any other failure ends the session and is stored in it.
            Effect.catchTag("VaultUnavailableError", () => Effect.succeed({ _tag: "Wait" as const, seconds: wait }))
          )
          if (outcome?._tag !== "Wait") return
          wait = outcome.seconds
        }
      })

      const watch = (session: StoredSession): Effect.Effect<void> => {
        const { action, sessionId } = session.content
        return action.type !== "show_user_code"
          ? Effect.void
          : Effect.asVoid(
            FiberMap.run(pollers, sessionId, Effect.ignore(poll(sessionId, action.interval)), { onlyIfMissing: true })
          )
      }

      return DevicePolling.of({ watch })
    })
  )
}
