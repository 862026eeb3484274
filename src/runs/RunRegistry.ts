/** Registers runs, and determines what registered runs may do. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Net from "node:net"
import { AuditLog } from "../audit/AuditLog.ts"
import { RequestLog } from "../audit/RequestLog.ts"
import { isRemote, type Peer } from "../callers/Caller.ts"
import { Connections } from "../connections/Connections.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../domain/Errors.ts"
import { withFewerTokens } from "../domain/rules/RuleSet.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { ProviderName } from "../domain/wire/ProviderName.ts"
import { type Run, type RunLimits, type RunName, type RunNotice, type RunRegistration } from "../domain/wire/Run.ts"
import { builtins } from "../platform/builtins.ts"
import { callAt } from "../platform/process/CallAt.ts"
import type { Lineage } from "../platform/process/Lineage.ts"
import * as ProcFs from "../platform/process/ProcFs.ts"
import { Policies } from "../policies/Policies.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { Sandboxes } from "../sandboxes/Sandboxes.ts"
import { contentFor, limitsFor } from "./NewRunLimits.ts"
import {
  isPartOf,
  keyIdOf,
  maySee,
  nameOf,
  type OwnRun,
  refusalOf,
  type RegisteredRun,
  toRun
} from "./RegisteredRun.ts"
import * as RegisteredRuns from "./RegisteredRuns.ts"
import * as RunCallers from "./RunCallers.ts"
import * as RunReports from "./RunReports.ts"
import { limitsOf as limitsIn, type RunContent, RunRows } from "./RunRows.ts"
import * as RunUses from "./RunUses.ts"

/** The maximum number of waiting notices. The oldest are dropped: all have the same effect, and nothing follows `stopped`. */
const maxNotices = 4

const unknownCaller = () =>
  OperationNotAllowedError.of(
    "Another caller has registered a run with this ID. Start the command again with credsvc run."
  )

/** The start of the process, because a run that registers again started earlier. */
const startOf = ({ pid }: Lineage): DateTime.Utc => {
  const seconds = ProcFs.startedAt(pid)
  return seconds === undefined ? DateTime.nowUnsafe() : DateTime.makeUnsafe(seconds * 1000)
}

/** An outer run with its remaining tokens, which a run inside it may use. `tokens`: how many it has used. */
const withTokensLeft = (run: RegisteredRun, tokens: number): RegisteredRun => {
  const left = ({ rules }: Pick<RunLimits, "rules">) => ({ rules: withFewerTokens(rules, tokens) })
  const { content, limits } = run
  return {
    ...run,
    limits: { ...limits, ...left(limits) },
    content: { ...content, run: { ...content.run, ...left(content.run) } }
  }
}

const endRetry = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 minute")])

