/** Notifies open pages of changes, as server-sent events without data. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { AuditLog } from "../../audit/AuditLog.ts"
import { RequestLog } from "../../audit/RequestLog.ts"
import { Connections } from "../../connections/Connections.ts"
import { RequestRefusedError } from "../../domain/Errors.ts"
import { Profiles } from "../../profiles/Profiles.ts"
import { RunQuestions } from "../../runs/RunQuestions.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { Instance } from "../http/Instance.ts"

const maxStreams = 16
const interval = "1 second"
/** The milliseconds between checks for new requests of runs, of which a busy run sends several each second. */
const requestInterval = 10_000
/** A stream ends after this many checks. A browser that is still connected opens a new stream. */
const maxChecks = 600
/** The number of checks after which a line is sent anyway, because only a write detects a closed connection. */
const heartbeat = 15

const event = (revision: string): string => `id: ${revision}\nevent: change\ndata: changed\n\n`

type State = ReadonlyArray<unknown>

export class LiveUpdates extends Context.Service<LiveUpdates, {
  readonly revision: Effect.Effect<string>

  /** Streams events after the revision of the page. At most 16 streams are open at a time. */
  readonly events: (since: string) => Effect.Effect<Stream.Stream<Uint8Array>, RequestRefusedError>
}>()("credsvc/server/LiveUpdates") {
  static readonly layerNoDeps = Layer.effect(
    LiveUpdates,
    Effect.gen(function*() {
      const audit = yield* AuditLog
      const connections = yield* Connections
      const profiles = yield* Profiles
      const requests = yield* RequestLog
      const runs = yield* RunRegistry
      const questions = yield* RunQuestions
      const manifest = yield* StoreManifest
      const { id } = yield* Instance
      let known: State = []
      let changes = 0
      let open = 0
      let countedAt = 0
      let requested: number | undefined
      let headsRead: number | undefined
      let newest: number | undefined

      const state: Effect.Effect<State> = Effect.gen(function*() {
        const { content } = yield* connections.revision
        const profile = yield* Effect.orElseSucceed(profiles.active, () => undefined)
        // The table `meta` contains the heads of the logs.
        const heads = manifest.revisionOf("meta")
        if (heads !== headsRead) {
          newest = yield* Effect.orElseSucceed(audit.newest, () => undefined)
          headsRead = heads
        }
        const running = yield* runs.known
        const now = Date.now()
        if (now - countedAt >= requestInterval) {
          countedAt = now
          requested = yield* Effect.orElseSucceed(requests.newest, () => undefined)
        }
        const waiting = (yield* questions.list).map(({ id }) => id).join()
        return [content, profile, newest, running, requested, waiting]
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
          let checks = 0
          return Stream.tick(interval).pipe(
            Stream.take(maxChecks),
            Stream.mapEffect(() => revision),
            Stream.map((now) => {
              const beat = checks++ % heartbeat === 0 ? ":\n\n" : ""
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
