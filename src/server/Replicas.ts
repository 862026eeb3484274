/**
 * Reports about all daemons of a store, for `credsvc admin doctor`.
 *
 * The database knows which daemons are connected. Each daemon describes itself when another daemon asks with a notice,
 * so nothing is stored, and a daemon that hangs is shown as silent. The reports are for people only, because a notice
 * may be forged.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import { Paths } from "../config/Paths.ts"
import { type Replica, ReplicaReport } from "../domain/wire/Replica.ts"
import { setNewest } from "../platform/BoundedMap.ts"
import { builtins } from "../platform/builtins.ts"
import { version } from "../platform/process/Version.ts"
import { LeaseOwner } from "../platform/store/LeaseOwner.ts"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import { schemaVersion } from "../store/Migrations.ts"
import { MasterKey } from "../vault/keys/MasterKey.ts"
import { sqlUnavailable } from "../vault/StoreFailures.ts"
import { Instance } from "./http/Instance.ts"
import { Readiness } from "./Readiness.ts"

/** How long a daemon has to respond, in milliseconds. */
const longestAnswer = 3000
const look = 50
const answerPause = 100
/** How far a daemon's clock may differ from the database's, in milliseconds. Signed requests allow a minute in total. */
const largestDifference = 10_000
const maxAnswers = 1000

const Answer = Schema.fromJsonString(Schema.Struct({ owner: Schema.String, report: ReplicaReport }))
const encode = Schema.encodeSync(Answer)
const decode = Schema.decodeUnknownOption(Answer)

const seconds = (milliseconds: number): string => `${Math.round(Math.abs(milliseconds) / 1000)} s`

const namesOf = <A>(found: Map<A, ReadonlyArray<Replica>>) =>
  [...found].map(([value, all]) => `${value} (${all.map(({ name }) => name).join(", ")})`).join(" and ")

/** Adds the homes to the names of daemons on one machine, or their lease owners if the homes are unknown. */
const withPlaces = (replicas: ReadonlyArray<Replica>): ReadonlyArray<Replica> =>
  replicas.map((replica) =>
    replicas.filter(({ name }) => name === replica.name).length === 1
      ? replica
      : { ...replica, name: `${replica.name} ${replica.report?.home ?? replica.owner}` }
  )

const problemsOf = (replicas: ReadonlyArray<Replica>): ReadonlyArray<string> => {
  const reporting = replicas.filter(({ report }) => report !== null)
  const versions = Map.groupBy(reporting, ({ report }) => report!.version)
  const keys = Map.groupBy(reporting.filter(({ report }) => report!.keyId !== null), ({ report }) => report!.keyId)
  return [
    ...replicas.flatMap(({ name, report, silentMilliseconds }) =>
      report === null
        ? [
          `${name} does not respond; its last message was ${
            seconds(silentMilliseconds)
          } ago. Restart it, unless it is starting.`
        ]
        : [
          ...report.status === "unhealthy"
            ? [`${name} cannot serve credentials. Find the cause on that machine with: credsvc doctor`]
            : [],
          ...Math.abs(report.clockMilliseconds) > largestDifference
            ? [
              `The clock of ${name} is ${seconds(report.clockMilliseconds)} ${
                report.clockMilliseconds > 0 ? "ahead of" : "behind"
              } the database's clock. Correct the clock: it decides when the daemon refreshes tokens.`
            ]
            : []
        ]
    ),
    ...versions.size > 1 ? [`The daemons have several versions: ${namesOf(versions)}. Finish the upgrade.`] : [],
    ...keys.size > 1 ? [`The daemons have several master keys: ${namesOf(keys)}. Give all daemons the same key.`] : []
  ]
}

/** Makes this daemon describe itself to others until the scope closes. Returns the report about all daemons. */
export const makeReplicas = Effect.gen(function*() {
  const changes = yield* StoreChanges
  const leases = yield* LeaseOwner
  const readiness = yield* Readiness
  const masterKey = yield* MasterKey
  const { home } = yield* Paths
  const { startedAt } = yield* Instance
  const requests = yield* Queue.sliding<void>(1)
  const answers = new Map<string, { readonly at: number; readonly report: ReplicaReport }>()

  const ownReport = Effect.gen(function*() {
    const { status } = yield* readiness.report
    const vault = Option.getOrUndefined(yield* Effect.option(masterKey.unlock))
    const before = Date.now()
    const shared = yield* leases.now
    const report: ReplicaReport = {
      home,
      version,
      schema: schemaVersion,
      status,
      startedAt: DateTime.makeUnsafe(startedAt),
      clockMilliseconds: Math.round((before + Date.now()) / 2 - shared),
      keyId: vault?.key.id ?? null
    }
    return report
  })

  const answer = Effect.flatMap(
    ownReport,
    (report) => changes.announce("replica", Buffer.from(encode({ owner: leases.own, report })).toString("base64url"))
  )
  yield* changes.onAnnounced("replicas", () => Queue.offerUnsafe(requests, undefined))
  yield* changes.onAnnounced("replica", (text = "") => {
    const found = Option.getOrUndefined(decode(Buffer.from(text, "base64url").toString()))
    if (found !== undefined) {
      setNewest(answers, found.owner, { at: performance.now(), report: found.report }, maxAnswers)
    }
  })

  // Anyone who can connect to the database can ask, so requests that arrive together share one report.
  const answered = Effect.andThen(Queue.take(requests), Effect.exit(answer))
  yield* Effect.forkScoped(Effect.forever(Effect.delay(answered, answerPause)))

  return Effect.gen(function*() {
    const asked = performance.now()
    const reportOf = (owner: string) => {
      const found = answers.get(owner)
      return found === undefined || found.at < asked ? undefined : found.report
    }
    yield* changes.announce("replicas", "")
    const own = yield* ownReport
    const others = (yield* changes.daemons).filter(({ owner }) => owner !== leases.own)
    while (others.some(({ owner }) => reportOf(owner) === undefined) && performance.now() - asked < longestAnswer) {
      yield* Effect.sleep(look)
    }
    const self = { name: builtins.os.hostname(), owner: leases.own, silentMilliseconds: 0 }
    const replicas = [self, ...others].map(({ name, owner, silentMilliseconds }): Replica => ({
      name,
      owner,
      own: owner === leases.own,
      silentMilliseconds,
      report: owner === leases.own ? own : reportOf(owner) ?? null
    }))
    return { replicas, problems: problemsOf(withPlaces(replicas)) }
  }).pipe(sqlUnavailable)
})
