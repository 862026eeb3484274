/** Registers runs, and determines what registered runs may do. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { AuditLog } from "../audit/AuditLog.ts"
import type { Peer } from "../callers/Caller.ts"
import { Connections } from "../connections/Connections.ts"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { ProviderName } from "../domain/wire/ProviderName.ts"
import type { Run, RunLimits, RunName } from "../domain/wire/Run.ts"
import * as KnownRuns from "./KnownRuns.ts"
import { makeRegister } from "./NewRuns.ts"
import { isPartOf, keyIdOf, maySee, nameOf, refusalOf, type RegisteredRun, toRun } from "./RegisteredRun.ts"
import * as RunCallers from "./RunCallers.ts"
import * as RunReports from "./RunReports.ts"
import { RunRows } from "./RunRows.ts"
import * as RunUses from "./RunUses.ts"

const endRetry = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 minute")])

type Around = Effect.Success<ReturnType<RunCallers.RunCallers["aroundPeer"]>>

/** Why a caller cannot stop a run, if it can see the run: a command may stop only runs that it has started. */
const stopRefusal = (target: RegisteredRun | undefined, name: RunName, { isComplete, runs }: Around) => {
  if (!isComplete || !runs.every((run) => target?.content.outer.includes(nameOf(run)))) {
    return OperationNotAllowedError.of(
      "Commands inside credsvc run can stop only runs that they have started themselves. " +
        "Run this command outside of the run."
    )
  }
  return target === undefined
    ? OperationNotAllowedError.of(`Unknown run "${name}". List the active runs with: credsvc runs`)
    : undefined
}

/** What registered runs may do. Callers that are not the process of the run learn nothing. */
const permissionsOf = (known: KnownRuns.KnownRuns, callers: RunCallers.RunCallers) => ({
  /**
   * The limits of the registered run with this ID, or undefined if the caller is not the run's process. Fails if the run was
   * stopped or frozen, or if an outer run has ended.
   */
  limitsOf: (peer: Peer, id: string | undefined) =>
    id === undefined ? Effect.succeed(undefined) : Effect.flatMap(known.find(id, keyIdOf(peer)), (run) => {
      if (run === undefined) return Effect.succeed(undefined)
      const refusal = refusalOf(run, nameOf(run))
      if (refusal !== undefined) return Effect.fail(refusal)
      const limits = Effect.map(callers.isOf(peer, run), (isCaller) => isCaller ? run.limits : undefined)
      return run.content.outer.length === 0 ? limits : Effect.andThen(callers.requireOuter(run), limits)
    }),

  /** The result of `limitsOf` for a run without outer runs, or undefined if only a query could tell. */
  knownLimits: (peer: Peer, id: string): RunLimits | undefined => {
    const run = known.own.get(id)
    const isUsable = run !== undefined && run.content.keyId === keyIdOf(peer) && run.content.outer.length === 0 &&
      refusalOf(run, nameOf(run)) === undefined && callers.isKnownOf(peer, run)
    return isUsable ? run.limits : undefined
  },

  /** The run with this ID that is registered with this daemon, or undefined if the caller is not the run's process. */
  runOf: (peer: Peer, id: string): Effect.Effect<Run | undefined> =>
    Effect.suspend(() => {
      const own = known.own.get(id)
      return own === undefined || own.content.keyId !== keyIdOf(peer)
        ? Effect.succeed(undefined)
        : Effect.map(callers.isOf(peer, own), (isCaller) => isCaller ? toRun(own) : undefined)
    })
})

