/** Cleans up after contained runs that were killed. */
import * as fs from "node:fs"
import * as path from "node:path"

/** The list in the directory of a run, so that the next run can remove them if this one is killed. */
const LIST = "mount-points.json"

const listOf = (runDirectory: string): ReadonlyArray<string> => {
  try {
    return JSON.parse(fs.readFileSync(path.join(runDirectory, LIST), "utf8")) as ReadonlyArray<string>
  } catch {
    // There is no list.
    return []
  }
}

/** The mount points of other runs. Removing one would uncover the path that it hides from those runs. */
const usedByOthers = (runDirectory: string): ReadonlySet<string> => {
  const parent = path.dirname(runDirectory)
  const others = fs.readdirSync(parent).filter((name) => path.join(parent, name) !== runDirectory)
  return new Set(others.flatMap((name) => name.startsWith("credsvc-run-") ? listOf(path.join(parent, name)) : []))
}

/** Creates empty directories as mount points, where there is nothing at a path that must be covered. */
export const createMountPoints = (directories: ReadonlyArray<string>, runDirectory: string): void => {
  if (directories.length === 0) return
  const used = usedByOthers(runDirectory)
  const created = directories.filter((directory) => used.has(directory) || !fs.existsSync(directory))
  fs.writeFileSync(path.join(runDirectory, LIST), JSON.stringify(created), { mode: 0o600 })
  for (const directory of created) fs.mkdirSync(directory, { recursive: true })
}

/** Removes the mount points that the run of a directory has created, as far as they are empty and no other run uses them. */
export const removeMountPoints = (runDirectory: string): void => {
  const created = listOf(runDirectory)
  if (created.length === 0) return
  const used = usedByOthers(runDirectory)
  for (const directory of created) {
    if (used.has(directory)) continue
    try {
      fs.rmdirSync(directory)
    } catch {
      // Something else uses it, or it is gone.
    }
  }
  fs.rmSync(path.join(runDirectory, LIST), { force: true })
}

/**
 * Kills the remaining processes of a run's namespaces after the run was killed. bwrap waits forever if its parent
 * process is killed at the moment when it sets up a user namespace.
 */
const endNamespaces = (runDirectory: string): void => {
  for (const pid of fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue
    try {
      const [program = "", ...args] = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
      const isRun = args.some((argument) => argument.startsWith(runDirectory + path.sep))
      if (path.basename(program) === "bwrap" && isRun) process.kill(Number(pid), "SIGKILL")
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}

/** Removes what a killed run has left outside of its directory. */
export const removeRemnants = (runDirectory: string): void => {
  if (process.platform !== "linux") return
  endNamespaces(runDirectory)
  removeMountPoints(runDirectory)
}
