/**
 * Keeps the memory of this process out of core files, which would hold every secret that it has opened.
 *
 * Node cannot limit the size of its own core files, and the kernel ignores the limit when it pipes them to a program. On
 * Linux the filter of core(5) leaves all memory out. Elsewhere only a process that is started by `withoutCoreFiles` is safe.
 */
import * as fs from "node:fs"

const file = "/proc/self/coredump_filter"

const set = (mask: string): void => {
  try {
    fs.writeFileSync(file, mask)
  } catch {
    // Another system, or a kernel without it: the limit of the shell holds, and it is 0 almost everywhere.
  }
}

let atStart: string | undefined

/** The command that runs a program without core files, where a shell can forbid them. It does not change the process id. */
export const withoutCoreFiles = (
  program: string,
  args: ReadonlyArray<string>
): { readonly command: string; readonly args: ReadonlyArray<string> } =>
  process.platform === "win32"
    ? { command: program, args }
    : { command: "/bin/sh", args: ["-c", "ulimit -c 0; exec \"$0\" \"$@\"", program, ...args] }

/** From now on core files have no memory of this process in them. */
export const withholdMemory = (): void => {
  try {
    atStart ??= `0x${fs.readFileSync(file, "latin1").trim()}`
  } catch {
    return
  }
  set("0")
}

/** Calls with the user's own filter in force, for starting a program: it inherits the one of this process. */
export const withUserCoreFilter = <A>(start: () => A): A => {
  if (atStart === undefined) return start()
  set(atStart)
  try {
    return start()
  } finally {
    set("0")
  }
}
