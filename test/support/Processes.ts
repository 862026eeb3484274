/** Observes processes that a test has not started or waited for itself. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as ProcFs from "../../src/platform/ProcFs.ts"
import { until } from "./ProxyHarness.ts"

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
export const over = (pid: number): Promise<void> => until(() => isOver(pid))

const stateOf = (home: string): { readonly pid: number } | undefined => {
  try {
    return JSON.parse(fs.readFileSync(path.join(home, "server", "daemon.json"), "utf8"))
  } catch {
    return undefined
  }
}

/** Kills the daemon of a home, if there is one. Resolves when it has ended. */
export const killDaemon = async (home: string): Promise<void> => {
  const state = stateOf(home)
  if (state === undefined || isOver(state.pid)) return
  try {
    process.kill(state.pid, "SIGKILL")
  } catch {
    // It has already ended.
  }
  await over(state.pid)
}
