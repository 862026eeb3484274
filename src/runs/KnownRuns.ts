/**
 * The runs that this daemon knows: its own runs, and the runs of the other daemons of the store.
 *
 * A run is registered while its connection is open. Daemons read the runs of each other from the store, which announces changes.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Net from "node:net"
import { runNameOf } from "../config/RunMark.ts"
import type { Run, RunName, RunNotice } from "../domain/wire/Run.ts"
import { callAt } from "../platform/process/CallAt.ts"
import { LeaseOwner } from "../platform/store/LeaseOwner.ts"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import { isPartOf, nameOf, type RegisteredRun } from "./RegisteredRun.ts"
import { idHashOf, RunRows, type RunState, type StoredRun } from "./RunRows.ts"

/** Runs an effect until the daemon stops. Nothing waits for it. */
export type Background = (effect: Effect.Effect<unknown, unknown>) => void

/** Notes that a run of another daemon has ended. */
type Ended = (run: Run) => Effect.Effect<unknown, unknown>

/** How often the daemon compares its runs with their rows, and looks for daemons that have ended. */
const comparison = "3 seconds"
/** The runs of a daemon that ended have this long to register with another one, or with its successor. */
export const renewalMillis = 10_000

/** A run whose connection this daemon has. */
export interface OwnRun extends RegisteredRun {
  stoppedAt: RunState["stoppedAt"]
  frozenAt: RunState["frozenAt"]
  frozenBy: RunState["frozenBy"]
  /** Identifies this registration of the run, which may register several times. */
  readonly registration: string
  readonly notices: Queue.Queue<RunNotice>
  /** The LLM token count of its responses, as reported by its proxy. */
  ownTokens: number
  /** `ownTokens`, and the tokens of the runs inside it. */
  tokens: number
}

/** Notifies the proxy of a run, which then asks for the credentials of open streams again. */
const notify = ({ notices }: OwnRun): void => void Queue.offerUnsafe(notices, { notice: "changed" })

/** Ends the permission of a run to get credentials, unless the permission has ended. */
const applyState = (run: OwnRun, { frozenAt, frozenBy, stoppedAt }: RunState): void => {
  const isStopped = stoppedAt !== null && run.stoppedAt === null
  const isFrozen = frozenAt !== null && run.frozenAt === null
  if (isStopped) run.stoppedAt = stoppedAt
  if (isFrozen) {
    run.frozenAt = frozenAt
    run.frozenBy = frozenBy
  }
  if (isStopped || isFrozen) Queue.offerUnsafe(run.notices, { notice: isStopped ? "stopped" : "frozen" })
}

/** The runs whose connection this daemon has, by ID. */
class OwnRuns extends Map<string, OwnRun> {
  notifyAll(): void {
    for (const run of this.values()) notify(run)
  }

  /** Notifies the runs inside one that has ended. They get no more credentials. */
  notifyInner(outer: RunName): void {
    for (const run of this.values()) if (run.content.outer.includes(outer)) notify(run)
  }

  /** The names of the runs and of their outer runs. */
  allNames(): ReadonlyArray<RunName> {
    return [...new Set([...this.values()].flatMap(({ content }) => content.outer.concat(content.run.name)))]
  }

  /** Keeps a run until its connection closes, and then calls `closed`, unless it has registered again meanwhile. */
  keep(id: string, run: OwnRun, connection: Net.Socket, closed: () => void): void {
    this.set(id, run)
    const { content, limits: { expiresAt } } = run
    // When the run expires, its proxy asks about open streams, whose credentials are refused from now on.
    const cancel = expiresAt === null ? undefined : callAt(expiresAt.epochMilliseconds, () => notify(run))
    connection.once("close", () => {
      cancel?.()
      if (this.get(id) !== run) return
      this.delete(id)
      this.notifyInner(content.run.name)
      closed()
    })
  }
}

/** The runs of other daemons. Reads them again after a change. */
const makeOthers = Effect.gen(function*() {
  const rows = yield* RunRows
  /** Counts the changes. Other daemons exist only if the store is shared. */
  let changes = rows.isShared ? 1 : 0
  /** The rows that were read last, and how many changes preceded them. */
  let last: { readonly runs: ReadonlyArray<StoredRun>; readonly changes: number } = { runs: [], changes: 0 }

  const read = Effect.suspend(() => {
    if (last.changes === changes) return Effect.succeed(last.runs)
    const before = changes
    return rows.others.pipe(
      Effect.tap((runs) => Effect.sync(() => last = { runs, changes: before })),
      // The last known runs suffice: they decide who may get secrets, which cannot be read without the store either.
      Effect.orElseSucceed(() => last.runs)
    )
  })

  const changed = (): void => {
    if (rows.isShared) changes++
  }

  return {
    read,
    /** Notes that the runs may have changed since they were read. */
    changed,
    /** Reads the runs as they are now. An announcement of a change may still be on its way. */
    current: Effect.andThen(Effect.sync(changed), read),
    last: () => last.runs
  }
})

