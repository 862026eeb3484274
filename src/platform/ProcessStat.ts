/** What the kernel of Linux tells of a process in `/proc/<pid>/stat`. Elsewhere nothing is known of any. */
import * as fs from "node:fs"

/** In the place of a process group, where a process has no terminal, or no longer. */
export const noTerminal = -1

export interface ProcessStat {
  /** `T` is stopped as by Ctrl-Z, `Z` has ended and was not waited for. */
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** The process group that the terminal listens to, or `noTerminal`. */
  readonly foreground: number
  /** In a form that no later process with this number has. */
  readonly started: string
}

export const of = (pid: number): ProcessStat | undefined => {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1")
    // The name in parentheses may hold anything, so the fields are counted from behind it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return {
      state: fields[0]!,
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      foreground: Number(fields[5]),
      started: fields[19]!
    }
  } catch {
    return undefined
  }
}