const make = Effect.gen(function*() {
  const audit = yield* AuditLog
  const connections = yield* Connections
  const rows = yield* RunRows
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const scope = yield* Effect.scope
  const stopped = yield* Deferred.make<void>()

  const background: KnownRuns.Background = (effect) => void fork(Effect.forkIn(Effect.ignore(effect), scope))
  const uses = yield* RunUses.make(background)
  const known = yield* KnownRuns.make(background, uses.recordEnd)
  const callers = yield* RunCallers.make(known.all)
  const report = yield* RunReports.make(known, callers.isOf)
  const register = yield* makeRegister(known, callers, ({ content: { run }, registration }) => {
    // Runs register again with a daemon that replaces this one.
    if (Deferred.isDoneUnsafe(stopped)) return
    background(Effect.andThen(Effect.retry(rows.end(run.name, registration), endRetry), uses.recordEnd(run)))
  })

  const notifyRuns = () => known.own.notifyAll()
  yield* Effect.acquireRelease(
    Effect.sync(() => connections.onChange(notifyRuns)),
    (unsubscribe) => Effect.sync(unsubscribe)
  )

  /**
   * Ends the permission of a run, and of the runs inside it, to get credentials, notifies their proxies, and records the stop.
   * Returns the runs that were stopped.
   */
  const stopRun = Effect.fnUntraced(function*(peer: Peer, name: RunName) {
    const runs = yield* known.current
    const target = runs.find((run) => nameOf(run) === name && maySee(peer)(run.content.run))
    const refusal = stopRefusal(target, name, yield* callers.aroundPeer(peer))
    if (refusal !== undefined) return yield* refusal
    const stoppedAt = yield* DateTime.now
    const ending = runs.filter((run) => run.stoppedAt === null && isPartOf(run, name))
    yield* known.refuse(ending, { stoppedAt, frozenAt: null, frozenBy: null })
    const endedRuns = ending.map(({ content }) => content.run)
    for (const run of endedRuns) {
      yield* audit.append({ event: "run-stop", connection: run.name, identity: run.profile, status: "ok" })
    }
    return endedRuns
  })

  /** The runs of all daemons of the store, oldest first. */
  const list = Effect.gen(function*() {
    const runs = yield* known.living
    const usesOf = yield* uses.read
    return runs.map((run) => toRun(run, usesOf(nameOf(run))))
      .toSorted((one, other) => one.startedAt.epochMilliseconds - other.startedAt.epochMilliseconds)
  })

  /** The outer runs of the process at the other end, or null if one of them is not registered. */
  const around = (peer: Peer) =>
    Effect.map(callers.aroundPeer(peer), ({ isComplete, runs }) => isComplete ? runs.map((run) => toRun(run)) : null)

  return {
    ...permissionsOf(known, callers),
    report,

    /** Notes that a run has got a credential of this connection. */
    used: (id: string, provider: ProviderName, connection: ConnectionName): void => {
      const run = known.knownRun(id)
      if (run !== undefined) uses.note(run, provider, connection)
    },

    /** Counts a request that gets a credential. The result undoes the count. Fails if a limit is reached. */
    countUse: (id: string, peer: Peer) => Effect.flatMap(known.find(id, keyIdOf(peer)), uses.count),

    list,

    /** The names of all runs and whether they were stopped. Reads the store only after a daemon has announced a change. */
    known: Effect.map(
      known.all,
      (all) => all.map((run) => `${nameOf(run)} ${run.stoppedAt === null}`).toSorted().join()
    ),

    /** The number of runs that are registered with this daemon. */
    ownCount: () => known.own.size,

    /** The machines of other daemons with runs that may ask the user. */
    askElsewhere: Effect.map(
      known.others.current,
      (others) => new Set(others.flatMap(({ content: { host, run } }) => run.ask ? [host] : []))
    ),

    /** The runs that the peer may see. A remote one sees only the runs of its profile. */
    visibleTo: (peer: Peer) => Effect.map(list, (runs) => runs.filter(maySee(peer))),

    around,
    innermost: callers.innermost,

    /** Whether the process at the other end is a command inside a run, registered or not. */
    isInside: (peer: Peer) => Effect.map(around(peer), (runs) => runs === null || runs.length > 0),

    isOutside: callers.isOutside,
    register,
    stopRun,

    /** Notifies all runs of a change. */
    notifyRuns: Effect.sync(notifyRuns),

    /** Completes when the daemon stops. */
    untilStopped: Deferred.await(stopped),

    stop: Effect.asVoid(Deferred.succeed(stopped, undefined))
  }
})

export class RunRegistry
  extends Context.Service<RunRegistry, Effect.Success<typeof make>>()("credsvc/runs/RunRegistry")
{
  static readonly layerNoDeps = Layer.effect(RunRegistry, make)
}
