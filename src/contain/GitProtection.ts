/**
 * Protects git repositories in writable directories: hooks and configuration name programs that git runs later, outside of the
 * containment.
 *
 * The protected files are mounted read-only. `.git`, and the directories of its submodules and linked worktrees, become mount
 * points, which cannot be renamed or replaced. A directory that could become a repository gets an empty read-only `.git`.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { errorCode } from "../platform/ErrorCode.ts"
import { readOr, realPathOf } from "../platform/files/ReadOrEmpty.ts"
import { isWithin } from "./HiddenPaths.ts"
import type { MountPoint } from "./MountPoints.ts"
import type { Mount } from "./Mounts.ts"

/** The maximum depth of the search for repositories below a writable directory. */
const MAX_DEPTH = 3

/** The content of a created `commondir`, which changes nothing: it names the directory that it is in. */
const SAME_DIRECTORY = ".\n"

/**
 * The state of a file, undefined if there is none. Also undefined for a file in a directory that is closed to this process, and
 * so to the command.
 */
const statOf = (file: string): fs.Stats | undefined => readOr(() => fs.lstatSync(file), undefined)

const textOf = (file: string): string | undefined => {
  const stat = statOf(file)
  return stat?.isFile() === true && stat.size < 8192 ? fs.readFileSync(file, "utf8").replace(/\n$/, "") : undefined
}

/** The entries that git changes in the common directory of a linked worktree. */
const SHARED = new Set(["lfs", "logs", "objects", "packed-refs", "refs", "reftable", "shallow"])

/** A linked worktree (gitrepository-layout(5)), if it and its repository name each other. */
const worktreeOf = (tree: string): { readonly own: string; readonly common: string } | undefined => {
  const named = /^gitdir: (.+)$/.exec(textOf(path.join(tree, ".git")) ?? "")?.[1]
  const own = named === undefined ? undefined : realPathOf(path.resolve(tree, named))
  if (own === undefined || path.basename(path.dirname(own)) !== "worktrees") return undefined
  const common = path.dirname(path.dirname(own))
  const [back, shared] = ["gitdir", "commondir"].map((name) => {
    const text = textOf(path.join(own, name))
    return text === undefined ? undefined : realPathOf(path.resolve(own, text))
  })
  return back === realPathOf(path.join(tree, ".git")) && shared === common && isGitDirectory(common)
    ? { own, common }
    : undefined
}

const entriesOf = (directory: string): ReadonlyArray<fs.Dirent> =>
  readOr(() => fs.readdirSync(directory, { withFileTypes: true }), [])

const isGitDirectory = (directory: string): boolean =>
  ["HEAD", "objects", "refs"].every((name) => fs.existsSync(path.join(directory, name)))

/** Whether the command could create a file in the directory, if necessary after changing its mode. */
const isWritable = (directory: string): boolean => {
  try {
    fs.accessSync(directory, fs.constants.W_OK)
    return true
  } catch (error) {
    return errorCode(error) !== "EROFS" && statOf(directory)?.uid === process.geteuid?.()
  }
}

class Search {
  readonly mounts: Array<Mount> = []
  /** The files and directories that must exist during the run, so that mounts can cover them. */
  readonly mountPoints: Array<MountPoint> = []
  /** Symbolic links in the place of protected files. A mount covers the target of a link, so the link could be replaced. */
  readonly links: Array<string> = []
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  /** Protects one `.git` directory, or the equivalent of a submodule or a bare repository. */
  repository(directory: string): void {
    this.#readOnly(path.join(directory, "config"))
    this.#gitDirectory(directory)
    this.#readOnly(path.join(directory, "hooks"), {})
    const worktrees = path.join(directory, "worktrees")
    for (const worktree of this.#directories(worktrees)) {
      this.#keep(worktree)
      this.#gitDirectory(worktree)
    }
  }

