/**
 * What of this process goes into a core file (core(5), Linux). One of the proxy would hold every secret that went through it (A43),
 * and Node has no way to limit the size of its own.
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
