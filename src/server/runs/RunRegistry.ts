/**
 * Manages the registered runs, and determines which of them contain a caller.
 *
 * A run is registered while its connection is open. A caller is inside a run if its process descends from that of the
 * run or carries its mark. This is a safeguard and not a security boundary, see `platform/Lineage`.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Net from "node:net"
import { RequestLog } from "../../audit/RequestLog.ts"
import { lineageOf, runNameOf } from "../../config/RunMark.ts"
import { Connections } from "../../connections/Connections.ts"
import type { ConnectionName } from "../../domain/Connection.ts"
import { InvalidRequestError, OperationNotAllowedError, type VaultUnavailableError } from "../../domain/Errors.ts"
import type { ProviderName } from "../../domain/ProviderName.ts"
import { misplacedIn, type RequestReport } from "../../domain/RequestReport.ts"
import { joinRules, MAX_RULE_SETS } from "../../domain/rules/RuleSet.ts"
import {
  type Run,
  type RunLimits,
  type RunName,
  type RunNotice,
  type RunRegistration,
  type RunUse,
  within
} from "../../domain/Run.ts"
import type { Lineage } from "../../platform/Lineage.ts"
import { endsOf } from "../../platform/PeerOwner.ts"
import { PeerProcess } from "../../platform/PeerProcess.ts"
import * as ProcFs from "../../platform/ProcFs.ts"
import { Policies } from "../../policies/Policies.ts"
import { type ProfileError, Profiles } from "../../profiles/Profiles.ts"
import { DaemonLog } from "../DaemonLog.ts"
import { isRemote, type Peer } from "../http/Caller.ts"

/** How many requests of a run, and of the runs inside it, have got a credential. */
interface Counter {
  count: number
}

interface Counted {
  readonly counter: Counter
  readonly maxUses: number | null
}

interface Entry {
  readonly run: Omit<Run, "uses" | "stoppedAt" | "frozenAt">
  readonly limits: RunLimits
  /** Undefined if the process could not be determined, as that of a remote caller. */
  readonly process: Lineage | undefined
  /** The key of the remote caller that registered the run. */
  readonly keyId: string | undefined
  /** The names of the outer runs of this one. */
  readonly outer: ReadonlyArray<RunName>
  readonly notices: Queue.Queue<RunNotice>
  readonly uses: Map<string, RunUse>
  /** The counter of the run, followed by those of its outer runs when it was registered. */
  readonly counted: ReadonlyArray<Counted>
  stoppedAt: DateTime.Utc | null
  frozenAt: DateTime.Utc | null
  /** Whether the proxy has sent the last report of its requests. */
  hasReported: boolean
}

const toRun = ({ frozenAt, run, stoppedAt, uses }: Entry): Run => ({
  ...run,
  uses: [...uses.values()],
  stoppedAt,
  frozenAt
})

/** The oldest notices are dropped: each one has the same effect, and nothing follows `stopped`. */
const maxNotices = 4

type Needs = Connections | DaemonLog | PeerProcess | Policies | Profiles | RequestLog

const stoppedError = OperationNotAllowedError.of(
  "This run was stopped with credsvc stop and gets no more credentials. Start the command again with credsvc run."
)

const frozenError = (name: RunName) =>
  OperationNotAllowedError.of(
    `This run gets no more credentials, because a request had a misplaced placeholder (--strict). ` +
      `Find it with credsvc log --run ${name}, then start the command again with credsvc run.`
  )

const unknownCaller = OperationNotAllowedError.of("Another caller has registered a run with this id.")

/** A process, the mark that it claims to have, and the key of a remote one. */
interface Caller {
  readonly process: Lineage | undefined
  readonly mark?: string | undefined
  readonly keyId?: string | undefined
}

const keyIdOf = (peer: Peer): string | undefined => isRemote(peer) ? peer.identity.keyId : undefined

/** Whether a peer may see a run: a remote one only the runs of its profile. */
const maySee = (peer: Peer) => ({ run }: Entry): boolean => !isRemote(peer) || peer.identity.profile === run.profile

const marksOf = ({ mark, process }: Caller): ReadonlySet<string> =>
  new Set([...process?.marks ?? [], ...mark === undefined ? [] : [mark]])

