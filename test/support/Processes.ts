/** Processes that a test has not started itself, or not waited for. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as ProcessStat from "../../src/platform/ProcessStat.ts"
import { until } from "./ProxyHarness.ts"

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A thread that has ended has closed what it had open; of a process that nobody has waited for, one such stays. */
const hasEnded = (thread: string): boolean => ["Z", "X", undefined].includes(ProcessStat.of(Number(thread))?.state)

const isOver = (pid: number): boolean => {
  if (process.platform !== "linux") return !isThere(pid)
  try {
    return fs.readdirSync(`/proc/${pid}/task`).every(hasEnded)
  } catch {
    return true
  }
}

/** Resolves when the process has ended, and its locks and ports are free. */
export const over = (pid: number): Promise<void> => until(() => isOver(pid))

const stateOf = (home: string): { readonly pid: number } | undefined => {
  try {
    return JSON.parse(fs.readFileSync(path.join(home, "server", "daemon.json"), "utf8"))
  } catch {
    return undefined
  }
}

/** Ends the daemon of a home, if there is one, without a word; resolves when it is over. */
export const killDaemon = async (home: string): Promise<void> => {
  const state = stateOf(home)
  if (state === undefined || isOver(state.pid)) return
  try {
    process.kill(state.pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
  await over(state.pid)
}
