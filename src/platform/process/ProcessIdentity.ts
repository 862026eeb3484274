/** Identifies processes in a form that tells whether they still run, because process IDs are reused. */
import { errorCode } from "../ErrorCode.ts"
import * as ProcFs from "./ProcFs.ts"

/** The ID of a process with its start time, which no other process shares. */
export const identityOf = (pid: number): string => `${pid}-${ProcFs.stat(pid)?.started ?? ""}`

export const ownIdentity = (): string => identityOf(process.pid)

/** Whether a process is running. False for a zombie, although it can receive signals. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (errorCode(error) !== "EPERM") return false
  }
  return ProcFs.stat(pid)?.state !== "Z"
}

/** Whether the process with this identity is running. */
export const isRunning = (identity: string): boolean => {
  const [, number = "", started = ""] = /^(\d+)-(\d*)$/.exec(identity) ?? []
  const pid = Number(number)
  if (pid === 0 || !isAlive(pid)) return false
  const now = ProcFs.stat(pid)?.started
  return now === undefined || started === "" || now === started
}
