/** Reads `/proc/<pid>/stat` of Linux. Undefined on other systems. */
import * as fs from "node:fs"

/** The foreground process group of a process without a terminal. */
export const noTerminal = -1

export interface ProcessStat {
  /** `T`: stopped, as by Ctrl-Z. `Z`: zombie. */
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** The foreground process group of the terminal, or `noTerminal`. */
  readonly foreground: number
  /** The start time, which no later process with the same id shares. */
  readonly started: string
}

export const of = (pid: number): ProcessStat | undefined => {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1")
    // The name in parentheses may contain anything, so the fields are counted from after it.
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
