/**
 * Protects git repositories in writable directories: hooks and configuration name programs that git runs later, outside of the
 * containment.
 *
 * The protected files are mounted read-only. `.git` becomes a mount point, which cannot be renamed or replaced. A directory that
 * could become a repository gets an empty read-only `.git`.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import type { Mount } from "./Mounts.ts"

/** How deep repositories are looked for below a writable directory. */
const MAX_DEPTH = 3
/** Limits the time that the search takes in large trees. */
const MAX_DIRECTORIES = 2000
const SKIPPED = new Set(["node_modules", "target", "vendor", ".venv", "__pycache__"])

export interface GitProtection {
  readonly mounts: ReadonlyArray<Mount>
  /** Directories that must exist as mount points, and be removed after the run if it has created them. */
  readonly mountPoints: ReadonlyArray<string>
}

const statOf = (file: string): fs.Stats | undefined => fs.lstatSync(file, { throwIfNoEntry: false })

const entriesOf = (directory: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}

const isGitDirectory = (directory: string): boolean =>
  ["HEAD", "objects", "refs"].every((name) => fs.existsSync(path.join(directory, name)))

class Search {
  readonly mounts: Array<Mount> = []
  readonly mountPoints: Array<string> = []
  #budget = MAX_DIRECTORIES

  /** Protects one `.git` directory, or the equivalent of a submodule or a bare repository. */
  repository(directory: string): void {
    for (const name of ["config", "config.worktree"]) this.#readOnly(path.join(directory, name))
    const hooks = path.join(directory, "hooks")
    this.mountPoints.push(hooks)
    this.#readOnly(hooks, true)
    for (const entry of entriesOf(path.join(directory, "worktrees"))) {
      const { name } = entry
      if (entry.isDirectory()) this.#readOnly(path.join(directory, "worktrees", name, "config.worktree"))
    }
    this.#modules(path.join(directory, "modules"))
  }

  /** Submodules may have names with slashes. */
  #modules(directory: string): void {
    for (const entry of entriesOf(directory)) {
      if (!entry.isDirectory() || --this.#budget < 0) continue
      const module = path.join(directory, entry.name)
      if (isGitDirectory(module)) this.repository(module)
      else this.#modules(module)
    }
  }

  /** Protects `.git` of a working tree: a directory, or the file of a linked worktree or a submodule. */
  tree(directory: string): void {
    const git = path.join(directory, ".git")
    const stat = statOf(git)
    if (stat?.isDirectory() !== true) return this.#readOnly(git)
    if (!isGitDirectory(git)) return this.empty(git)
    this.mounts.push({ kind: "writable", target: git, source: git })
    this.repository(git)
  }

  /** Prevents a directory from becoming a repository: covers its missing `.git`. */
  empty(git: string): void {
    this.mountPoints.push(git)
    this.mounts.push({ kind: "hidden-directory", target: git })
  }

  nested(directory: string, depth: number): void {
    if (--this.#budget < 0) return
    for (const entry of entriesOf(directory)) {
      if (!entry.isDirectory() || entry.name === ".git" || SKIPPED.has(entry.name)) continue
      const below = path.join(directory, entry.name)
      if (statOf(path.join(below, ".git")) !== undefined) this.tree(below)
      if (depth < MAX_DEPTH) this.nested(below, depth + 1)
    }
  }

  #readOnly(file: string, planned = false): void {
    const stat = statOf(file)
    if (stat === undefined && !planned) return
    // A mount would cover the target of a link, and the link itself could be replaced.
    if (stat?.isSymbolicLink() === true) return
    this.mounts.push({ kind: "read-only", target: file, source: file })
  }
}

/** The mounts that protect repositories in `directory`, which is writable. */
export const gitProtection = (directory: string): GitProtection => {
  const search = new Search()
  if (isGitDirectory(directory)) search.repository(directory)
  const git = path.join(directory, ".git")
  if (statOf(git) !== undefined) search.tree(directory)
  else if (path.basename(directory) !== ".git") search.empty(git)
  search.nested(directory, 1)
  return { mounts: search.mounts, mountPoints: search.mountPoints }
}