  /**
   * Protects the files that name another directory for configuration and hooks (`commondir`), or further configuration
   * (`config.worktree`). Also protects the submodules of the working tree.
   */
  #gitDirectory(directory: string): void {
    this.#readOnly(path.join(directory, "commondir"), { content: SAME_DIRECTORY })
    this.#readOnly(path.join(directory, "config.worktree"), { content: "" })
    this.#modules(path.join(directory, "modules"))
  }

  /** Protects submodules, in which `git status` of the working tree also runs. Their names may have slashes. */
  #modules(directory: string): void {
    for (const module of this.#directories(directory)) {
      if (!isGitDirectory(module)) this.#modules(module)
      else {
        this.#keep(module)
        this.repository(module)
        const tree = /^\s*worktree\s*=\s*"?([^"\n]+)/m.exec(textOf(path.join(module, "config")) ?? "")?.[1]
        const git = path.resolve(module, tree ?? "", ".git")
        if (isWithin(this.#root, git) && statOf(git) !== undefined) this.tree(path.dirname(git))
      }
    }
  }

  /** Returns the directories in `directory`, and prevents the command from renaming it. */
  #directories(directory: string): ReadonlyArray<string> {
    const stat = statOf(directory)
    if (stat?.isSymbolicLink() === true) this.links.push(directory)
    if (stat?.isDirectory() !== true) return []
    this.#keep(directory)
    const entries = entriesOf(directory)
    this.links.push(...entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => path.join(directory, name)))
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(directory, name))
  }

  /** Makes a directory a writable mount point, which cannot be renamed. */
  #keep(directory: string): void {
    this.mounts.push({ kind: "writable", target: directory, source: directory })
  }

  /** Protects `.git` of a working tree: a directory, or the file of a linked worktree or a submodule. */
  tree(directory: string): void {
    const git = path.join(directory, ".git")
    const stat = statOf(git)
    if (stat?.isDirectory() !== true) return this.#readOnly(git)
    if (!isGitDirectory(git)) return this.empty(git)
    this.#keep(git)
    this.repository(git)
  }

  /** Allows git to commit in a linked worktree: makes writable what git changes in the common directory, and nothing else there. */
  linked(tree: string, isOpen: (directory: string) => boolean): void {
    const worktree = worktreeOf(tree)
    if (worktree === undefined || !isOpen(worktree.common)) return
    const { common, own } = worktree
    const entries = [...entriesOf(common), ...entriesOf(own)]
    // A link could be replaced.
    if (entries.some((entry) => entry.isSymbolicLink())) return
    this.#keep(common)
    for (const entry of entriesOf(common)) {
      const file = path.join(common, entry.name)
      if (!SHARED.has(entry.name)) this.#readOnly(file)
      // git replaces files with new ones, so files cannot be mount points.
      else if (entry.isDirectory()) this.#keep(file)
    }
    for (const name of ["hooks", "info", "modules", "worktrees"]) this.#readOnly(path.join(common, name), {})
    this.#gitDirectory(common)
    this.#keep(own)
    this.#gitDirectory(own)
    this.#readOnly(path.join(own, "gitdir"))
  }

  /** Prevents a directory from becoming a repository: covers its missing `.git`. */
  empty(git: string): void {
    this.mountPoints.push({ path: git })
    this.mounts.push({ kind: "hidden-directory", target: git })
  }

  nested(directory: string, depth: number): void {
    for (const entry of entriesOf(directory)) {
      if (!entry.isDirectory() || entry.name === ".git" || entry.name === "node_modules") continue
      const below = path.join(directory, entry.name)
      if (statOf(path.join(below, ".git")) !== undefined) this.tree(below)
      if (depth < MAX_DEPTH) this.nested(below, depth + 1)
    }
  }

  /** Mounts a file read-only. `missing`: how to create it if it does not exist. */
  #readOnly(file: string, missing?: Omit<MountPoint, "path">): void {
    const stat = statOf(file)
    if (stat?.isSymbolicLink() === true) return void this.links.push(file)
    if (stat === undefined && (missing === undefined || !isWritable(path.dirname(file)))) return
    if (missing !== undefined) this.mountPoints.push({ ...missing, path: file })
    this.mounts.push({ kind: "read-only", target: file, source: file })
  }
}

/**
 * The mounts that protect the repositories in a writable directory. `isOpen`: whether git may change what a commit in a linked
 * worktree needs in its repository, which is in another place.
 */
export const gitProtection = (directory: string, isOpen: (common: string) => boolean) => {
  const search = new Search(directory)
  if (isGitDirectory(directory)) search.repository(directory)
  const git = path.join(directory, ".git")
  if (statOf(git) !== undefined) {
    search.tree(directory)
    search.linked(directory, isOpen)
  } else if (path.basename(directory) !== ".git") search.empty(git)
  search.nested(directory, 1)
  const { links, mountPoints, mounts } = search
  return { mounts, mountPoints, links }
}
