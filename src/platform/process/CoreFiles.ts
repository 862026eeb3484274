/**
 * Keeps the memory of this process out of core files, because it contains every secret that was opened.
 *
 * The size limit alone is not enough: the kernel ignores it when it pipes core files to a program. On Linux this module
 * sets the filter of core(5) to exclude all memory, so that core files contain only registers, and sets the limit of a
 * daemon to 0. On other systems only a process started with `withoutCoreFiles` is protected.
 */
import * as fs from "node:fs"
import { builtins } from "../builtins.ts"
import { textOf } from "../files/ReadOrEmpty.ts"

const file = "/proc/self/coredump_filter"

const set = (mask: string): void => {
  try {
    fs.writeFileSync(file, mask)
  } catch {
    // This is another system, or a kernel without the filter. The shell's limit applies, which is 0 almost everywhere.
  }
}

let atStart: string | undefined

/** Returns the command that runs a program without core files, if a shell can disable them. The process ID stays the same. */
export const withoutCoreFiles = (
  program: string,
  args: ReadonlyArray<string>
): { readonly command: string; readonly args: ReadonlyArray<string> } =>
  process.platform === "win32"
    ? { command: program, args }
    : { command: "/bin/sh", args: ["-c", "ulimit -c 0; exec \"$0\" \"$@\"", program, ...args] }

/** The paths of util-linux's prlimit(1) in Linux distributions. */
const PRLIMIT = ["/usr/bin/prlimit", "/bin/prlimit", "/run/current-system/sw/bin/prlimit"]

/**
 * Disables core files of this process and of the programs that it starts, if it was not started with
 * `withoutCoreFiles`. Uses a program, because Node cannot set the limit itself.
 */
export const disableCoreFiles = (): void => {
  withholdMemory()
  const limits = textOf("/proc/self/limits")
  if (limits === "" || /^Max core file size +0 /m.test(limits)) return
  const program = PRLIMIT.find((candidate) => fs.existsSync(candidate))
  if (program === undefined) return
  builtins.childProcess.spawnSync(program, ["--core=0:0", "--pid", String(process.pid)], {
    stdio: "ignore",
    timeout: 2000
  })
}

/** Excludes all memory of this process from core files. */
export const withholdMemory = (): void => {
  const mask = textOf(file).trim()
  if (mask === "") return
  atStart ??= `0x${mask}`
  set("0")
}

/** Calls `start` with the user's own core filter in force, which the started program inherits. */
export const withUserCoreFilter = <A>(start: () => A): A => {
  if (atStart === undefined) return start()
  set(atStart)
  try {
    return start()
  } finally {
    set("0")
  }
}
