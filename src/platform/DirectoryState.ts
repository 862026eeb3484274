/**
 * Noticing that files in a directory were added, changed or removed, at the price of a few `stat` calls.
 *
 * A watcher would cost a thread and loses events on network file systems. A time stamp alone is not enough either: a
 * change within the same tick of the file system's clock leaves it as it was. So a state counts as settled only when
 * everything in it is older than that tick can be.
 */
import * as fs from "node:fs"
import * as path from "node:path"

export interface DirectoryEntry {
  readonly name: string
  readonly path: string
  /** Changes with the content; equal stamps prove nothing while the state is not settled. */
  readonly stamp: string
  readonly settled: boolean
}

export interface DirectoryState {
  readonly directory: string
  readonly stamp: string
  readonly entries: ReadonlyArray<DirectoryEntry>
  readonly settled: boolean
  /** False when it is there and cannot be listed; it counts as empty then. */
  readonly readable: boolean
}

const tickMillis = 100

interface Stamp {
  readonly text: string
  readonly settled: boolean
}

const absent: Stamp = { text: "absent", settled: true }

const stampOf = (target: string): Stamp => {
  // Numbers hold a fifth of a microsecond, which is far below what a settled state can be apart from the next one.
  const stat = fs.lstatSync(target, { throwIfNoEntry: false })
  if (stat === undefined) return absent
  const { ctimeMs, ino, mode, mtimeMs, size } = stat
  const age = Date.now() - Math.max(ctimeMs, mtimeMs)
  return {
    text: `${ino}:${mode}:${size}:${mtimeMs}:${ctimeMs}`,
    // A time far in the future was set by hand and says nothing about the clock.
    settled: age > tickMillis || age < -10 * tickMillis
  }
}

/** Reads the state. `accept` chooses file names. */
export const readDirectoryState = (directory: string, accept: (name: string) => boolean): DirectoryState => {
  const stamp = stampOf(directory)
  let names: ReadonlyArray<string> = []
  let readable = true
  try {
    names = stamp === absent ? [] : fs.readdirSync(directory).filter(accept).toSorted()
  } catch {
    readable = false
  }
  const entries = names.map((name): DirectoryEntry => {
    const target = path.join(directory, name)
    const file = stampOf(target)
    return { name, path: target, stamp: file.text, settled: file.settled }
  })
  const settled = stamp.settled && entries.every((entry) => entry.settled)
  return { directory, stamp: stamp.text, entries, settled, readable }
}

/** Whether nothing has happened since the state was read. */
export const isCurrent = (state: DirectoryState): boolean =>
  state.settled && stampOf(state.directory).text === state.stamp &&
  state.entries.every((entry) => stampOf(entry.path).text === entry.stamp)