/** Whether a process descends from that of a run. */
export const descends = (process: Lineage, run: Lineage): boolean => {
  if (process.identity === run.identity) return false
  if (process.ancestors.has(run.identity)) return true
  // A process that has lost its ancestors belongs to the run if it has the same job and did not start earlier.
  const { top } = process
  const isInJob = top.group === run.group || process.session === run.pid
  return top.pid !== process.session && isInJob && top.started >= run.started
}

/** The start of the process, because a run that registers again started earlier. */
const startOf = ({ pid }: Lineage): DateTime.Utc => {
  const seconds = ProcFs.startedAt(pid)
  return seconds === undefined ? DateTime.nowUnsafe() : DateTime.makeUnsafe(seconds * 1000)
}

/** The longest delay of a timer in Node. */
const maxTimerMillis = 2 ** 31 - 1

/** Calls `done` at this time. The result cancels it. */
const callAt = (time: DateTime.Utc, done: () => void): () => void => {
  let timer: NodeJS.Timeout | undefined
  const wait = (): void => {
    const left = time.epochMilliseconds - Date.now()
    timer = left <= 0 ? undefined : setTimeout(wait, Math.min(left, maxTimerMillis)).unref()
    if (left <= 0) done()
  }
  wait()
  return () => clearTimeout(timer)
}

/** After a restart of the daemon, runs register again within this time. */
const attempts = 20
const interval = "100 millis"
/** Runs that have not registered again this long after the start of the daemon have ended. */
const renewal = "10 seconds"

export class RunRegistry extends Context.Service<RunRegistry, {
  /** The limits of the registered run with this id. Undefined if the caller is not the run's process. Fails if it was stopped. */
  readonly limitsOf: (
    peer: Peer,
    id: string | undefined
  ) => Effect.Effect<RunLimits | undefined, OperationNotAllowedError>

  /** The registered run with this id. Undefined if the caller is not the run's process. */
  readonly runOf: (peer: Peer, id: string) => Effect.Effect<Run | undefined>

  /** Notes that a run has got a credential of this connection. */
  readonly used: (id: string, provider: ProviderName, connection: ConnectionName) => void

  /**
   * Counts a request of a run that gets a credential, for its outer runs as well. Fails if one of them has reached its
   * limit. The result undoes it, for a request that does not get one after all.
   */
  readonly countUse: (id: string) => Effect.Effect<() => void, OperationNotAllowedError>

  /** Records a report about the requests of a run. Fails if the caller is not the process of the run. */
  readonly report: (
    peer: Peer,
    id: string,
    report: RequestReport
  ) => Effect.Effect<void, OperationNotAllowedError | VaultUnavailableError>

  readonly list: Effect.Effect<ReadonlyArray<Run>>

  /** The runs that the peer may see: all of them for a local one, and those of its profile for a remote one. */
  readonly visibleTo: (peer: Peer) => Effect.Effect<ReadonlyArray<Run>>

  /** The outer runs of the process at the other end. Null if one of them is not registered. */
  readonly around: (peer: Peer) => Effect.Effect<ReadonlyArray<Run> | null>

  /**
   * The innermost run around the process at the other end. Undefined outside of runs, and null inside a run that is not
   * registered or if the process claims to be inside runs that do not contain each other.
   */
  readonly innermost: (peer: Peer) => Effect.Effect<RunName | null | undefined>

  /** Whether the process at the other end is a command inside a run, registered or not. */
  readonly isInside: (peer: Peer) => Effect.Effect<boolean>

  /** Whether the process at the other end is known and not inside any run. */
  readonly isOutside: (peer: Peer) => Effect.Effect<boolean>

  /**
   * Registers a run until its connection closes. Fails if it explicitly exceeds the limits of an outer run, or is
   * inside one that is not registered. Without a `profile`, it gets that of the outer run, or the active one.
   */
  readonly register: (
    peer: Peer,
    id: string,
    registration: RunRegistration,
    profile: string | undefined
  ) => Effect.Effect<{ readonly run: Run; readonly notices: Queue.Dequeue<RunNotice> }, ProfileError>

  /**
   * Ends the permission of a run, and of the runs inside it, to get credentials, and notifies their proxies. Returns
   * the runs that were stopped. Fails if the process at the other end is inside a run that is not an outer one of this run.
   */
  readonly stopRun: (
    peer: Peer,
    name: RunName
  ) => Effect.Effect<ReadonlyArray<Run>, OperationNotAllowedError>

  /** Notifies all runs of a change. */
  readonly notifyRuns: Effect.Effect<void>

  /** Completes when the daemon stops. */
  readonly untilStopped: Effect.Effect<void>

