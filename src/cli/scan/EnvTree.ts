/**
 * Finds the `.env` files of a directory tree that may be hostile.
 *
 * Reads only regular files on the same device, opens each once and follows no links. Files near the root come first,
 * and the search is bounded, however large the tree is.
 */
import * as fs from "node:fs"
import * as path from "node:path"

const maxBytes = 1024 * 1024
const maxEntries = 10_000
const maxDepth = 16
const skippedDirectories = new Set([".git", "node_modules"])

export interface EnvFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  readonly content: string
}

export interface EnvTree {
  readonly files: ReadonlyArray<EnvFile>
  readonly notes: ReadonlyArray<string>
}

const isEnvFileName = (name: string): boolean => name === ".env" || name.startsWith(".env.")

type Read = { readonly content: string } | { readonly obstacle: string }

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? "unknown error"

const readText = (file: string, device: number): Read => {
  let fd: number
  try {
    // A pipe without a writer would block, and a link could lead anywhere.
    fd = fs.openSync(
      file,
      fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOFOLLOW ?? 0)
    )
  } catch (cause) {
    return { obstacle: codeOf(cause) === "ELOOP" ? "is a symbolic link" : `cannot be read (${codeOf(cause)})` }
  }
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isFile()) return { obstacle: "is not a regular file" }
    if (stat.dev !== device) return { obstacle: "is on another device" }
    if (stat.size > maxBytes) return { obstacle: "is larger than 1 MiB" }
    const bytes = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (;;) {
      const read = fs.readSync(fd, bytes, length, bytes.length - length, null)
      length += read
      if (length > maxBytes) return { obstacle: "is larger than 1 MiB" }
      if (read === 0) break
    }
    const content = bytes.subarray(0, length)
    return content.includes(0) ? { obstacle: "is a binary file" } : { content: content.toString("utf8") }
  } catch (cause) {
    return { obstacle: `cannot be read (${codeOf(cause)})` }
  } finally {
    fs.closeSync(fd)
  }
}

export const findEnvFiles = (root: string): EnvTree => {
  const files: Array<EnvFile> = []
  const notes: Array<string> = []
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
        // Not readable by this user, or deleted in the meantime.
        continue
      }
      for (const entry of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
        if (++seen > maxEntries) {
          return {
            files,
            notes: [...notes, `The search stopped after ${maxEntries} entries; run scan in a subdirectory.`]
          }
        }
        const relative = directory === "" ? entry.name : `${directory}/${entry.name}`
        if (entry.isDirectory()) {
          if (!skippedDirectories.has(entry.name)) below.push(relative)
        } else if (isEnvFileName(entry.name)) {
          // Not every system can refuse links when opening a file.
          const read: Read = entry.isSymbolicLink()
            ? { obstacle: "is a symbolic link" }
            : readText(path.join(root, relative), dev)
          if ("content" in read) files.push({ path: relative, content: read.content })
          else notes.push(`${relative} ${read.obstacle}, and was left out.`)
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
