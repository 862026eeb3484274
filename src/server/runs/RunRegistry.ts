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
import * as Schedule from "effect/Schedule"
import type * as Net from "node:net"
import { RequestLog } from "../../audit/RequestLog.ts"
import { lineageOf, runNameOf } from "../../config/RunMark.ts"
import { Connections } from "../../connections/Connections.ts"
import type { ConnectionName } from "../../domain/Connection.ts"
import { InvalidRequestError, OperationNotAllowedError, type VaultUnavailableError } from "../../domain/Errors.ts"
import type { ProviderName } from "../../domain/ProviderName.ts"
import { misplacedIn, type RequestReport } from "../../domain/RequestReport.ts"
import { MAX_RULE_SETS } from "../../domain/rules/Rule.ts"
import { joinRules } from "../../domain/rules/RuleSet.ts"
import {
  type Run,
  type RunLimits,
  type RunName,
  type RunNotice,
  type RunRegistration,
  type RunUse,
  within
} from "../../domain/Run.ts"
import { builtins } from "../../platform/builtins.ts"
import { LeaseOwner } from "../../platform/LeaseOwner.ts"
import type { Lineage } from "../../platform/Lineage.ts"
import { endsOf } from "../../platform/PeerOwner.ts"
import { PeerProcess } from "../../platform/PeerProcess.ts"
import * as ProcFs from "../../platform/ProcFs.ts"
import { StoreChanges } from "../../platform/StoreChanges.ts"
import { Policies } from "../../policies/Policies.ts"
import { type ProfileError, Profiles } from "../../profiles/Profiles.ts"
import { idHashOf, type RunContent, RunRows, type RunState, type StoredRun } from "../../runs/RunRows.ts"
import { Sandboxes } from "../../sandboxes/Sandboxes.ts"
import { DaemonLog } from "../DaemonLog.ts"
import { isRemote, type Peer } from "../http/Caller.ts"

/** A run that is registered with this daemon or another one. */
interface KnownRun extends RunState {
  readonly content: RunContent
  readonly limits: RunLimits
}

/** A run whose connection this daemon has. */
interface Entry extends KnownRun {
  stoppedAt: RunState["stoppedAt"]
  frozenAt: RunState["frozenAt"]
  frozenBy: RunState["frozenBy"]
  /** Identifies this registration among those of the run. */
  readonly registration: string
  readonly notices: Queue.Queue<RunNotice>
}

interface NotedUse extends RunUse {
  /** When the other daemons were told. */
  readonly notedAt: number
}

/** The oldest notices are dropped: each one has the same effect, and nothing follows `stopped`. */
const maxNotices = 4

type Needs =
  | Connections
  | DaemonLog
  | LeaseOwner
  | PeerProcess
  | Policies
  | Profiles
  | RequestLog
  | RunRows
  | Sandboxes
  | StoreChanges

const stoppedError = OperationNotAllowedError.of(
  "This run was stopped with credsvc stop and gets no more credentials. Start the command again with credsvc run."
)

const frozenError = (name: RunName) =>
  OperationNotAllowedError.of(
    `This run gets no more credentials, because a request had a misplaced placeholder (--strict). ` +
      `Find it with credsvc log --run ${name}, then start the command again with credsvc run.`
  )

/** Why a run gets no credentials. Undefined if it may get some. */
const refusalOf = ({ frozenAt, frozenBy, stoppedAt }: RunState, name: RunName): OperationNotAllowedError | undefined =>
  stoppedAt !== null ? stoppedError : frozenAt === null ? undefined : frozenError(frozenBy ?? name)

const unknownCaller = OperationNotAllowedError.of("Another caller has registered a run with this id.")

/** A process, the mark that it claims to have, and the key of a remote one. */
interface Caller {
  readonly process: Lineage | undefined
  readonly mark?: string | undefined
  readonly keyId?: string | null
}

const keyIdOf = (peer: Peer): string | null => isRemote(peer) ? peer.identity.keyId : null

/** Whether a peer may see a run: a remote one only the runs of its profile. */
const maySee = (peer: Peer) => ({ profile }: Run): boolean => !isRemote(peer) || peer.identity.profile === profile

const toRun = ({ content, frozenAt, stoppedAt }: KnownRun, uses: ReadonlyArray<RunUse> = []): Run => ({
  ...content.run,
  uses,
  stoppedAt,
  frozenAt
})