/** Makes the effect that takes the runs of daemons that have ended, and calls `ended` with each. */
const makeRelease = Effect.fnUntraced(function*(changed: () => void, ended: Ended) {
  const leases = yield* LeaseOwner
  const rows = yield* RunRows
  /** The time at which each owner of runs was first seen without a database session. */
  const absent = new Map<string, number>()

  return Effect.gen(function*() {
    const now = performance.now()
    const owners = new Set(yield* rows.otherOwners)
    for (const owner of absent.keys()) if (!owners.has(owner)) absent.delete(owner)
    for (const owner of owners) {
      if (yield* leases.isAlive(owner)) {
        absent.delete(owner)
        continue
      }
      const since = absent.get(owner) ?? now
      absent.set(owner, since)
      if (now - since < renewalMillis) continue
      const abandoned = yield* rows.abandon(owner)
      changed()
      for (const { content: { run } } of abandoned) yield* ended(run)
      absent.delete(owner)
    }
  })
})

/** Creates the table of runs. Calls `ended` with each run of a daemon that has ended. */
export const make = Effect.fnUntraced(function*(background: Background, ended: Ended) {
  const leases = yield* LeaseOwner
  const rows = yield* RunRows
  const store = yield* StoreChanges
  const others = yield* makeOthers
  const release = yield* makeRelease(others.changed, ended)
  const own = new OwnRuns()

  const withOwn = (others: ReadonlyArray<StoredRun>): ReadonlyArray<RegisteredRun> => [...own.values(), ...others]

  /** Applies the changes of other daemons to the runs of this one: stops, freezes, notifies or drops them. Returns the rows. */
  const applyChanges = Effect.fnUntraced(function*(names: ReadonlyArray<RunName>) {
    const found = yield* rows.states(names)
    for (const { name, owner, ...state } of found) {
      if (owner === null) own.notifyInner(name)
      for (const [id, run] of own) {
        if (!isPartOf(run, name)) continue
        // The run has registered with another daemon before this one noticed that its connection was lost.
        if (nameOf(run) === name && owner !== null && owner !== leases.own) own.delete(id)
        else applyState(run, state)
      }
    }
    return found
  })

  yield* store.onAnnounced("run", (announced) => {
    others.changed()
    const names = own.allNames().filter((name) => announced === undefined || name === announced)
    if (names.length > 0) background(applyChanges(names))
  })

  /** Registers again each run of this daemon that another daemon has taken because it considered this daemon ended. */
  const reclaim = Effect.gen(function*() {
    if (own.size === 0) return
    const owned = new Set(
      (yield* applyChanges(own.allNames())).flatMap(({ name, owner }) => owner === null ? [] : [name])
    )
    for (const [id, run] of own) {
      if (owned.has(nameOf(run))) continue
      const other = yield* rows.put(id, run.registration, run.content, 0)
      if (other !== undefined) applyState(run, other)
    }
  })

  if (rows.isShared) {
    yield* Effect.andThen(reclaim, release).pipe(
      Effect.ignore,
      Effect.repeat(Schedule.spaced(comparison)),
      Effect.forkScoped
    )
  }

  return {
    own,
    applyChanges,
    others,
    /** The runs of all daemons, as far as this one knows. */
    all: Effect.map(others.read, withOwn),
    /** The runs of all daemons as they are now. */
    current: Effect.map(others.current, withOwn),

    /** The runs of this daemon, and of the other daemons that are alive. */
    living: Effect.gen(function*() {
      const found = yield* others.current
      const alive = new Set<string | null>()
      for (const owner of new Set(found.map(({ owner }) => owner))) {
        if (yield* Effect.orElseSucceed(leases.isAlive(owner ?? ""), () => true)) alive.add(owner)
      }
      return withOwn(found.filter(({ owner }) => alive.has(owner)))
    }),

    /** Finds the run with this ID, of any daemon. Does not check that the caller is the process of the run. */
    find: Effect.fnUntraced(function*(id: string, keyId: string | null) {
      const run = own.get(id)
      if (run !== undefined) return run.content.keyId === keyId ? run : undefined
      const idHash = idHashOf(id, keyId)
      const other = (yield* others.read).find((run) => run.idHash === idHash) ?? (yield* rows.find(runNameOf(id)))
      return other?.idHash === idHash ? other : undefined
    }),

    /** Returns a run if it is known without reading the store. */
    knownRun: (id: string): Run | undefined => {
      const run = own.get(id)
      if (run !== undefined) return run.content.run
      const name = runNameOf(id)
      return others.last().find((run) => nameOf(run) === name)?.content.run
    },

    /** Stops or freezes runs: now in this daemon, and in other daemons when they next read the rows of the runs. */
    refuse: (runs: ReadonlyArray<RegisteredRun>, state: RunState) => {
      const names = new Set(runs.map(nameOf))
      for (const run of own.values()) {
        if (names.has(nameOf(run))) applyState(run, state)
      }
      return Effect.ensuring(rows.refuse([...names], state), Effect.sync(others.changed))
    }
  }
})

export type KnownRuns = Effect.Success<ReturnType<typeof make>>
