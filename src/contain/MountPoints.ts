/** Creates and removes the mount points of contained runs, and cleans up after runs that were killed. */
import * as fs from "node:fs"
import * as path from "node:path"
import { readOr, realPathOf } from "../platform/files/ReadOrEmpty.ts"

/** The list of mount points in the directory of a run, so that the next run can remove them if this one is killed. */
const LIST = "mount-points.json"

/** An empty directory, or a file with `content`, that exists during a run so that a mount can cover it. */
export interface MountPoint {
  readonly path: string
  readonly content?: string
}

/** A mount point that a run created. `parent` is the real path of its directory, which the command may have replaced with a link. */
interface Created extends MountPoint {
  readonly parent?: string | undefined
}

const parentOf = ({ path: file }: MountPoint): string | undefined => realPathOf(path.dirname(file))

/** The mount points in the list of a run, which may be missing or, after a kill, incomplete. */
const listOf = (runDirectory: string): ReadonlyArray<Created> =>
  readOr(() => JSON.parse(fs.readFileSync(path.join(runDirectory, LIST), "utf8")) as ReadonlyArray<Created>, [])

/** The mount points of other runs. Removing one would uncover the path that it hides from those runs. */
const usedByOthers = (runDirectory: string): ReadonlySet<string> => {
  const parent = path.dirname(runDirectory)
  const others = fs.readdirSync(parent)
    .filter((name) => name.startsWith("credsvc-run-") && path.join(parent, name) !== runDirectory)
  return new Set(others.flatMap((name) => listOf(path.join(parent, name)).map((point) => point.path)))
}

const create = (point: MountPoint): void => {
  if (point.content === undefined) fs.mkdirSync(point.path, { recursive: true })
  // Another run may have created it.
  else if (!fs.existsSync(point.path)) fs.writeFileSync(point.path, point.content, { flag: "wx" })
}

const remove = (point: MountPoint): void => {
  if (point.content === undefined) fs.rmdirSync(point.path)
  else if (fs.lstatSync(point.path).isFile() && fs.readFileSync(point.path, "utf8") === point.content) {
    fs.unlinkSync(point.path)
  }
}

/** Creates a mount point at each path that must be covered and does not exist. */
export const createMountPoints = (points: ReadonlyArray<MountPoint>, runDirectory: string): void => {
  if (points.length === 0) return
  const used = usedByOthers(runDirectory)
  const created = points.flatMap((point): ReadonlyArray<Created> =>
    used.has(point.path) || !fs.existsSync(point.path) ? [{ ...point, parent: parentOf(point) }] : []
  )
  fs.writeFileSync(path.join(runDirectory, LIST), JSON.stringify(created), { mode: 0o600 })
  for (const point of created) create(point)
}

/** Removes the mount points that a run has created, as far as they are unchanged and no other run uses them. */
export const removeMountPoints = (runDirectory: string): void => {
  const created = listOf(runDirectory)
  if (created.length === 0) return
  const used = usedByOthers(runDirectory)
  for (const point of created) {
    if (used.has(point.path) || (point.parent !== undefined && point.parent !== parentOf(point))) continue
    try {
      remove(point)
    } catch {
      // Another program uses it, or it no longer exists.
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
      // The process has ended, or belongs to another user.
    }
  }
}

/** Removes what a killed run has left outside of its directory. */
export const removeRemnants = (runDirectory: string): void => {
  if (process.platform !== "linux") return
  endNamespaces(runDirectory)
  removeMountPoints(runDirectory)
}
