/** Tells which files the command of a contained run could reach. */
import * as fs from "node:fs"
import * as path from "node:path"
import { builtins } from "../platform/builtins.ts"
import { type NamespaceTools, withoutCapabilities } from "./BwrapCommand.ts"

/** The shell script that prints which of the directories in its arguments it may search. */
const SEARCHABLE = "for name; do if [ -e \"$name/.\" ]; then printf '%s\\0' \"$name\"; fi; done"

/** The directories above a file, the outermost first. */
const above = (file: string): ReadonlyArray<string> => {
  const directory = path.dirname(file)
  return directory === file ? [] : [...above(directory), directory]
}

/** Whether the directory belongs to a user other than root, and is closed to others. */
const mayBeClosed = (directory: string): boolean => {
  const stat = fs.statSync(directory, { throwIfNoEntry: false })
  // The command could change the mode of a directory of its own user.
  return stat !== undefined && stat.uid !== 0 && (stat.mode & 0o001) === 0
}

/**
 * Selects the files that the command could reach.
 *
 * If this process is root, it reaches more than the command, which has no capabilities: directories of other users may be closed
 * to the command. bwrap cannot mount over files in such directories, so without this selection, any user could make the runs of
 * root fail.
 */
export const reachable = (tools: NamespaceTools, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (process.geteuid?.() !== 0) return files
  const directories = [...new Set(files.flatMap(above))].filter(mayBeClosed)
  if (directories.length === 0) return files
  const [program = "", ...args] = withoutCapabilities(tools)
  const { status, stdout } = builtins.childProcess.spawnSync(
    program,
    [...args, "/bin/sh", "-c", SEARCHABLE, "sh", ...directories],
    { encoding: "utf8", env: { PATH: "/usr/bin:/bin" }, stdio: ["ignore", "pipe", "ignore"], timeout: 10_000 }
  )
  // If the check fails, selects all files, so bwrap fails if one of them is in a closed directory.
  if (status !== 0) return files
  const searchable = new Set(stdout.split("\0"))
  const closed = new Set(directories.filter((directory) => !searchable.has(directory)))
  return files.filter((file) => !above(file).some((directory) => closed.has(directory)))
}
