/** Reads processes in Linux's `/proc`. On other systems, and for missing processes, results are empty or undefined. */
import * as fs from "node:fs"
import { linkOf, readOr, textOf } from "../files/ReadOrEmpty.ts"

/** The value of `foreground` for a process without a terminal. */
export const noTerminal = -1

const text = (file: string): string => textOf(file, "latin1")

export const stat = (pid: number) => {
  const line = text(`/proc/${pid}/stat`)
  if (line === "") return undefined
  // The process name in parentheses may contain anything, so the fields are counted from its end.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ")
  return {
    /** The state, such as `T` (stopped, as by Ctrl-Z) or `Z` (zombie). */
    state: fields[0]!,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    /** The foreground process group of the terminal, or `noTerminal`. */
    foreground: Number(fields[5]),
    /** The start time in clock ticks since boot. No later process with the same ID shares it. */
    started: fields[19]!
  }
}

/** Identifies the boot of the kernel and the PID namespace. Equal for processes that see each other's IDs. */
export const machine = (): string => `${text("/proc/sys/kernel/random/boot_id").trim()} ${linkOf("/proc/self/ns/pid")}`

/** The unit of times in `/proc` (USER_HZ), which is the same on all architectures that Node supports. */
const ticksPerSecond = 100

export const startedAt = (pid: number): number | undefined => {
  const ticks = stat(pid)?.started
  const boot = /^btime (\d+)$/m.exec(text("/proc/stat"))?.[1]
  return ticks === undefined || boot === undefined ? undefined : Number(boot) + Number(ticks) / ticksPerSecond
}

export const uid = (pid: number): number | undefined => readOr(() => fs.statSync(`/proc/${pid}`).uid, undefined)

export const commandLine = (pid: number): ReadonlyArray<string> => text(`/proc/${pid}/cmdline`).split("\0")

/** The value that an environment variable had when the process was started, or undefined. Later changes are not visible. */
export const startedWith = (pid: number, variable: string): string | undefined =>
  text(`/proc/${pid}/environ`).split("\0").find((entry) => entry.startsWith(`${variable}=`))?.slice(variable.length + 1)

export const pids = async (): Promise<ReadonlyArray<number>> =>
  (await fs.promises.readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number)

export const openSockets = async (pid: number): Promise<ReadonlyArray<string>> => {
  const directory = `/proc/${pid}/fd`
  const names = await fs.promises.readdir(directory).catch(() => [])
  const links = await Promise.all(names.map((name) => fs.promises.readlink(`${directory}/${name}`).catch(() => "")))
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [])
}
