/** Which process wrote something, in a form that tells whether it still runs. Numbers of processes are used again. */
import * as fs from "node:fs"

/** State and start time of a process; undefined where the system does not tell, or there is none. */
const statOf = (pid: number): { readonly state: string; readonly started: string } | undefined => {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1")
    // The name in parentheses may hold anything, so the fields are counted from behind it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { state: fields[0] ?? "", started: fields[19] ?? "" }
  } catch {
    return undefined
  }
}

export const ownIdentity = (): string => `${process.pid}-${statOf(process.pid)?.started ?? ""}`

/** False also for a process that has ended and was not waited for. */
export const isRunning = (identity: string): boolean => {
  const [, number = "", started = ""] = /^(\d+)-(\d*)$/.exec(identity) ?? []
  const pid = Number(number)
  if (pid === 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  const stat = statOf(pid)
  return stat === undefined || started === "" || (stat.started === started && stat.state !== "Z")
}
