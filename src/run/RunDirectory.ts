/**
 * The directory of one run: certificates and configuration files for the child process, readable only by its owner. It contains
 * no keys and no credentials. It is removed when the run ends; the next run removes directories of killed runs.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { removeMountPoints, removeRemnants } from "../contain/Remnants.ts"
import { builtins } from "../platform/builtins.ts"
import { linkOf } from "../platform/files/IfPresent.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { homeDirectory } from "../platform/process/Account.ts"
import { isRunning, ownIdentity } from "../platform/process/ProcessIdentity.ts"

/** The number of this process's PID namespace, or undefined if the system has none. */
const ownNamespace = (): string | undefined => /\d+/.exec(linkOf("/proc/self/ns/pid"))?.[0]

/**
 * The identity of the process that a directory belongs to, in the directory's name: a file could be missing after a kill.
 * Undefined if this process cannot see that process, because it is in another container or sandbox.
 */
const ownerOf = (name: string): string | undefined => {
  const [, owner, namespace] = /^credsvc-run-(\d+-\d*)(?:-(\d+))?-\w+$/.exec(name) ?? []
  return namespace === undefined || namespace === ownNamespace() ? owner : undefined
}

const newName = (): string =>
  ["credsvc-run", ownIdentity(), ownNamespace()].filter((part) => part !== undefined).join("-")

/** Removes the directories of runs that have ended. Ignores entries of other users and entries that are not directories. */
export const sweep = (parent: string): number => {
  let removed = 0
  for (const name of fs.readdirSync(parent)) {
    const owner = ownerOf(name)
    if (owner === undefined || isRunning(owner)) continue
    const directory = path.join(parent, name)
    try {
      const stat = fs.lstatSync(directory)
      if (!stat.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) continue
      removeRemnants(directory)
      fs.rmSync(directory, { recursive: true, force: true })
      removed++
    } catch {
    }
  }
  return removed
}

/** Whether a path needs no quoting in client settings, which include lists separated by colons or spaces. */
const isPlain = (directory: string): boolean =>
  process.platform === "win32" || /^[\p{L}\p{M}\p{N}/._+@%,=-]+$/u.test(directory)

/**
 * The directory for temporary files, or a fallback if its path is not plain or other users could replace the run directory in it,
 * as in a shared `TMPDIR` without the sticky bit. The child process loads code and trusts certificates from the run directory.
 */
const trustedParent = Effect.gen(function*() {
  for (const parent of [builtins.os.tmpdir(), ...(process.platform === "win32" ? [] : ["/tmp"])]) {
    if (isPlain(parent) && Exit.isSuccess(yield* Effect.exit(SecureFiles.checkPath(parent)))) return parent
  }
  return homeDirectory()
})

/** Removes directories of ended runs, and creates one that is removed with the scope. */
export const make: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.map(trustedParent, (parent) => {
    sweep(parent)
    return fs.mkdtempSync(path.join(parent, `${newName()}-`)) // 0700
  }),
  // Retries because processes that outlive the child process may still write into the directory.
  (directory) =>
    Effect.sync(() => {
      removeMountPoints(directory)
      fs.rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
    })
)