  readonly stop: Effect.Effect<void>
}>()("credsvc/server/RunRegistry") {
  static readonly layerNoDeps: Layer.Layer<RunRegistry, never, Needs> = Layer.effect(
    RunRegistry,
    Effect.gen(function*() {
      const connections = yield* Connections
      const daemonLog = yield* DaemonLog
      const log = yield* RequestLog
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const scope = yield* Effect.scope
      const processes = yield* PeerProcess
      const policies = yield* Policies
      const profiles = yield* Profiles
      const stopped = yield* Deferred.make<void>()
      const entries = new Map<string, Entry>()
      /** Why stopped and frozen runs get no credentials, by id: their proxies may have lost the connection for notices. */
      const refusals = new Map<string, OperationNotAllowedError>()
      /** By the ids of runs with a limit, and kept while the daemon runs: a run may lose its connection and register again. */
      const counters = new Map<string, Counter>()
      const callers = new WeakMap<Net.Socket, Lineage | undefined>()

      const notifyRuns = (): void => {
        for (const { notices } of entries.values()) Queue.offerUnsafe(notices, { notice: "changed" })
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => connections.onChange(notifyRuns)),
        (unsubscribe) => Effect.sync(unsubscribe)
      )

      const callerOf = (peer: Peer, claimed?: number): Effect.Effect<Lineage | undefined> =>
        Effect.suspend(() => {
          if (isRemote(peer)) return Effect.succeed(undefined)
          if (callers.has(peer)) return Effect.succeed(callers.get(peer))
          const ends = endsOf(peer)
          if (ends === undefined) return Effect.succeed(undefined)
          return Effect.map(processes.peer(ends.remote, ends.local, claimed), (pid) => {
            const lineage = pid === undefined ? undefined : lineageOf(pid)
            callers.set(peer, lineage)
            return lineage
          })
        })

      /** The outer runs of a caller. `isComplete` is false if there is another one that is not registered. */
      const around = (caller: Caller) => {
        const marks = marksOf(caller)
        const found = [...entries.values()].filter(({ keyId, process, run }) =>
          (marks.has(run.name) && keyId === caller.keyId) ||
          (process !== undefined && caller.process !== undefined && descends(caller.process, process))
        )
        const isComplete = [...marks].every((mark) => found.some(({ run }) => run.name === mark)) &&
          [...caller.process?.markers ?? []].every((marker) =>
            found.some(({ process }) => process?.identity === marker)
          )
        return { runs: found, isComplete }
      }

      const outerRuns = Effect.fnUntraced(function*(caller: Caller) {
        for (let attempt = 0; attempt < attempts; attempt++) {
          const { isComplete, runs } = around(caller)
          if (isComplete) return runs
          yield* Effect.sleep(interval)
        }
        return yield* OperationNotAllowedError.of(
          "This command is inside a run that the daemon does not know: the run has ended, or belongs to another daemon. " +
            "Start the command outside of that run."
        )
      })

      const register = Effect.fnUntraced(function*(
        peer: Peer,
        id: string,
        {
          ask = false,
          contained,
          expiresAt = null,
          inside,
          maxUses = null,
          pid,
          policies: named = [],
          rules = [],
          strict = false,
          used = 0,
          ...own
        }: RunRegistration,
        chosen: string | undefined
      ) {
        const keyId = keyIdOf(peer)
        const process = yield* callerOf(peer, pid)
        const outer = yield* outerRuns({ process, mark: inside, keyId })
        const known = entries.get(id)
        if (known !== undefined && known.keyId !== keyId) return yield* unknownCaller
        const refusal = refusals.get(id)
        if (refusal !== undefined) return yield* refusal
        if (outer.some(({ stoppedAt }) => stoppedAt !== null)) return yield* stoppedError
        const frozen = outer.find(({ frozenAt }) => frozenAt !== null)
        if (frozen !== undefined) return yield* frozenError(frozen.run.name)
        const profile = yield* chosen === undefined
          ? outer.length === 0 ? profiles.active : Effect.succeed(outer[0]!.limits.profile)
          : profiles.find(chosen)
        const ofPolicies = yield* policies.ruleSets(profile, named)
        let limits: RunLimits = {
          ...own,
          profile,
          contained,
          rules: joinRules(rules, ofPolicies),
          maxUses,
          expiresAt,
          strict
        }
        if (limits.rules.length > MAX_RULE_SETS) {
          return yield* InvalidRequestError.of([{
            path: "/rules",
            message: `more than ${MAX_RULE_SETS} sets of rules apply to this run`
          }])
        }
        if (ask && process === undefined) {
          return yield* InvalidRequestError.of([{
            path: "/ask",
            message:
              "the daemon cannot determine which processes are inside this run, so that any of them could approve"
          }])
        }
        for (const { limits: around } of outer) {
          if (around.profile !== profile) {
            return yield* OperationNotAllowedError.of(
              `The outer run uses another profile. Use the same one with: --profile ${around.profile}`
            )
          }
          const narrowed = within(limits, around)
          if (Result.isFailure(narrowed)) return yield* InvalidRequestError.of([narrowed.failure])
          limits = narrowed.success
        }
        const { connections, providers, unmatched } = limits
        const counter: Counter = counters.get(id) ?? { count: 0 }
        counter.count = Math.max(counter.count, used)
        if (limits.maxUses !== null) counters.set(id, counter)
        const run = {
          name: runNameOf(id),
          pid: process?.pid ?? pid,
          startedAt: process === undefined ? yield* DateTime.now : startOf(process),
          profile,
          providers,
          connections,
          unmatched,
          contained,
          rules: limits.rules,
          outerRules: joinRules(outer.flatMap(({ limits }) => limits.rules), []),
          maxUses: limits.maxUses,
          expiresAt: limits.expiresAt,
          strict: limits.strict,
          ask
        }
        const notices = yield* Queue.sliding<RunNotice>(maxNotices)
        const entry: Entry = {
          run,
          limits,
          process,
          keyId,
          outer: outer.map(({ run }) => run.name),
          notices,
          uses: known?.uses ?? new Map(),
          counted: [{ counter, maxUses: limits.maxUses }, ...outer.map(({ counted }) => counted[0]!)],
          stoppedAt: null,
          frozenAt: null,
          hasReported: false
        }
        const socket = isRemote(peer) ? peer.socket : peer
        if (!socket.destroyed) {
          entries.set(id, entry)
          // The proxy then asks about open streams, whose credentials are refused from now on.
          const cancel = limits.expiresAt === null
            ? undefined
            : callAt(limits.expiresAt, () => Queue.offerUnsafe(notices, { notice: "changed" }))
          socket.once("close", () => {
            cancel?.()
            if (entries.get(id) !== entry) return
            entries.delete(id)
            // The last report may have been recorded, and its response lost, if the daemon stops.
            if (entry.uses.size > 0 && !entry.hasReported && !Deferred.isDoneUnsafe(stopped)) {
              fork(Effect.forkIn(log.recordGap(run.name, profile), scope))
            }
          })
        }
        return { run: toRun(entry), notices }
      })

      const stopRun = Effect.fnUntraced(function*(peer: Peer, name: RunName) {
        const caller = around({ process: yield* callerOf(peer) })
        const target = [...entries.values()].filter(maySee(peer)).find(({ run }) => run.name === name)
        const isPermitted = caller.isComplete && caller.runs.every(({ run }) => target?.outer.includes(run.name))
        if (!isPermitted) {
          return yield* OperationNotAllowedError.of(
            "Commands inside credsvc run can stop only runs that they have started themselves. " +
              "Run this command outside of the run."
          )
        }
        if (target === undefined) {
          return yield* OperationNotAllowedError.of(`Unknown run "${name}". List the running ones with: credsvc runs`)
        }
        const stopped = [...entries].filter(([, entry]) =>
          entry.stoppedAt === null && (entry === target || entry.outer.includes(name))
        )
        const now = yield* DateTime.now
        for (const [id, entry] of stopped) {
          refusals.set(id, stoppedError)
          entry.stoppedAt = now
          Queue.offerUnsafe(entry.notices, { notice: "stopped" })
        }
        return stopped.map(([, entry]) => toRun(entry))
      })

      const countUse = (id: string) =>
        Effect.suspend(() => {
          const counted = entries.get(id)?.counted ?? []
          const used = counted.find(({ counter, maxUses }) => maxUses !== null && counter.count >= maxUses)
          if (used !== undefined) {
            return OperationNotAllowedError.of(
              `This run has used credentials for ${used.maxUses} requests, which is its limit (--max-uses).`
            )
          }
          for (const { counter } of counted) counter.count++
          return Effect.succeed(() => {
            for (const { counter } of counted) counter.count--
          })
        })

      const aroundPeer = (peer: Peer) =>
        Effect.map(callerOf(peer), (process) => {
          const { isComplete, runs } = around({ process })
          return isComplete ? runs.map(toRun) : null
        })

      const innermost = (peer: Peer) =>
        Effect.map(callerOf(peer), (process) => {
          const { isComplete, runs } = around({ process })
          if (!isComplete) return null
          const found = runs.find((entry) =>
            runs.every(({ run }) => run === entry.run || entry.outer.includes(run.name))
          )
          return found?.run.name ?? (runs.length === 0 ? undefined : null)
        })

      /** The registered run with this id. Undefined if the caller is not its process. */
      const entryOf = (peer: Peer, id: string | undefined): Effect.Effect<Entry | undefined> =>
        Effect.suspend(() => {
          const entry = id === undefined ? undefined : entries.get(id)
          if (entry?.keyId !== keyIdOf(peer)) return Effect.succeed(undefined)
          if (entry?.process === undefined) return Effect.succeed(entry)
          const { identity, pid } = entry.process
          return Effect.map(
            callerOf(peer, pid),
            (caller) => caller === undefined || caller.identity === identity ? entry : undefined
          )
        })

      /** Freezes a strict run, the strict runs around it, and the runs inside these. */
      const freeze = (leaking: Entry): void => {
        if (!leaking.run.strict) return
        const now = DateTime.nowUnsafe()
        const around = [...entries.values()].filter(({ run }) => run.strict && leaking.outer.includes(run.name))
        const strict = new Set([leaking, ...around].map(({ run }) => run.name))
        for (const [id, entry] of entries) {
          const isInside = [entry.run.name, ...entry.outer].some((name) => strict.has(name))
          if (!isInside || entry.frozenAt !== null || entry.stoppedAt !== null) continue
          refusals.set(id, frozenError(leaking.run.name))
          entry.frozenAt = now
          Queue.offerUnsafe(entry.notices, { notice: "frozen" })
        }
      }

      const report = Effect.fnUntraced(function*(peer: Peer, id: string, report: RequestReport) {
        const entry = yield* entryOf(peer, id)
        if (entry === undefined) {
          return yield* OperationNotAllowedError.of("Only a registered run can report its requests.")
        }
        const { name, profile } = entry.run
        for (const misplaced of report.entries.map(misplacedIn).filter((found) => found !== undefined)) {
          daemonLog.write("warning", "placeholder-misplaced", { run: name, ...misplaced })
          freeze(entry)
        }
        yield* log.record({ run: name, profile, report })
        if (report.last) entry.hasReported = true
      })

      // A run that ended while no daemon ran could not report its last requests.
      yield* Effect.gen(function*() {
        const open = yield* log.open
        yield* Effect.sleep(renewal)
        const registered = new Set([...entries.values()].map(({ run }) => run.name))
        for (const { profile, run } of open) {
          if (!registered.has(run)) yield* log.recordGap(run, profile)
        }
      }).pipe(Effect.ignore, Effect.forkScoped)

      return RunRegistry.of({
        limitsOf: (peer, id) =>
          id !== undefined && refusals.has(id)
            ? Effect.fail(refusals.get(id)!)
            : Effect.map(entryOf(peer, id), (entry) => entry?.limits),
        report,
        runOf: (peer, id) => Effect.map(entryOf(peer, id), (entry) => entry && toRun(entry)),
        used: (id, provider, connection) =>
          void entries.get(id)?.uses.set(`${provider} ${connection}`, {
            provider,
            connection,
            lastUsedAt: DateTime.nowUnsafe()
          }),
        countUse,
        list: Effect.sync(() => [...entries.values()].map(toRun)),
        visibleTo: (peer) => Effect.sync(() => [...entries.values()].filter(maySee(peer)).map(toRun)),
        around: aroundPeer,
        innermost,
        isInside: (peer) => Effect.map(aroundPeer(peer), (runs) => runs === null || runs.length > 0),
        isOutside: (peer) =>
          Effect.map(callerOf(peer), (process) => {
            const { isComplete, runs } = around({ process })
            return process !== undefined && isComplete && runs.length === 0
          }),
        register,
        stopRun,
        notifyRuns: Effect.sync(notifyRuns),
        untilStopped: Deferred.await(stopped),
        stop: Effect.asVoid(Deferred.succeed(stopped, undefined))
      })
    })
  )
}
