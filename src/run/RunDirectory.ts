/**
 * The directory of one run: certificates and configuration files for the child, readable by its owner alone. It holds no
 * key and no credential. It is removed when the run ends, and one that a killed run left behind by the next run.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { builtins } from "../platform/builtins.ts"
import * as ProcessStat from "../platform/ProcessStat.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"

const PREFIX = "credsvc-run-"
const OWNER_FILE = "owner"

const startTime = (pid: number): string => ProcessStat.of(pid)?.started ?? ""

const isAlive = (pid: number, started: string): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  const now = startTime(pid)
  return now === "" || started === "" || now === started
}

/** Removes the directories of runs that are over. What belongs to another user, or is not a directory, is left alone. */
export const sweep = (parent: string): number => {
  let removed = 0
  for (const name of fs.readdirSync(parent)) {
    if (!name.startsWith(PREFIX)) continue
    const directory = path.join(parent, name)
    try {
      const stat = fs.lstatSync(directory)
      if (!stat.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) continue
      let owner: string | undefined
      try {
        owner = fs.readFileSync(path.join(directory, OWNER_FILE), "latin1")
      } catch {
        // It may be about to be written: only an old directory without it is abandoned.
        if (Date.now() - stat.mtimeMs < 60_000) continue
      }
      const [pid = "", started = ""] = owner?.split(" ") ?? []
      if (owner !== undefined && isAlive(Number(pid), started)) continue
      fs.rmSync(directory, { recursive: true, force: true })
      removed++
    } catch {
      // Another run may be sweeping too.
    }
  }
  return removed
}

/**
 * Whether a path means itself wherever it is written. Settings of clients are lists that are divided by colons or spaces,
 * and files with quotes, comments and escapes of their own. On Windows every path has a colon and backslashes.
 */
const isPlain = (directory: string): boolean =>
  process.platform === "win32" || /^[\p{L}\p{M}\p{N}/._+@%,=-]+$/u.test(directory)

/**
 * Where temporary files go, unless the path is not plain, or other users could replace our directory there: the child loads
 * code from it, and trusts the certificates in it. A shared `TMPDIR` without the sticky bit is such a place.
 */
const trustedParent = Effect.gen(function*() {
  for (const parent of [builtins.os.tmpdir(), ...(process.platform === "win32" ? [] : ["/tmp"])]) {
    if (isPlain(parent) && Exit.isSuccess(yield* Effect.exit(SecureFiles.checkPath(parent)))) return parent
  }
  return builtins.os.homedir()
})

/** Sweeps, then makes a directory that is removed with the scope. */
export const make: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.map(trustedParent, (parent) => {
    sweep(parent)
    const directory = fs.mkdtempSync(path.join(parent, PREFIX)) // 0700
    fs.writeFileSync(path.join(directory, OWNER_FILE), `${process.pid} ${startTime(process.pid)}`, { mode: 0o600 })
    return directory
  }),
  // What a child has left running may write into it just now.
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
)
