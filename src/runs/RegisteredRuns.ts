/**
 * The runs that are registered with this daemon and with the other daemons of the store.
 *
 * A run is registered while its connection is open. Daemons read the runs of each other from the store, which announces changes.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { runNameOf } from "../config/RunMark.ts"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import type { Run, RunName } from "../domain/wire/Run.ts"
import { LeaseOwner } from "../platform/store/LeaseOwner.ts"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import { isPartOf, nameOf, type OwnRun, type RegisteredRun } from "./RegisteredRun.ts"
import { idHashOf, RunRows, type RunState, type StoredRun } from "./RunRows.ts"

/** Runs an effect until the daemon stops. Nothing waits for it. */
export type Background = (effect: Effect.Effect<unknown, unknown>) => void

/** How often the daemon compares its runs with their rows, and looks for daemons that have ended. */
const comparison = "3 seconds"
/** The runs of a daemon that ended have this long to register with another one, or with its successor. */
export const renewalMillis = 10_000

/** Creates the table of runs. Calls `ended` with each run of a daemon that has ended. */
export const make = (background: Background, ended: (run: Run) => Effect.Effect<unknown, unknown>) =>
  Effect.gen(function*() {
    const leases = yield* LeaseOwner
    const rows = yield* RunRows
    const store = yield* StoreChanges
    /** The runs of this daemon, by ID. */
    const own = new Map<string, OwnRun>()

    /** Ends the permission of a run of this daemon to get credentials, unless the permission has ended. */
    const apply = (run: OwnRun, { frozenAt, frozenBy, stoppedAt }: RunState): void => {
      const isStopped = stoppedAt !== null && run.stoppedAt === null
      const isFrozen = frozenAt !== null && run.frozenAt === null
      if (isStopped) run.stoppedAt = stoppedAt
      if (isFrozen) {
        run.frozenAt = frozenAt
        run.frozenBy = frozenBy
      }
      if (isStopped || isFrozen) Queue.offerUnsafe(run.notices, { notice: isStopped ? "stopped" : "frozen" })
    }

    /** Notifies the runs inside one that has ended, so that their proxies ask for the credentials of open streams again. */
    const notifyInner = (outer: RunName): void => {
      for (const { content, notices } of own.values()) {
        if (content.outer.includes(outer)) Queue.offerUnsafe(notices, { notice: "changed" })
      }
    }

    /** The runs of other daemons, or undefined if they may have changed since they were read. */
    let foreign: ReadonlyArray<StoredRun> | undefined = rows.isShared ? undefined : []
    let lastForeign: ReadonlyArray<StoredRun> = []
    let changes = 0
    const others = Effect.suspend(() => {
      if (foreign !== undefined) return Effect.succeed(foreign)
      const before = changes
      return rows.others.pipe(
        Effect.map((others) => {
          lastForeign = others
          if (before === changes) foreign = others
          return others
        }),
        // The last known runs suffice: they decide who may get secrets, which cannot be read without the store either.
        Effect.orElseSucceed(() => lastForeign)
      )
    })

    const forgetOthers = (): void => {
      changes++
      if (rows.isShared) foreign = undefined
    }

    /** The runs of other daemons as they are now. An announcement of a change may still be on its way. */
    const currentOthers = Effect.andThen(Effect.sync(forgetOthers), others)

    const withOwn = (others: ReadonlyArray<StoredRun>): ReadonlyArray<RegisteredRun> => [...own.values(), ...others]

    /** Applies the changes of other daemons to the runs of this one: stops, freezes, notifies or drops them. Returns the rows. */
    const applyChanges = Effect.fnUntraced(function*(names: ReadonlyArray<RunName>) {
      const found = yield* rows.states(names)
      for (const { name, owner, ...state } of found) {
        if (owner === null) notifyInner(name)
        for (const [id, run] of own) {
          if (!isPartOf(run, name)) continue
          // The run has registered with another daemon before this one noticed that its connection was lost.
          if (nameOf(run) === name && owner !== null && owner !== leases.own) own.delete(id)
          else apply(run, state)
        }
      }
      return found
    })

    const ownAndOuterNames = (): ReadonlyArray<RunName> => [
      ...new Set([...own.values()].flatMap(({ content }) => content.outer.concat(content.run.name)))
    ]

    yield* store.onAnnounced("run", (announced) => {
      forgetOthers()
      const names = ownAndOuterNames().filter((name) => announced === undefined || name === announced)
      if (names.length > 0) background(applyChanges(names))
    })

    /** Stops or freezes runs: now in this daemon, and in other daemons when they next read the rows of the runs. */
    const refuse = (runs: ReadonlyArray<RegisteredRun>, state: RunState) => {
      const names = new Set(runs.map(nameOf))
      for (const run of own.values()) {
        if (names.has(nameOf(run))) apply(run, state)
      }
      return Effect.ensuring(rows.refuse([...names], state), Effect.sync(forgetOthers))
    }

    /** The run with this ID, of any daemon. Does not check that the caller is the process of the run. */
    const find = (id: string, keyId: string | null): Effect.Effect<RegisteredRun | undefined, VaultUnavailableError> =>
      Effect.suspend((): Effect.Effect<RegisteredRun | undefined, VaultUnavailableError> => {
        const run = own.get(id)
        if (run !== undefined) return Effect.succeed(run.content.keyId === keyId ? run : undefined)
        const idHash = idHashOf(id, keyId)
        return Effect.flatMap(others, (others) => {
          const other = others.find((run) => run.idHash === idHash)
          return other !== undefined ? Effect.succeed(other) : Effect.map(
            rows.find(runNameOf(id)),
            (run) => run?.idHash === idHash ? run : undefined
          )
        })
      })

    /** A run, if it is known without reading the store. */
    const knownRun = (id: string): Run | undefined => {
      const run = own.get(id)
      if (run !== undefined) return run.content.run
      const name = runNameOf(id)
      return lastForeign.find((run) => nameOf(run) === name)?.content.run
    }

    /** The runs of this daemon, and of the other daemons that are alive. */
    const living = Effect.gen(function*() {
      const others = yield* currentOthers
      const alive = new Set<string>()
      for (const owner of new Set(others.map(({ owner }) => owner ?? ""))) {
        if (yield* Effect.orElseSucceed(leases.isAlive(owner), () => true)) alive.add(owner)
      }
      return withOwn(others.filter(({ owner }) => alive.has(owner ?? "")))
    })

    /** The time at which each owner of runs was first seen without a database session. */
    const absent = new Map<string, number>()

    const releaseAbandoned = Effect.fnUntraced(function*() {
      const now = performance.now()
      const owners = new Set(yield* rows.otherOwners)
      for (const owner of absent.keys()) {
        if (!owners.has(owner)) absent.delete(owner)
      }
      for (const owner of owners) {
        if (yield* leases.isAlive(owner)) {
          absent.delete(owner)
          continue
        }
        const since = absent.get(owner) ?? now
        absent.set(owner, since)
        if (now - since < renewalMillis) continue
        const abandoned = yield* rows.abandon(owner)
        forgetOthers()
        for (const { content: { run } } of abandoned) yield* ended(run)
        absent.delete(owner)
      }
    })

    /** Registers again each run of this daemon that another daemon has taken because it considered this daemon ended. */
    const reclaim = Effect.fnUntraced(function*() {
      if (own.size === 0) return
      const owned = new Set(
        (yield* applyChanges(ownAndOuterNames())).flatMap(({ name, owner }) => owner === null ? [] : [name])
      )
      for (const [id, run] of own) {
        if (owned.has(nameOf(run))) continue
        const other = yield* rows.put(id, run.registration, run.content, 0)
        if (other !== undefined) apply(run, other)
      }
    })

    if (rows.isShared) {
      yield* Effect.andThen(reclaim(), releaseAbandoned()).pipe(
        Effect.ignore,
        Effect.repeat(Schedule.spaced(comparison)),
        Effect.forkScoped
      )
    }

    return {
      own,
      /** The runs of all daemons, as far as this one knows. */
      all: Effect.map(others, withOwn),
      /** The runs of all daemons as they are now. */
      current: Effect.map(currentOthers, withOwn),
      currentOthers,
      living,
      changed: forgetOthers,
      applyChanges,
      find,
      knownRun,
      notifyInner,
      refuse
    }
  })
