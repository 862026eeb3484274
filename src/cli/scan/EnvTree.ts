/**
 * Finds files that may contain keys in a directory tree, which may be hostile.
 *
 * Reads only regular files on the same device, opens each once and follows no links. Files near the root come first,
 * and the search is bounded, however large the tree is.
 */
import * as Result from "effect/Result"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Obstacle, readRegular } from "../../platform/files/BoundedRead.ts"
import { readerOf } from "./FileFormats.ts"

const maxBytes = 1024 * 1024
const maxEntries = 10_000
const maxDepth = 16
const skippedDirectories = new Set([".git", "node_modules"])

/** Reads a file that is not a link. Checks the directory entry, because not every system can refuse to open links. */
const readText = (file: string, entry: fs.Dirent, device: number): Result.Result<string, Obstacle> =>
  entry.isSymbolicLink()
    ? Result.fail("is a symbolic link")
    : Result.flatMap(
      readRegular(file, maxBytes, device),
      (content) => content.includes(0) ? Result.fail("is a binary file") : Result.succeed(content.toString("utf8"))
    )

/** The files below a directory, by their paths relative to it with forward slashes, and notes about what was left out. */
export const findEnvFiles = (root: string) => {
  const files: Array<{ readonly path: string; readonly content: string }> = []
  const notes: Array<string> = []
  // Whether a name has control characters. Notes quote no such name: text after a line break could look like a message.
  let hasStrange = false
  const { dev } = fs.statSync(root)
  let level = [""]
  let seen = 0
  for (let depth = 0; level.length > 0; depth++) {
    const below: Array<string> = []
    for (const directory of level) {
      let entries: ReadonlyArray<fs.Dirent>
      try {
        if (fs.lstatSync(path.join(root, directory)).dev !== dev) continue
        entries = fs.readdirSync(path.join(root, directory), { withFileTypes: true })
      } catch {
        // The directory may be unreadable for this user, or deleted by now.
        continue
      }
      for (const entry of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
        if (++seen > maxEntries) {
          notes.push(`The search stopped after ${maxEntries} entries; run scan in a subdirectory.`)
          return { files, notes }
        }
        const relative = directory === "" ? entry.name : `${directory}/${entry.name}`
        if (!entry.isDirectory() && readerOf(relative) === undefined) continue
        if (/\p{Cc}/u.test(entry.name)) {
          if (!hasStrange) notes.push("Files and directories with control characters in their names were left out.")
          hasStrange = true
        } else if (entry.isDirectory()) {
          if (!skippedDirectories.has(entry.name)) below.push(relative)
        } else {
          Result.match(readText(path.join(root, relative), entry, dev), {
            onSuccess: (content) => files.push({ path: relative, content }),
            onFailure: (obstacle) => notes.push(`${relative} ${obstacle}, and was left out.`)
          })
        }
      }
    }
    if (depth === maxDepth && below.length > 0) {
      notes.push(`Directories deeper than ${maxDepth} levels were left out.`)
      break
    }
    level = below
  }
  return { files, notes }
}