const make = Effect.gen(function*() {
  const audit = yield* AuditLog
  const connections = yield* Connections
  const log = yield* RequestLog
  const policies = yield* Policies
  const profiles = yield* Profiles
  const rows = yield* RunRows
  const sandboxes = yield* Sandboxes
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const scope = yield* Effect.scope
  const stopped = yield* Deferred.make<void>()
  const host = builtins.os.hostname()

  const background: RegisteredRuns.Background = (effect) => void fork(Effect.forkIn(Effect.ignore(effect), scope))
  const uses = yield* RunUses.make(background)
  const registered = yield* RegisteredRuns.make(background, uses.recordEnd)
  const callers = yield* RunCallers.make(registered.all, rows.isShared)
  const report = yield* RunReports.make(registered, callers.isOf)

  const notifyRuns = (): void => {
    for (const { notices } of registered.own.values()) Queue.offerUnsafe(notices, { notice: "changed" })
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => connections.onChange(notifyRuns)),
    (unsubscribe) => Effect.sync(unsubscribe)
  )

  /** Notes that the connection of a run of this daemon has closed. */
  const ended = ({ content: { run }, registration }: OwnRun) =>
    Effect.andThen(Effect.retry(rows.end(run.name, registration), endRetry), uses.recordEnd(run))

  /** Keeps a run registered until its connection closes. */
  const keep = (socket: Net.Socket, id: string, own: OwnRun): void => {
    registered.own.set(id, own)
    const { content, limits, notices } = own
    // Notifies the proxy when the run expires. It then asks about open streams, whose credentials are refused from now on.
    const cancel = limits.expiresAt === null
      ? undefined
      : callAt(limits.expiresAt.epochMilliseconds, () => Queue.offerUnsafe(notices, { notice: "changed" }))
    socket.once("close", () => {
      cancel?.()
      if (registered.own.get(id) !== own) return
      registered.own.delete(id)
      registered.notifyInner(content.run.name)
      // Runs register again with a daemon that replaces this one.
      if (!Deferred.isDoneUnsafe(stopped)) background(ended(own))
    })
  }

  /** Writes the row of a run, and keeps the run registered. Fails if the row is that of another caller, or of a stopped or frozen run. */
  const write = Effect.fnUntraced(function*(peer: Peer, id: string, content: RunContent, used: number) {
    const { outer, run, sandbox } = content
    const frozenAt = sandbox === null ? null : yield* sandboxes.frozenAt(run.profile, sandbox)
    const own: OwnRun = {
      content,
      limits: limitsIn(content),
      registration: builtins.crypto.randomBytes(12).toString("base64url"),
      notices: yield* Queue.sliding<RunNotice>(maxNotices),
      stoppedAt: null,
      frozenAt: null,
      frozenBy: null,
      ownTokens: 0,
      tokens: 0
    }
    const other = yield* rows.put(id, own.registration, content, used)
    registered.changed()
    if (other !== undefined) return yield* refusalOf(other, run.name) ?? unknownCaller()
    const socket = isRemote(peer) ? peer.socket : peer
    if (socket.destroyed) background(ended(own))
    else {
      keep(socket, id, own)
      // An outer run may have ended at another daemon meanwhile.
      if (rows.isShared && outer.length > 0) yield* registered.applyChanges(outer)
      if (frozenAt !== null) yield* registered.refuse([own], { stoppedAt: null, frozenAt, frozenBy: run.name })
    }
    return { run: toRun(own), notices: own.notices }
  })

  /**
   * Registers a run until its connection closes. Fails if its registration asks for more than an outer run may do,
   * or if an outer run is not registered. Without a profile, it gets the profile of the outer run, or the active profile.
   */
  const register = Effect.fnUntraced(function*(
    peer: Peer,
    id: string,
    registration: RunRegistration,
    chosen: string | undefined
  ) {
    const keyId = keyIdOf(peer)
    const process = yield* callers.processOf(peer, registration.pid)
    const found = yield* callers.outerRuns({ process, mark: registration.inside, keyId })
    const owns = [...registered.own.values()]
    const outer = found.map((run) => withTokensLeft(run, owns.find((own) => nameOf(own) === nameOf(run))?.tokens ?? 0))
    for (const run of outer) {
      const refusal = refusalOf(run, nameOf(run))
      if (refusal !== undefined) return yield* refusal
    }
    if (registration.ask === true && process === undefined) {
      return yield* InvalidRequestError.at(
        "/ask",
        "requires a daemon that can determine which processes are inside the run; otherwise any of these processes could approve requests"
      )
    }
    const profile = yield* chosen === undefined
      ? outer.length === 0 ? profiles.active : Effect.succeed(outer[0]!.content.run.profile)
      : profiles.find(chosen)
    const job = isRemote(peer) ? peer.identity.job : null
    const named = new Set([...registration.policies ?? [], ...job?.policies ?? []])
    const policyRules = yield* policies.ruleSets(profile, [...named])
    const limits = yield* limitsFor({ registration, profile, policyRules, outer, job })
    const startedAt = process === undefined ? yield* DateTime.now : startOf(process)
    const { machine } = callers
    const content = contentFor({ id, registration, limits, outer, process, machine, host, keyId, startedAt })
    return yield* write(peer, id, content, registration.used ?? 0)
  })

  /**
   * Ends the permission of a run, and of the runs inside it, to get credentials, notifies their proxies, and records the stop.
   * Returns the runs that were stopped. Fails if the process at the other end is inside a run that is not an outer run of this
   * one.
   */
  const stopRun = Effect.fnUntraced(function*(peer: Peer, name: RunName) {
    const runs = yield* registered.current
    const caller = yield* callers.aroundPeer(peer)
    const target = runs.find((run) => nameOf(run) === name && maySee(peer)(run.content.run))
    const isPermitted = caller.isComplete && caller.runs.every((run) => target?.content.outer.includes(nameOf(run)))
    if (!isPermitted) {
      return yield* OperationNotAllowedError.of(
        "Commands inside credsvc run can stop only runs that they have started themselves. " +
          "Run this command outside of the run."
      )
    }
    if (target === undefined) {
      return yield* OperationNotAllowedError.of(`Unknown run "${name}". List the active runs with: credsvc runs`)
    }
    const stoppedAt = yield* DateTime.now
    const ending = runs.filter((run) => run.stoppedAt === null && isPartOf(run, name))
    yield* registered.refuse(ending, { stoppedAt, frozenAt: null, frozenBy: null })
    const endedRuns = ending.map(({ content }) => content.run)
    for (const run of endedRuns) {
      yield* audit.append({ event: "run-stop", connection: run.name, identity: run.profile, status: "ok" })
    }
    return endedRuns
  })

  /**
   * The limits of the registered run with this ID, or undefined if the caller is not the run's process. Fails if the run was
   * stopped or frozen, or if an outer run has ended.
   */
  const limitsOf = (peer: Peer, id: string | undefined) =>
    id === undefined ? Effect.succeed(undefined) : Effect.flatMap(registered.find(id, keyIdOf(peer)), (run) => {
      if (run === undefined) return Effect.succeed(undefined)
      const refusal = refusalOf(run, nameOf(run))
      if (refusal !== undefined) return Effect.fail(refusal)
      const limits = Effect.map(callers.isOf(peer, run), (isCaller) => isCaller ? run.limits : undefined)
      return run.content.outer.length === 0 ? limits : Effect.andThen(callers.requireOuter(run), limits)
    })

  /** The result of `limitsOf` for a run without outer runs, or undefined if only a query could tell. */
  const knownLimits = (peer: Peer, id: string): RunLimits | undefined => {
    const run = registered.own.get(id)
    const isUsable = run !== undefined && run.content.keyId === keyIdOf(peer) && run.content.outer.length === 0 &&
      refusalOf(run, nameOf(run)) === undefined && callers.isKnownOf(peer, run)
    return isUsable ? run.limits : undefined
  }

  /** Notes that a run has got a credential of this connection. */
  const used = (id: string, provider: ProviderName, connection: ConnectionName): void => {
    const run = registered.knownRun(id)
    if (run !== undefined) uses.note(run, provider, connection)
  }

  /** The runs of all daemons of the store, oldest first. */
  const list = Effect.gen(function*() {
    const runs = yield* registered.living
    const usesOf = yield* uses.read
    return runs.map((run) => toRun(run, usesOf(nameOf(run))))
      .toSorted((one, other) => one.startedAt.epochMilliseconds - other.startedAt.epochMilliseconds)
  })

  /** The outer runs of the process at the other end, or null if one of them is not registered. */
  const around = (peer: Peer) =>
    Effect.map(callers.aroundPeer(peer), ({ isComplete, runs }) => isComplete ? runs.map((run) => toRun(run)) : null)

  // A run that ended while no daemon ran could not report its last requests.
  yield* Effect.gen(function*() {
    const open = yield* log.open
    yield* Effect.sleep(RegisteredRuns.renewalMillis)
    const names = yield* rows.registered
    for (const { profile, run } of open) {
      if (!names.has(run)) yield* log.recordGap(run, profile)
    }
  }).pipe(Effect.ignore, Effect.forkScoped)

  return {
    limitsOf,
    knownLimits,
    report,

    /** The run with this ID that is registered with this daemon, or undefined if the caller is not the run's process. */
    runOf: (peer: Peer, id: string): Effect.Effect<Run | undefined> =>
      Effect.suspend(() => {
        const own = registered.own.get(id)
        return own === undefined || own.content.keyId !== keyIdOf(peer)
          ? Effect.succeed(undefined)
          : Effect.map(callers.isOf(peer, own), (isCaller) => isCaller ? toRun(own) : undefined)
      }),

    used,

    /** Counts a request that gets a credential. The result undoes the count. Fails if a limit is reached. */
    countUse: (id: string, peer: Peer) => Effect.flatMap(registered.find(id, keyIdOf(peer)), uses.count),

    list,

    /** The names of all runs and whether they were stopped. Reads the store only after a daemon has announced a change. */
    known: Effect.map(
      registered.all,
      (all) => all.map((run) => `${nameOf(run)} ${run.stoppedAt === null}`).toSorted().join()
    ),

    /** The number of runs that are registered with this daemon. */
    ownCount: () => registered.own.size,

    /** The machines of other daemons with runs that may ask the user. */
    askElsewhere: Effect.map(
      registered.currentOthers,
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
