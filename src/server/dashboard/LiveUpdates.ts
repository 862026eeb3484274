/** Tells open pages that something has changed. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditLog } from "../../audit/AuditLog.ts"
import { RequestLog } from "../../audit/RequestLog.ts"
import { Connections } from "../../connections/Connections.ts"
import { Profiles } from "../../profiles/Profiles.ts"
import { RunQuestions } from "../../runs/RunQuestions.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { Instance } from "../http/Instance.ts"

/** The milliseconds between checks for new requests of runs, of which a busy run sends several each second. */
const requestInterval = 10_000

/** How often the daemon looks for changes during one request of a page. */
const maxChecks = 15

type State = ReadonlyArray<unknown>

const make = Effect.gen(function*() {
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

  return {
    revision,
    /** Waits some seconds for a revision that differs from the page's. Returns the current revision. */
    after: (since: string) =>
      Effect.repeat(Effect.delay(revision, "1 second"), { until: (now) => now !== since, times: maxChecks })
  }
})

export class LiveUpdates
  extends Context.Service<LiveUpdates, Effect.Success<typeof make>>()("credsvc/server/LiveUpdates")
{
  static readonly layerNoDeps = Layer.effect(LiveUpdates, make)
}