const nameOf = ({ content }: KnownRun): RunName => content.run.name

/** Whether a run is inside another one, or that one itself. */
const isWithin = ({ content }: KnownRun, name: RunName): boolean =>
  content.run.name === name || content.outer.includes(name)

const marksOf = ({ mark, process }: Caller): ReadonlySet<string> =>
  new Set([...process?.marks ?? [], ...mark === undefined ? [] : [mark]])

type RunProcess = Pick<Lineage, "group" | "identity" | "pid" | "started">

/** Whether a process descends from that of a run. */
export const descends = (process: Lineage, run: RunProcess): boolean => {
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

/** The latest use of each connection. */
const latest = (uses: ReadonlyArray<RunUse>): ReadonlyArray<RunUse> => {
  const found = new Map<string, RunUse>()
  for (const { connection, lastUsedAt, provider } of uses) {
    const key = `${provider} ${connection}`
    const known = found.get(key)
    if (known !== undefined && known.lastUsedAt.epochMilliseconds >= lastUsedAt.epochMilliseconds) continue
    found.set(key, { provider, connection, lastUsedAt })
  }
  return [...found.values()]
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
/** Runs that have not registered again this long after the start of the daemon, or the end of another one, have ended. */
const renewal = "10 seconds"
/** How often the daemon compares its runs with their rows, and looks for daemons that have ended. */
const comparison = "3 seconds"
const renewalMillis = 10_000
const endRetry = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 minute")])
/** A run notes again that it has used a connection after this time. */
const useMillis = 60_000

export class RunRegistry extends Context.Service<RunRegistry, {
  /**
   * The limits of the registered run with this id. Undefined if the caller is not the run's process. Fails if it was stopped
   * or frozen.
   */
  readonly limitsOf: (
    peer: Peer,
    id: string | undefined
  ) => Effect.Effect<RunLimits | undefined, OperationNotAllowedError | VaultUnavailableError>

  /** The run with this id that is registered with this daemon. Undefined if the caller is not the run's process. */
  readonly runOf: (peer: Peer, id: string) => Effect.Effect<Run | undefined>

  /** Notes that a run has got a credential of this connection. */
  readonly used: (id: string, provider: ProviderName, connection: ConnectionName) => void

  /**
   * Counts a request of a run that gets a credential, for its outer runs as well. Fails if one of them has reached its
   * limit. The result undoes it, for a request that does not get one after all.
   */
  readonly countUse: (
    id: string,
    peer: Peer
  ) => Effect.Effect<Effect.Effect<void>, OperationNotAllowedError | VaultUnavailableError>

  /** Records a report about the requests of a run. Fails if the caller is not the process of the run. */
  readonly report: (
    peer: Peer,
    id: string,
    report: RequestReport
  ) => Effect.Effect<void, OperationNotAllowedError | VaultUnavailableError>

  /** The runs of all daemons of the store, oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Run>>

  /** The number of runs that are registered with this daemon. */
  readonly ownCount: () => number

  /** The machines of other daemons with runs that may ask the user. */
  readonly askElsewhere: Effect.Effect<ReadonlySet<string>>

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
  ) => Effect.Effect<ReadonlyArray<Run>, OperationNotAllowedError | VaultUnavailableError>

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
      const leases = yield* LeaseOwner
      const log = yield* RequestLog
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const scope = yield* Effect.scope
      const processes = yield* PeerProcess
      const policies = yield* Policies
      const profiles = yield* Profiles
      const rows = yield* RunRows
      const sandboxes = yield* Sandboxes
      const store = yield* StoreChanges
      const stopped = yield* Deferred.make<void>()
      const machine = ProcFs.machine()
      const host = builtins.os.hostname()
      const entries = new Map<string, Entry>()
      /** What the known runs have used at this daemon, by run and connection. */
      const used = new Map<RunName, Map<string, NotedUse>>()
      const callers = new WeakMap<Net.Socket, Lineage | undefined>()

      const background = (effect: Effect.Effect<unknown, unknown>) =>
        void fork(Effect.forkIn(Effect.ignore(effect), scope))

      const notifyRuns = (): void => {
        for (const { notices } of entries.values()) Queue.offerUnsafe(notices, { notice: "changed" })
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => connections.onChange(notifyRuns)),
        (unsubscribe) => Effect.sync(unsubscribe)
      )

      /** Ends the permission of a run of this daemon to get credentials, unless it has ended. */
      const apply = (entry: Entry, { frozenAt, frozenBy, stoppedAt }: RunState): void => {
        const isStopped = stoppedAt !== null && entry.stoppedAt === null
        const isFrozen = frozenAt !== null && entry.frozenAt === null
        if (isStopped) entry.stoppedAt = stoppedAt
        if (isFrozen) {
          entry.frozenAt = frozenAt
          entry.frozenBy = frozenBy
        }
        if (isStopped || isFrozen) Queue.offerUnsafe(entry.notices, { notice: isStopped ? "stopped" : "frozen" })
      }

      /** The runs of other daemons. Undefined if they may have changed since they were read. */
      let foreign: ReadonlyArray<StoredRun> | undefined = rows.isShared ? undefined : []
      let lastForeign: ReadonlyArray<StoredRun> = []
      let changes = 0
      const foreignRuns = Effect.suspend(() => {
        if (foreign !== undefined) return Effect.succeed(foreign)
        const before = changes
        return rows.others.pipe(
          Effect.map((others) => {
            lastForeign = others
            if (before === changes) foreign = others
            return others
          }),
          // Whether a caller is inside a run matters for secrets, which are in the same store.
          Effect.orElseSucceed(() => lastForeign)
        )
      })

      const forgetForeign = (): void => {
        changes++
        if (rows.isShared) foreign = undefined
      }

      /** The runs of other daemons as they are now. A notice may still be on its way. */
      const currentForeign = Effect.andThen(Effect.sync(forgetForeign), foreignRuns)

      const knownWith = (others: ReadonlyArray<StoredRun>): ReadonlyArray<KnownRun> => [...entries.values(), ...others]

      /** Applies what other daemons have changed about the runs of this one and those around them. */
      const compare = Effect.fnUntraced(function*(names: ReadonlyArray<RunName>) {
        const found = yield* rows.states(names)
        for (const { name, owner, ...state } of found) {
          for (const [id, entry] of entries) {
            if (!isWithin(entry, name)) continue
            // The run has registered with another daemon before this one noticed that its connection was lost.
            if (nameOf(entry) === name && owner !== null && owner !== leases.own) entries.delete(id)
            else apply(entry, state)
          }
        }
        return found
      })

      const comparedNames = (): ReadonlyArray<RunName> => [
        ...new Set([...entries.values()].flatMap(({ content }) => content.outer.concat(content.run.name)))
      ]

      yield* Effect.acquireRelease(
        Effect.sync(() =>
          store.onAnnounced("run", (announced) => {
            forgetForeign()
            const names = comparedNames().filter((name) => announced === undefined || name === announced)
            if (names.length > 0) background(compare(names))
          })
        ),
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
      const around = Effect.fnUntraced(function*(caller: Caller) {
        const marks = marksOf(caller)
        const found = knownWith(yield* foreignRuns).filter(({ content: { keyId, process, run } }) =>
          (marks.has(run.name) && keyId === (caller.keyId ?? null)) ||
          (process?.machine === machine && caller.process !== undefined && descends(caller.process, process))
        )
        const isComplete = [...marks].every((mark) => found.some((run) => nameOf(run) === mark)) &&
          [...caller.process?.markers ?? []].every((marker) =>
            found.some(({ content: { process } }) => process?.machine === machine && process.identity === marker)
          )
        return { runs: found, isComplete }
      })

      const outerRuns = Effect.fnUntraced(function*(caller: Caller) {
        for (let attempt = 0; attempt < attempts; attempt++) {
          const { isComplete, runs } = yield* around(caller)
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
          sandbox,
          strict = false,
          used: given = 0,
          ...own
        }: RunRegistration,
        chosen: string | undefined
      ) {
        const keyId = keyIdOf(peer)
        const process = yield* callerOf(peer, pid)
        const outer = yield* outerRuns({ process, mark: inside, keyId })
        for (const run of outer) {
          const refusal = refusalOf(run, nameOf(run))
          if (refusal !== undefined) return yield* refusal
        }
        const profile = yield* chosen === undefined
          ? outer.length === 0 ? profiles.active : Effect.succeed(outer[0]!.content.run.profile)
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
        const run: Run = {
          name: runNameOf(id),
          pid: process?.pid ?? pid,
          startedAt: process === undefined ? yield* DateTime.now : startOf(process),
          profile,
          providers,
          connections,
          unmatched,
          contained,
          uses: [],
          stoppedAt: null,
          rules: limits.rules,
          outerRules: joinRules(outer.flatMap(({ content }) => content.run.rules), []),
          maxUses: limits.maxUses,
          expiresAt: limits.expiresAt,
          strict: limits.strict,
          frozenAt: null,
          ask
        }
        const content: RunContent = {
          run,
          allContained: limits.contained,
          keyId,
          outer: outer.map(nameOf),
          counted: [run, ...outer.map(({ content }) => content.run)].flatMap(({ maxUses, name }) =>
            maxUses === null ? [] : [{ name, maxUses }]
          ),
          sandbox: sandbox ?? null,
          host,
          process: process === undefined ? null : { ...process, machine }
        }
        const frozenAt = sandbox === undefined ? null : yield* sandboxes.frozenAt(sandbox)
        const registration = builtins.crypto.randomBytes(12).toString("base64url")
        const socket = isRemote(peer) ? peer.socket : peer
        const notices = yield* Queue.sliding<RunNotice>(maxNotices)
        const entry: Entry = { content, limits, registration, notices, stoppedAt: null, frozenAt: null, frozenBy: null }
        const other = yield* rows.put(id, registration, content, given)
        forgetForeign()
        if (other !== undefined) return yield* refusalOf(other, run.name) ?? unknownCaller
        if (socket.destroyed) {
          background(ended(entry))
        } else {
          entries.set(id, entry)
          // The proxy then asks about open streams, whose credentials are refused from now on.
          const cancel = limits.expiresAt === null
            ? undefined
            : callAt(limits.expiresAt, () => Queue.offerUnsafe(notices, { notice: "changed" }))
          socket.once("close", () => {
            cancel?.()
            if (entries.get(id) !== entry) return
            entries.delete(id)
            // Runs register again with a daemon that replaces this one.
            if (!Deferred.isDoneUnsafe(stopped)) background(ended(entry))
          })
          // An outer run may have ended at another daemon meanwhile.
          if (rows.isShared && content.outer.length > 0) yield* compare(content.outer)
          if (frozenAt !== null) yield* refuse([entry], { stoppedAt: null, frozenAt, frozenBy: run.name })
        }
        return { run: toRun(entry), notices }
      })

      const stopRun = Effect.fnUntraced(function*(peer: Peer, name: RunName) {
        const known = knownWith(yield* currentForeign)
        const caller = yield* around({ process: yield* callerOf(peer) })
        const target = known.find((run) => nameOf(run) === name && maySee(peer)(run.content.run))
        const isPermitted = caller.isComplete && caller.runs.every((run) => target?.content.outer.includes(nameOf(run)))
        if (!isPermitted) {
          return yield* OperationNotAllowedError.of(
            "Commands inside credsvc run can stop only runs that they have started themselves. " +
              "Run this command outside of the run."
          )
        }
        if (target === undefined) {
          return yield* OperationNotAllowedError.of(`Unknown run "${name}". List the running ones with: credsvc runs`)
        }
        const stoppedAt = yield* DateTime.now
        const runs = known.filter((run) => run.stoppedAt === null && isWithin(run, name))
        yield* refuse(runs, { stoppedAt, frozenAt: null, frozenBy: null })
        return runs.map(({ content }) => content.run)
      })

      /** Stops or freezes runs: those of this daemon at once, and those of others when they read it. */
      const refuse = (runs: ReadonlyArray<KnownRun>, state: RunState) => {
        const names = new Set(runs.map(nameOf))
        for (const entry of entries.values()) {
          if (names.has(nameOf(entry))) apply(entry, state)
        }
        return Effect.ensuring(rows.refuse([...names], state), Effect.sync(forgetForeign))
      }

      /** The run with this id, of any daemon. Its caller may be another one. */
      const runWith = (id: string, keyId: string | null): Effect.Effect<KnownRun | undefined, VaultUnavailableError> =>
        Effect.suspend((): Effect.Effect<KnownRun | undefined, VaultUnavailableError> => {
          const entry = entries.get(id)
          if (entry !== undefined) return Effect.succeed(entry.content.keyId === keyId ? entry : undefined)
          const idHash = idHashOf(id, keyId)
          return Effect.flatMap(foreignRuns, (others) => {
            const other = others.find((run) => run.idHash === idHash)
            return other !== undefined ? Effect.succeed(other) : Effect.map(
              rows.find(runNameOf(id)),
              (run) => run?.idHash === idHash ? run : undefined
            )
          })
        })

      /** Whether a peer is the process that registered a run, as far as this can be determined. */
      const isOf = (peer: Peer, { content: { process } }: KnownRun): Effect.Effect<boolean> => {
        if (process === null) return Effect.succeed(true)
        if (process.machine !== machine) return Effect.succeed(false)
        return Effect.map(
          callerOf(peer, process.pid),
          (caller) => caller === undefined || caller.identity === process.identity
        )
      }

      const limitsOf = (peer: Peer, id: string | undefined) =>
        id === undefined ? Effect.succeed(undefined) : Effect.flatMap(runWith(id, keyIdOf(peer)), (run) => {
          if (run === undefined) return Effect.succeed(undefined)
          const refusal = refusalOf(run, nameOf(run))
          return refusal === undefined
            ? Effect.map(isOf(peer, run), (isCaller) => isCaller ? run.limits : undefined)
            : Effect.fail(refusal)
        })

      const countUse = (id: string, peer: Peer) =>
        Effect.gen(function*() {
          const run = yield* runWith(id, keyIdOf(peer))
          const done: Array<RunName> = []
          const undo = Effect.suspend(() => Effect.ignore(Effect.forEach(done, rows.uncount, { discard: true })))
          // One after the other, so that no two daemons wait for each other's rows.
          for (const { maxUses, name } of run?.content.counted ?? []) {
            if (!(yield* Effect.onError(rows.count(name, maxUses), () => undo))) {
              yield* undo
              return yield* OperationNotAllowedError.of(
                `This run has used credentials for ${maxUses} requests, which is its limit (--max-uses).`
              )
            }
            done.push(name)
          }
          return undo
        })

      const aroundPeer = (peer: Peer) =>
        Effect.gen(function*() {
          const { isComplete, runs } = yield* around({ process: yield* callerOf(peer) })
          return isComplete ? runs.map((run) => toRun(run)) : null
        })

      const innermost = Effect.fnUntraced(function*(peer: Peer) {
        const { isComplete, runs } = yield* around({ process: yield* callerOf(peer) })
        if (!isComplete) return null
        const found = runs.find((one) => runs.every((other) => isWithin(one, nameOf(other))))
        return found === undefined ? runs.length === 0 ? undefined : null : nameOf(found)
      })

      /** Freezes a strict run, the strict runs around it, and the runs inside these. */
      const freeze = Effect.fnUntraced(function*(leaking: KnownRun) {
        if (!leaking.content.run.strict) return
        const known = knownWith(yield* currentForeign)
        const around = known.filter((run) => run.content.run.strict && isWithin(leaking, nameOf(run)))
        const strict = [leaking, ...around].map(nameOf)
        yield* refuse(
          known.filter((run) => run.stoppedAt === null && strict.some((name) => isWithin(run, name))),
          { stoppedAt: null, frozenAt: yield* DateTime.now, frozenBy: nameOf(leaking) }
        )
        for (const { content: { sandbox } } of [leaking, ...around]) {
          if (sandbox !== null) yield* sandboxes.freeze(sandbox)
        }
      })

      const report = Effect.fnUntraced(function*(peer: Peer, id: string, report: RequestReport) {
        const run = yield* runWith(id, keyIdOf(peer))
        if (run === undefined || !(yield* isOf(peer, run))) {
          return yield* OperationNotAllowedError.of("Only a registered run can report its requests.")
        }
        const { name, profile } = run.content.run
        for (const misplaced of report.entries.map(misplacedIn).filter((found) => found !== undefined)) {
          daemonLog.write("warning", "placeholder-misplaced", { run: name, ...misplaced })
          yield* freeze(run)
        }
        yield* log.record({ run: name, profile, report })
      })

      const noteUse = (id: string, provider: ProviderName, connection: ConnectionName): void => {
        const entry = entries.get(id)
        const name = entry === undefined ? runNameOf(id) : nameOf(entry)
        if (entry === undefined && !lastForeign.some((run) => nameOf(run) === name)) return
        const uses = used.get(name) ?? new Map<string, NotedUse>()
        const key = `${provider} ${connection}`
        const now = Date.now()
        const before = uses.get(key)?.notedAt ?? -Infinity
        const isNoted = now - before < useMillis
        const use = { provider, connection, lastUsedAt: DateTime.makeUnsafe(now), notedAt: isNoted ? before : now }
        used.set(name, uses.set(key, use))
        if (!isNoted) background(rows.noteUse(name, use))
      }

      const list = Effect.gen(function*() {
        const others = yield* currentForeign
        const living = new Set<string>()
        for (const owner of new Set(others.map(({ owner }) => owner ?? ""))) {
          if (yield* Effect.orElseSucceed(leases.isAlive(owner), () => true)) living.add(owner)
        }
        const noted = yield* Effect.orElseSucceed(rows.uses, () => [])
        const usesOf = (name: RunName) =>
          latest([...used.get(name)?.values() ?? [], ...noted.filter(({ run }) => run === name)])
        return [...entries.values(), ...others.filter(({ owner }) => living.has(owner ?? ""))]
          .map((run) => toRun(run, usesOf(nameOf(run))))
          .toSorted((one, other) => one.startedAt.epochMilliseconds - other.startedAt.epochMilliseconds)
      })

      /** Records that requests of an ended run may be missing, unless it has reported all of them. */
      const recordEnd = Effect.fnUntraced(function*({ name, profile }: Run) {
        const hasUses = used.has(name) || (yield* rows.uses).some(({ run }) => run === name)
        used.delete(name)
        if (hasUses || (yield* log.open).some(({ run }) => run === name)) yield* log.recordGap(name, profile)
      })

      const ended = ({ content: { run }, registration }: Entry) =>
        Effect.andThen(
          Effect.retry(rows.end(run.name, registration), endRetry),
          recordEnd(run)
        )

      // A run that ended while no daemon ran could not report its last requests.
      yield* Effect.gen(function*() {
        const open = yield* log.open
        yield* Effect.sleep(renewal)
        const registered = yield* rows.registered
        for (const { profile, run } of open) {
          if (!registered.has(run)) yield* log.recordGap(run, profile)
        }
      }).pipe(Effect.ignore, Effect.forkScoped)

      /** Owners of runs without a session, by the time since then. */
      const absent = new Map<string, number>()

      const releaseAbandoned = Effect.fnUntraced(function*() {
        const now = performance.now()
        for (const owner of yield* rows.otherOwners) {
          if (yield* leases.isAlive(owner)) {
            absent.delete(owner)
            continue
          }
          const since = absent.get(owner) ?? now
          absent.set(owner, since)
          if (now - since < renewalMillis) continue
          const abandoned = yield* rows.abandon(owner)
          forgetForeign()
          for (const { content: { run } } of abandoned) yield* recordEnd(run)
          absent.delete(owner)
        }
      })

      /** Registers runs of this daemon again that others took for those of one that has ended. */
      const reclaim = Effect.fnUntraced(function*() {
        if (entries.size === 0) return
        const owned = new Set(
          (yield* compare(comparedNames())).flatMap(({ name, owner }) => owner === null ? [] : [name])
        )
        for (const [id, entry] of entries) {
          if (owned.has(nameOf(entry))) continue
          const other = yield* rows.put(id, entry.registration, entry.content, 0)
          if (other !== undefined) apply(entry, other)
        }
      })

      if (rows.isShared) {
        yield* Effect.andThen(reclaim(), releaseAbandoned()).pipe(
          Effect.ignore,
          Effect.repeat(Schedule.spaced(comparison)),
          Effect.forkScoped
        )
      }

      return RunRegistry.of({
        limitsOf,
        report,
        runOf: (peer, id) =>
          Effect.suspend(() => {
            const entry = entries.get(id)
            return entry === undefined || entry.content.keyId !== keyIdOf(peer)
              ? Effect.succeed(undefined)
              : Effect.map(isOf(peer, entry), (isCaller) => isCaller ? toRun(entry) : undefined)
          }),
        used: noteUse,
        countUse,
        list,
        ownCount: () => entries.size,
        askElsewhere: Effect.map(
          currentForeign,
          (others) => new Set(others.flatMap(({ content: { host, run } }) => run.ask ? [host] : []))
        ),
        visibleTo: (peer) => Effect.map(list, (runs) => runs.filter(maySee(peer))),
        around: aroundPeer,
        innermost,
        isInside: (peer) => Effect.map(aroundPeer(peer), (runs) => runs === null || runs.length > 0),
        isOutside: (peer) =>
          Effect.gen(function*() {
            const process = yield* callerOf(peer)
            const { isComplete, runs } = yield* around({ process })
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
