/** Observes processes that a test has not started or waited for itself. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as ProcFs from "../../src/platform/process/ProcFs.ts"
import { until } from "./Until.ts"

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A thread that has ended has closed its files. A zombie keeps one such thread. */
const hasEnded = (thread: string): boolean => ["Z", "X", undefined].includes(ProcFs.stat(Number(thread))?.state)

const isOver = (pid: number): boolean => {
  if (process.platform !== "linux") return !isThere(pid)
  try {
    return fs.readdirSync(`/proc/${pid}/task`).every(hasEnded)
  } catch {
    return true
  }
}

/** Resolves when the process has ended and its locks and ports are free. */
export const over = async (pid: number): Promise<void> => void await until(() => isOver(pid))

const stateOf = (home: string): { readonly pid: number } | undefined => {
  try {
    return JSON.parse(fs.readFileSync(path.join(home, "server", "daemon.json"), "utf8"))
  } catch {
    return undefined
  }
}

const kill = (pid: number): Promise<void> => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has already ended.
  }
  return over(pid)
}

/** Kills the daemon of a home, if there is one. Resolves when it has ended. */
export const killDaemon = async (home: string): Promise<void> => {
  const state = stateOf(home)
  if (state !== undefined && !isOver(state.pid)) await kill(state.pid)
}

const startedFor = async (home: string): Promise<ReadonlyArray<number>> =>
  process.platform === "linux"
    ? (await ProcFs.pids()).filter((pid) => ProcFs.startedWith(pid, "CREDSVC_HOME") === home && !isOver(pid))
    : []

/** Kills the daemon of a home and, on Linux, all programs that could start another one. Resolves when they have ended. */
export const killPrograms = async (home: string): Promise<void> => {
  let pids
  while ((pids = await startedFor(home)).length > 0) await Promise.all(pids.map(kill))
  await killDaemon(home)
}
