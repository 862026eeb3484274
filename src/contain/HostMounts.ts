/** The mounts of this machine, which may show a file at several paths. */
import * as path from "node:path"
import { textOf } from "../platform/files/ReadOrEmpty.ts"
import { isWithin } from "./HiddenPaths.ts"

/** One line of `/proc/self/mountinfo` (proc_pid_mountinfo(5)). */
export interface MountedTree {
  readonly device: string
  /** The mounted directory, as a path in its file system. */
  readonly root: string
  readonly target: string
}

/** Decodes the octal escapes of the kernel, such as `\040`. */
const decodeEscapes = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

export const parseMountInfo = (text: string): ReadonlyArray<MountedTree> =>
  text.split("\n").flatMap((line) => {
    const [, , device = "", root = "", target = ""] = line.split(" ")
    return target === "" ? [] : [{ device, root: decodeEscapes(root), target: decodeEscapes(target) }]
  })

/** A path that shows the same content as a hidden path, or as one below it. */
export interface Alias {
  readonly file: string
  readonly alias: string
}

/** The other paths of a file or directory, and of what is in it, that result from bind mounts. */
export const aliasesOf = (file: string, mounts: ReadonlyArray<MountedTree>): ReadonlyArray<Alias> => {
  const holder = mounts.findLast(({ target }) =>
    isWithin(target, file) &&
    !mounts.some((other) => other.target.length > target.length && isWithin(other.target, file))
  )
  if (holder === undefined) return []
  const inside = path.join(holder.root, path.relative(holder.target, file))
  return mounts
    .filter(({ device }) => device === holder.device)
    .flatMap(({ root, target }): ReadonlyArray<Alias> => {
      if (isWithin(root, inside)) return [{ file, alias: path.join(target, path.relative(root, inside)) }]
      if (isWithin(inside, root)) return [{ file: path.join(file, path.relative(inside, root)), alias: target }]
      return []
    })
    .filter(({ alias }) => !isWithin(file, alias))
}

export const mountedTrees = (): ReadonlyArray<MountedTree> => parseMountInfo(textOf("/proc/self/mountinfo"))
