/** Identifies a process in a form that also tells whether it still runs, because process ids are reused. */
import * as ProcessStat from "./ProcessStat.ts"

export const ownIdentity = (): string => `${process.pid}-${ProcessStat.of(process.pid)?.started ?? ""}`

/** False also for a zombie. */
export const isRunning = (identity: string): boolean => {
  const [, number = "", started = ""] = /^(\d+)-(\d*)$/.exec(identity) ?? []
  const pid = Number(number)
  if (pid === 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  const stat = ProcessStat.of(pid)
  return stat === undefined || started === "" || (stat.started === started && stat.state !== "Z")
}
