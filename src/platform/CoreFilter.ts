/**
 * Keeps the memory of this process out of core files, which would contain every secret that it has opened.
 *
 * Node cannot limit the size of its own core files, and the kernel ignores the limit when it pipes them to a program.
 * On Linux this module sets the filter of core(5) to exclude all memory. On other systems only a process started with
 * `withoutCoreFiles` is protected.
 */
import * as fs from "node:fs"

const file = "/proc/self/coredump_filter"

const set = (mask: string): void => {
  try {
    fs.writeFileSync(file, mask)
  } catch {
    // Another system, or a kernel without the filter: the limit of the shell applies, which is 0 almost everywhere.
  }
}

let atStart: string | undefined

/** The command that runs a program without core files, if a shell can disable them. It keeps the process id. */
export const withoutCoreFiles = (
  program: string,
  args: ReadonlyArray<string>
): { readonly command: string; readonly args: ReadonlyArray<string> } =>
  process.platform === "win32"
    ? { command: program, args }
    : { command: "/bin/sh", args: ["-c", "ulimit -c 0; exec \"$0\" \"$@\"", program, ...args] }

export const withholdMemory = (): void => {
  try {
    atStart ??= `0x${fs.readFileSync(file, "latin1").trim()}`
  } catch {
    return
  }
  set("0")
}

/** Calls `start` with the user's own filter in force, for starting a program, which inherits it. */
export const withUserCoreFilter = <A>(start: () => A): A => {
  if (atStart === undefined) return start()
  set(atStart)
  try {
    return start()
  } finally {
    set("0")
  }
}
