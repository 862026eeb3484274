/**
 * The directory of one run: certificates and configuration files for the child process, readable only by its owner. It contains
 * no keys and no credentials. It is removed when the run ends; the next run removes directories of killed runs.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { Paths } from "../config/Paths.ts"
import { removeMountPoints, removeRemnants } from "../contain/MountPoints.ts"
import type { OperationNotAllowedError } from "../domain/Errors.ts"
import { failWith } from "../domain/FailWith.ts"
import { linkOf } from "../platform/files/ReadOrEmpty.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { isRunning, ownIdentity } from "../platform/process/ProcessIdentity.ts"

/** The number of this process's PID namespace, or undefined if the system has none. */
const ownNamespace = (): string | undefined => /\d+/.exec(linkOf("/proc/self/ns/pid"))?.[0]

/**
 * Reads from a directory's name which process it belongs to, because a file could be missing after a kill. Undefined if this process
 * cannot see that process, because it is in another container or sandbox.
 */
const ownerOf = (name: string): string | undefined => {
  const [, owner, namespace] = /^credsvc-run-(\d+-\d*)(?:-(\d+))?-\w+$/.exec(name) ?? []
  return namespace === undefined || namespace === ownNamespace() ? owner : undefined
}

const newName = (): string =>
  ["credsvc-run", ownIdentity(), ownNamespace()].filter((part) => part !== undefined).join("-")

/** Removes the directories of runs that have ended. */
const sweep = (parent: string): void => {
  for (const name of fs.readdirSync(parent)) {
    const owner = ownerOf(name)
    if (owner === undefined || isRunning(owner)) continue
    const directory = path.join(parent, name)
    try {
      removeRemnants(directory)
      fs.rmSync(directory, { recursive: true, force: true })
    } catch {
      // Another run is removing it.
    }
  }
}

/** Whether a path needs no quoting in client settings, which include lists separated by colons or spaces. */
const isPlain = (directory: string): boolean =>
  process.platform === "win32" || /^[\p{L}\p{M}\p{N}/._+@%,=-]+$/u.test(directory)

const refuse = (message: string) => failWith(({ OperationNotAllowedError }) => OperationNotAllowedError.of(message))

/**
 * Removes directories of ended runs, and creates one that is removed with the scope.
 *
 * It is in the home of credsvc, because programs load code and certificates from it, even after the run. Below a directory such as
 * `/tmp`, another user could then create a directory of the same name.
 */
export const make: Effect.Effect<string, OperationNotAllowedError, Scope.Scope | Paths> = Effect.acquireRelease(
  Effect.gen(function*() {
    const { runs } = yield* Paths
    yield* Effect.catch(SecureFiles.ensurePrivateDirectory(runs), ({ message }) => refuse(`${message}.`))
    const parent = fs.realpathSync(runs)
    if (!isPlain(parent)) {
      return yield* refuse(
        `Some programs cannot use ${parent}, the directory for the files of runs, in lists of paths: set CREDSVC_HOME to a directory ` +
          "whose path has only letters, digits and / . _ + @ % , = -"
      )
    }
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
