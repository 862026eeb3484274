/**
 * Finds the process at the other end of a connection, and the runs that it is inside.
 *
 * A caller is inside a run if its process descends from the process of the run, or carries the mark of the run. This is a
 * safeguard and not a security boundary, see `platform/process/Lineage`.
 */
import * as Effect from "effect/Effect"
import type * as Net from "node:net"
import { isRemote, type Peer } from "../callers/Caller.ts"
import { lineageOf } from "../config/RunMark.ts"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import type { RunName } from "../domain/wire/Run.ts"
import type { Lineage } from "../platform/process/Lineage.ts"
import * as ProcFs from "../platform/process/ProcFs.ts"
import { endsOf, PeerOwner } from "../platform/sockets/PeerOwner.ts"
import { isPartOf, nameOf, type RegisteredRun } from "./RegisteredRun.ts"
import { RunRows } from "./RunRows.ts"

/** A process, the mark that it claims to have, and the key of a remote caller. */
export interface Caller {
  readonly process: Lineage | undefined
  readonly mark?: string | undefined
  readonly keyId?: string | null
}

const marksOf = ({ mark, process }: Caller): ReadonlySet<string> =>
  new Set([...process?.marks ?? [], ...mark === undefined ? [] : [mark]])

type RunProcess = Pick<Lineage, "group" | "identity" | "pid" | "started">

/** Whether a process descends from the process of a run. */
export const descends = (process: Lineage, run: RunProcess): boolean => {
  if (process.identity === run.identity) return false
  if (process.ancestors.has(run.identity)) return true
  // A process without ancestors belongs to the run if it is in the run's process group or session and did not start earlier.
  const { top } = process
  const isInJob = top.group === run.group || process.session === run.pid
  return top.pid !== process.session && isInJob && top.started >= run.started
}

/** A process that could not be determined is looked up again after this time. */
const retryMillis = 1000

const attempts = 20
const interval = "100 millis"

/**
 * Returns the first result of `look` that is not undefined, or undefined after some attempts. Waits for runs that have not
 * registered again yet after a restart of their daemon.
 */
const whenRegistered = Effect.fnUntraced(function*<A>(look: Effect.Effect<A | undefined>) {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const found = yield* look
    if (found !== undefined) return found
    yield* Effect.sleep(interval)
  }
  return undefined
})

/** Creates the functions that find callers. `known`: the runs of all daemons. */
export const make = Effect.fnUntraced(function*(known: Effect.Effect<ReadonlyArray<RegisteredRun>>) {
  const { isShared } = yield* RunRows
  const owners = yield* PeerOwner
  const machine = ProcFs.machine()
  const callers = new WeakMap<Net.Socket, { readonly lineage: Lineage | undefined; readonly at: number }>()

  /** The process at the other end, as far as it can be determined. `claimed`: the process ID that it claims to have. */
  const processOf = (peer: Peer, claimed?: number): Effect.Effect<Lineage | undefined> =>
    Effect.suspend(() => {
      if (isRemote(peer)) return Effect.succeed(undefined)
      const known = callers.get(peer)
      if (known !== undefined && (known.lineage !== undefined || performance.now() - known.at < retryMillis)) {
        return Effect.succeed(known.lineage)
      }
      const ends = endsOf(peer)
      if (ends === undefined) return Effect.succeed(undefined)
      return Effect.map(owners.process(ends.remote, ends.local, claimed), (pid) => {
        const lineage = pid === undefined ? undefined : lineageOf(pid)
        callers.set(peer, { lineage, at: performance.now() })
        return lineage
      })
    })

  /** The outer runs of a caller. `isComplete` is false if another outer run is not registered. */
  const around = Effect.fnUntraced(function*(caller: Caller) {
    const all = yield* known
    const marks = marksOf(caller)
    const found = all.filter(({ content: { keyId, process, run } }) =>
      (marks.has(run.name) && keyId === (caller.keyId ?? null)) ||
      (process?.machine === machine && caller.process !== undefined && descends(caller.process, process))
    )
    // A remote caller states only the innermost run.
    const names = new Set(found.flatMap(({ content: { outer, run } }) => [run.name, ...outer]))
    const runs = all.filter((run) => names.has(nameOf(run)))
    const isComplete = runs.length === names.size &&
      [...marks].every((mark) => found.some((run) => nameOf(run) === mark)) &&
      [...caller.process?.markers ?? []].every((marker) =>
        found.some(({ content: { process } }) => process?.machine === machine && process.identity === marker)
      )
    return { runs, isComplete }
  })

  /** The outer runs of a caller. Waits for runs that have not registered again yet. */
  const outerRuns = Effect.fnUntraced(function*(caller: Caller) {
    const complete = Effect.map(around(caller), ({ isComplete, runs }) => isComplete ? runs : undefined)
    return (yield* whenRegistered(complete)) ?? (yield* OperationNotAllowedError.of(
      "This command is inside a run that the daemon does not know: the run has ended, or belongs to another daemon. " +
        "Start the command outside of that run."
    ))
  })

  /** Fails if an outer run of this one has ended. A run whose daemon has ended may register with another one. */
  const requireOuter = Effect.fnUntraced(function*({ content: { outer } }: RegisteredRun) {
    const found = Effect.map(known, (all) => {
      const names = new Set(all.map(nameOf))
      return outer.every((name) => names.has(name)) ? true : undefined
    })
    if ((yield* isShared ? whenRegistered(found) : found) === true) return
    return yield* OperationNotAllowedError.of(
      "The outer run has ended, so this run gets no more credentials. Start the command outside of the outer run."
    )
  })

  /** Whether a peer is the process that registered a run, as far as this can be determined. */
  const isOf = (peer: Peer, { content: { process } }: RegisteredRun): Effect.Effect<boolean> => {
    if (process === null) return Effect.succeed(true)
    if (process.machine !== machine) return Effect.succeed(false)
    return Effect.map(
      processOf(peer, process.pid),
      (caller) => caller === undefined || caller.identity === process.identity
    )
  }

  /** Whether `isOf` is known to be true without reading anything. */
  const isKnownOf = (peer: Peer, { content: { process } }: RegisteredRun): boolean =>
    process === null ||
    (!isRemote(peer) && process.machine === machine && callers.get(peer)?.lineage?.identity === process.identity)

  const aroundPeer = (peer: Peer) => Effect.flatMap(processOf(peer), (process) => around({ process }))

  /**
   * The innermost run of a peer, or undefined outside of runs. Null inside a run that is not registered, or if the process
   * claims to be inside runs that do not contain each other.
   */
  const innermost = (peer: Peer): Effect.Effect<RunName | null | undefined> =>
    Effect.map(aroundPeer(peer), ({ isComplete, runs }) => {
      if (!isComplete) return null
      if (runs.length === 0) return undefined
      const found = runs.find((one) => runs.every((other) => isPartOf(one, nameOf(other))))
      return found === undefined ? null : nameOf(found)
    })

  /** Whether the process at the other end is known and not inside any run. */
  const isOutside = Effect.fnUntraced(function*(peer: Peer) {
    const process = yield* processOf(peer)
    const { isComplete, runs } = yield* around({ process })
    return process !== undefined && isComplete && runs.length === 0
  })

  return { aroundPeer, innermost, isKnownOf, isOf, isOutside, machine, outerRuns, processOf, requireOuter }
})

export type RunCallers = Effect.Success<ReturnType<typeof make>>
