/**
 * Manages the registered runs, and determines which of them a caller is inside of.
 *
 * A run is registered while its connection is open. A caller is inside a run if its process descends from that of the
 * run or carries its mark. This is a safeguard and not a security boundary, see `platform/Lineage`.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Net from "node:net"
import { lineageOf, runNameOf } from "../../config/RunMark.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../../domain/Errors.ts"
import { type Run, type RunLimits, type RunRegistration, within } from "../../domain/Run.ts"
import type { Lineage } from "../../platform/Lineage.ts"
import { endsOf } from "../../platform/PeerOwner.ts"
import { PeerProcess } from "../../platform/PeerProcess.ts"
import * as ProcFs from "../../platform/ProcFs.ts"
import { type ProfileError, Profiles } from "../../profiles/Profiles.ts"

interface Entry {
  readonly run: Run
  readonly limits: RunLimits
  /** Undefined if the process could not be determined. */
  readonly process: Lineage | undefined
}

/** A process and the mark that it claims to have. */
interface Caller {
  readonly process: Lineage | undefined
  readonly mark?: string | undefined
}

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

/** After a restart of the daemon, runs register again within this time. */
const attempts = 20
const interval = "100 millis"

export class RunRegistry extends Context.Service<RunRegistry, {
  /** The limits of the registered run with this id. Undefined if the caller is not the run's process. */
  readonly limitsOf: (socket: Net.Socket, id: string | undefined) => Effect.Effect<RunLimits | undefined>

  readonly list: Effect.Effect<ReadonlyArray<Run>>

  /** The runs around the process at the other end. Null if one of them is not registered. */
  readonly around: (socket: Net.Socket) => Effect.Effect<ReadonlyArray<Run> | null>

  /** Whether the process at the other end is a command inside a run, registered or not. */
  readonly isInside: (socket: Net.Socket) => Effect.Effect<boolean>

  /**
   * Registers a run until its connection closes. Fails if it explicitly exceeds the limits of a run around it, or is
   * inside one that is not registered. Without a `profile`, it gets that of the run around it, or the active one.
   */
  readonly register: (
    socket: Net.Socket,
    id: string,
    registration: RunRegistration,
    profile: string | undefined
  ) => Effect.Effect<Run, ProfileError>

  /** Completes when the daemon stops. */
  readonly untilStopped: Effect.Effect<void>

  readonly stop: Effect.Effect<void>
}>()("credsvc/server/RunRegistry") {
  static readonly layerNoDeps: Layer.Layer<RunRegistry, never, PeerProcess | Profiles> = Layer.effect(
    RunRegistry,
    Effect.gen(function*() {
      const processes = yield* PeerProcess
      const profiles = yield* Profiles
      const stopped = yield* Deferred.make<void>()
      const entries = new Map<string, Entry>()
      const callers = new WeakMap<Net.Socket, Lineage | undefined>()

      const callerOf = (socket: Net.Socket, claimed?: number): Effect.Effect<Lineage | undefined> =>
        Effect.suspend(() => {
          if (callers.has(socket)) return Effect.succeed(callers.get(socket))
          const ends = endsOf(socket)
          if (ends === undefined) return Effect.succeed(undefined)
          return Effect.map(processes.peer(ends.remote, ends.local, claimed), (pid) => {
            const lineage = pid === undefined ? undefined : lineageOf(pid)
            callers.set(socket, lineage)
            return lineage
          })
        })

      /** The runs around a caller. `isComplete` is false if there is another one that is not registered. */
      const around = (caller: Caller) => {
        const marks = marksOf(caller)
        const runs = [...entries.values()].filter(({ process, run }) =>
          marks.has(run.name) ||
          (process !== undefined && caller.process !== undefined && descends(caller.process, process))
        )
        const isComplete = [...marks].every((mark) => runs.some(({ run }) => run.name === mark)) &&
          [...caller.process?.markers ?? []].every((marker) => runs.some(({ process }) => process?.identity === marker))
        return { runs, isComplete }
      }

      const runsAround = Effect.fnUntraced(function*(caller: Caller) {
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
        socket: Net.Socket,
        id: string,
        { contained, inside, pid, ...own }: RunRegistration,
        chosen: string | undefined
      ) {
        const process = yield* callerOf(socket, pid)
        const outer = yield* runsAround({ process, mark: inside })
        const profile = yield* chosen === undefined
          ? outer.length === 0 ? profiles.active : Effect.succeed(outer[0]!.limits.profile)
          : profiles.find(chosen)
        let limits: RunLimits = { ...own, profile, contained }
        for (const { limits: around } of outer) {
          if (around.profile !== profile) {
            return yield* OperationNotAllowedError.of(
              `The run around this one uses another profile. Use the same one with: --profile ${around.profile}`
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
          contained
        }
        const entry: Entry = { run, limits, process }
        if (!socket.destroyed) {
          entries.set(id, entry)
          socket.once("close", () => {
            if (entries.get(id) === entry) entries.delete(id)
          })
        }
        return run
      })

      const aroundSocket = (socket: Net.Socket) =>
        Effect.map(callerOf(socket), (process) => {
          const { isComplete, runs } = around({ process })
          return isComplete ? runs.map(({ run }) => run) : null
        })

      return RunRegistry.of({
        limitsOf: (socket, id) =>
          Effect.suspend(() => {
            const entry = id === undefined ? undefined : entries.get(id)
            if (entry?.process === undefined) return Effect.succeed(entry?.limits)
            const { identity, pid } = entry.process
            return Effect.map(
              callerOf(socket, pid),
              (caller) => caller === undefined || caller.identity === identity ? entry.limits : undefined
            )
          }),
        list: Effect.sync(() => [...entries.values()].map(({ run }) => run)),
        around: aroundSocket,
        isInside: (socket) => Effect.map(aroundSocket(socket), (runs) => runs === null || runs.length > 0),
        register,
        untilStopped: Deferred.await(stopped),
        stop: Effect.asVoid(Deferred.succeed(stopped, undefined))
      })
    })
  )
}
