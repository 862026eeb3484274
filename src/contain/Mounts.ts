/** The file system of a contained run, as a list of mounts that cover each other. */
import * as path from "node:path"
import { isWithin } from "./HiddenPaths.ts"

export type Mount =
  | { readonly kind: "read-only" | "writable"; readonly target: string; readonly source: string }
  /** An empty directory. A private one is writable, and its content is lost when the run ends. */
  | { readonly kind: "hidden-directory" | "private-directory"; readonly target: string }
  /** A file that reads as empty. */
  | { readonly kind: "hidden-file"; readonly target: string }

const depth = (file: string): number => file === "/" ? 0 : file.split("/").length

/** The mounts, outermost first. Of several mounts with the same target, only the last one. */
export const ordered = (mounts: ReadonlyArray<Mount>): ReadonlyArray<Mount> =>
  [...new Map(mounts.map((mount) => [mount.target, mount])).values()]
    .toSorted((one, other) => depth(one.target) - depth(other.target))

/** The mount that decides what is at a path. `undefined`: the host's file, read-only. */
export const effective = (mounts: ReadonlyArray<Mount>, file: string): Mount | undefined =>
  ordered(mounts).findLast(({ target }) => isWithin(target, file))

export const isEmpty = (mount: Mount | undefined): boolean =>
  mount !== undefined && mount.kind !== "read-only" && mount.kind !== "writable"

/** Whether an ancestor of the path, or the path itself, is an empty directory or file. */
export const isHidden = (mounts: ReadonlyArray<Mount>, file: string): boolean => isEmpty(effective(mounts, file))

/**
 * Makes the writable directories above these files mount points, which cannot be renamed. If the command renamed such a directory,
 * the next run would not hide the file in it.
 */
export const keptAbove = (mounts: ReadonlyArray<Mount>, files: ReadonlyArray<string>): ReadonlyArray<Mount> => {
  const at = new Map(mounts.map((mount) => [mount.target, mount]))
  const isWritable = (directory: string): boolean => {
    const mount = at.get(directory)
    if (mount === undefined) return directory !== "/" && isWritable(path.dirname(directory))
    return mount.kind === "writable" && mount.source === directory
  }
  const above = (file: string): ReadonlyArray<Mount> => {
    const target = path.dirname(file)
    return target !== file && isWritable(target) ? [{ kind: "writable", target, source: target }, ...above(target)] : []
  }
  return files.flatMap(above)
}

const argumentsOf = (mount: Mount, empty: string): ReadonlyArray<string> => {
  switch (mount.kind) {
    case "read-only":
      return ["--ro-bind", mount.source, mount.target]
    case "writable":
      return ["--bind", mount.source, mount.target]
    case "hidden-directory":
      return ["--perms", "0700", "--tmpfs", mount.target]
    case "private-directory":
      return ["--perms", "1777", "--tmpfs", mount.target]
    case "hidden-file":
      return ["--ro-bind", empty, mount.target]
  }
}

/** The arguments of bwrap(1) for the mounts, on a read-only view of the host. `empty`: an empty file. */
export const mountArguments = (mounts: ReadonlyArray<Mount>, empty: string): ReadonlyArray<string> => {
  const sorted = ordered(mounts)
  return [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    ...sorted.flatMap((mount) => argumentsOf(mount, empty)),
    // Last, because the mounts above create their mount points in these directories.
    ...sorted.flatMap(({ kind, target }) => kind === "hidden-directory" ? ["--remount-ro", target] : [])
  ]
}
