/**
 * Tells open pages that something has changed, as server-sent events. What has changed they find out by asking for
 * themselves again, so nothing is told here but that.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { AuditLog } from "../../audit/AuditLog.ts"
import { Connections } from "../../connections/Connections.ts"
import { RequestRefusedError } from "../../domain/Errors.ts"
import { Profiles } from "../../profiles/Profiles.ts"
import { Instance } from "../http/Instance.ts"

const maxStreams = 16
const interval = "1 second"
/** A stream ends after this many looks, and a browser that is still there opens another. */
const looks = 600
/** Every how many looks a line is sent anyway: writing is how one learns that nobody reads any more. */
const heartbeat = 15

const event = (revision: string): string => `id: ${revision}\nevent: change\ndata: changed\n\n`

/** Everything that pages show, as values that are the same for as long as it is. */
type State = ReadonlyArray<unknown>

export class LiveUpdates extends Context.Service<LiveUpdates, {
  /** A name for the present state; another one after every change. */
  readonly revision: Effect.Effect<string>

  /** Starts with the revision that the page was made from. At most 16 at a time. */
  readonly events: (since: string) => Effect.Effect<Stream.Stream<Uint8Array>, RequestRefusedError>
}>()("credsvc/server/LiveUpdates") {
  static readonly layerNoDeps: Layer.Layer<LiveUpdates, never, AuditLog | Connections | Instance | Profiles> = Layer
    .effect(
      LiveUpdates,
      Effect.gen(function*() {
        const audit = yield* AuditLog
        const connections = yield* Connections
        const profiles = yield* Profiles
        const { id } = yield* Instance
        let known: State = []
        let changes = 0
        let open = 0

        const state: Effect.Effect<State> = Effect.gen(function*() {
          const stamp = yield* connections.stamp
          const profile = yield* Effect.orElseSucceed(profiles.active, () => undefined)
          const newest = yield* Effect.orElseSucceed(audit.newest, () => undefined)
          return [stamp.connections, stamp.definitions, stamp.foreign, profile, newest]
        })

        const revision = Effect.map(state, (now) => {
          if (now.length !== known.length || now.some((part, index) => part !== known[index])) {
            known = now
            changes++
          }
          return `${id.slice(0, 8)}-${changes}`
        })

        const stream = (since: string): Stream.Stream<Uint8Array> =>
          Stream.suspend(() => {
            open++
            let told = since
            let look = 0
            return Stream.tick(interval).pipe(
              Stream.take(looks),
              Stream.mapEffect(() => revision),
              Stream.map((now) => {
                const beat = look++ % heartbeat === 0 ? ":\n\n" : ""
                if (now === told) return beat
                told = now
                return event(now)
              }),
              Stream.filter((text) => text !== ""),
              Stream.encodeText,
              Stream.ensuring(Effect.sync(() => {
                open--
              }))
            )
          })

        return LiveUpdates.of({
          revision,
          events: (since) =>
            Effect.suspend(() =>
              open >= maxStreams
                ? Effect.fail(
                  new RequestRefusedError({
                    detail: `Too many pages receive live updates already (limit: ${maxStreams}).`
                  })
                )
                : Effect.succeed(stream(since))
            )
        })
      })
    )
}
