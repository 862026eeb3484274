/**
 * The ancestors of a process, as the kernel reports them.
 *
 * They tell cooperative programs apart and are not a security boundary. A program of the same user can ask another one to start a
 * process, or leave its ancestors, its session and its environment in several steps.
 */
import { identityOf } from "./ProcessIdentity.ts"
import * as ProcFs from "./ProcFs.ts"

export interface Lineage {
  readonly pid: number
  readonly identity: string
  readonly group: number
  readonly session: number
  /** The start time, in clock ticks since boot. */
  readonly started: number
  /** The identities of the process's ancestors, and of the leaders of its group and session. */
  readonly ancestors: ReadonlySet<string>
  /** The members of `ancestors` whose command lines `isMarker` accepts. */
  readonly markers: ReadonlySet<string>
  /** The values of `variable` in the initial environments of the process, its ancestors and the leaders. */
  readonly marks: ReadonlySet<string>
  /**
   * The topmost ancestor in the same session. If it is not the session's leader, its own ancestors have ended. This
   * cannot be detected if the process that adopted it is in the same session, as in some containers.
   */
  readonly top: { readonly pid: number; readonly group: number; readonly started: number }
}

/** Reads the lineage of a process. Returns undefined if the process has ended, or if the system has no `/proc`. */
export const lineageOf = (
  pid: number,
  { isMarker, variable }: {
    readonly variable: string
    readonly isMarker: (commandLine: ReadonlyArray<string>) => boolean
  }
): Lineage | undefined => {
  const own = ProcFs.stat(pid)
  if (own === undefined) return undefined
  const ancestors = new Set<string>()
  const markers = new Set<string>()
  const marks = new Set<string>()
  const seen = new Set<number>()
  let top = { pid, ...own }
  const climb = (from: number): void => {
    for (let at = from; at > 0 && !seen.has(at);) {
      seen.add(at)
      const mark = ProcFs.startedWith(at, variable)
      if (mark !== undefined) marks.add(mark)
      const parent = ProcFs.stat(at)?.parent ?? 0
      const stat = ProcFs.stat(parent)
      if (stat !== undefined) {
        ancestors.add(identityOf(parent))
        if (isMarker(ProcFs.commandLine(parent))) markers.add(identityOf(parent))
        if (at === top.pid && stat.session === own.session) top = { pid: parent, ...stat }
      }
      at = parent
    }
  }
  for (const start of [pid, own.group, own.session]) climb(start)
  return {
    pid,
    identity: identityOf(pid),
    group: own.group,
    session: own.session,
    started: Number(own.started),
    ancestors,
    markers,
    marks,
    top: { pid: top.pid, group: top.group, started: Number(top.started) }
  }
}
