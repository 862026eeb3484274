/**
 * Detects added, changed and removed files in a directory with a few `stat` calls.
 *
 * A watcher would need a thread, and misses events on network file systems. A timestamp alone does not suffice either, because a
 * change within the same tick of the file system's clock does not alter it. A state is therefore settled only if everything in it
 * is older than such a tick.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { readOr } from "./ReadOrEmpty.ts"

/** Metadata that changes with the content, but proves nothing until it is settled; undefined for a missing file. */
export type Stamp = Pick<fs.Stats, "ino" | "mode" | "size" | "mtimeMs" | "ctimeMs"> | undefined

const tickMillis = 100

/** Reads the metadata. Its timestamps have a resolution of 0.2 µs, far finer than the age of a settled state. */
export const stampOf = (target: string): Stamp => fs.lstatSync(target, { throwIfNoEntry: false })

const isSettled = (stamp: Stamp): boolean => {
  if (stamp === undefined) return true
  const age = Date.now() - Math.max(stamp.ctimeMs, stamp.mtimeMs)
  // A time far in the future was set by hand and does not come from the file system's clock, so it counts as settled.
  return age > tickMillis || age < -10 * tickMillis
}

export const isSameStamp = (one: Stamp, other: Stamp): boolean =>
  one === undefined || other === undefined ? one === other : one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs && one.size === other.size && one.ino === other.ino && one.mode === other.mode

/** Reads the state of a directory and of its entries that `accept` selects by name. */
export const readDirectoryState = (directory: string, accept: (name: string) => boolean) => {
  const stamp = stampOf(directory)
  /** Undefined if the directory exists and cannot be listed. */
  const names = stamp === undefined ? [] : readOr(() => fs.readdirSync(directory), undefined)
  const entries = (names ?? []).filter(accept).toSorted().map((name) => {
    const target = path.join(directory, name)
    const file = stampOf(target)
    return { name, path: target, stamp: file, settled: isSettled(file) }
  })
  const settled = isSettled(stamp) && entries.every((entry) => entry.settled)
  return { directory, stamp, entries, settled, readable: names !== undefined }
}

export type DirectoryState = ReturnType<typeof readDirectoryState>

/** Whether a directory certainly still has a state. */
export const isCurrent = (state: DirectoryState): boolean =>
  state.settled && isSameStamp(stampOf(state.directory), state.stamp) &&
  state.entries.every((entry) => isSameStamp(stampOf(entry.path), entry.stamp))
