/**
 * Wrappers of runtimes, first in PATH. Agents and SDKs clean the environment of MCP servers on stdio, which then inherit only PATH
 * from a run. The wrappers restore the other settings of the run.
 *
 * A wrapper must work after the run as well, because build systems store the paths of programs. So it is not in the directory of the
 * run.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { isExecutable } from "../platform/files/FindProgram.ts"
import { requireAsset } from "../platform/files/PackageFiles.ts"
import { shellQuoted } from "../platform/ShellQuote.ts"

const RUNTIMES = ["bun", "bunx", "deno", "node", "pipx", "python", "python3", "uv", "uvx"]

const SETTINGS = "settings"

/** The place of the wrappers in the home directory. */
export const WRAPPERS = path.join(".local", "share", "credsvc")

/** The script that Node preloads, in the directory of the run. */
export const PRELOAD_FILE = "credsvc-preload.cjs"

/**
 * The directory with wrappers of these programs. Each set of programs has its own directory, so that a missing program
 * does not seem to exist.
 */
const directoryOf = (home: string, names: ReadonlyArray<string>): string => {
  const script = requireAsset("runtime-wrapper.sh", import.meta.url)
  const directory = path.join(home, WRAPPERS, "bin", names.join("-"))
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const name of names) {
    const file = path.join(directory, name)
    if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === script) continue
    fs.writeFileSync(`${file}.${process.pid}`, script, { mode: 0o700 })
    fs.renameSync(`${file}.${process.pid}`, file)
  }
  return directory
}

/** Writes the wrappers and their settings, which have no credential, and returns PATH with them. */
export const withWrappers = (
  runDirectory: string,
  { HOME: home = "", PATH: searched = "" }: Readonly<Record<string, string | undefined>>,
  settings: ReadonlyArray<readonly [name: string, value: string]>
): string => {
  const directories = searched.split(path.delimiter).filter((directory) => directory !== "")
  const found = RUNTIMES.filter((name) => directories.some((directory) => isExecutable(path.join(directory, name))))
  if (found.length === 0 || home === "") return searched
  fs.mkdirSync(path.join(runDirectory, SETTINGS), { recursive: true, mode: 0o700 })
  const lines = settings.filter(([name]) => /^[A-Za-z_]\w*$/.test(name)).map(([name, value]) =>
    `[ "\${${name}+set}" ] || export ${name}=${shellQuoted(value)}\n`
  )
  // Scripts of packages replace NODE_OPTIONS, often to give Node more memory.
  const preload = path.join(runDirectory, PRELOAD_FILE)
  lines.push(
    `case $NODE_OPTIONS in *${PRELOAD_FILE}*) ;; *) NODE_OPTIONS="$NODE_OPTIONS --require=${preload}" ;; esac\n`
  )
  fs.writeFileSync(path.join(runDirectory, SETTINGS, "environment.sh"), lines.join(""), { mode: 0o600 })
  return [directoryOf(home, found), path.join(runDirectory, SETTINGS), searched].join(path.delimiter)
}
