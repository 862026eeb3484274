/**
 * The directories that a program has in contained runs, in place of the user's. What a command writes there is read only
 * by the program in later contained runs.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { candidates, relocated } from "../../contain/HiddenPaths.ts"
import { builtins } from "../../platform/builtins.ts"
import { realPathOf } from "../../platform/files/IfPresent.ts"
import type { Recipe } from "./RecipeFile.ts"

type Directory = NonNullable<NonNullable<Recipe["contained"]>["directories"]>[number]

export const inHome = (file: string): string => file.replace(/^~(?=\/|$)/, builtins.os.homedir())

export const realPath = (file: string): string => realPathOf(file) ?? file

/** Creates a directory of the run with the user's settings, except for files that contained runs hide. */
const create = (directory: string, original: string, { copy = [], files = {} }: Directory, hidden: Set<string>) => {
  if (fs.existsSync(directory)) return
  fs.mkdirSync(path.dirname(directory), { recursive: true, mode: 0o700 })
  const fresh = fs.mkdtempSync(`${directory}.`)
  const at = (name: string): string => {
    fs.mkdirSync(path.dirname(path.join(fresh, name)), { recursive: true, mode: 0o700 })
    return path.join(fresh, name)
  }
  for (const name of copy) {
    const source = path.join(original, name)
    if (!fs.existsSync(source)) continue
    const filter = (file: string): boolean => fs.existsSync(file) && !hidden.has(realPath(file))
    fs.cpSync(source, at(name), { recursive: true, dereference: true, filter })
  }
  for (const [name, text] of Object.entries(files)) {
    if (!fs.existsSync(at(name))) fs.writeFileSync(at(name), text, { mode: 0o600 })
  }
  try {
    fs.renameSync(fresh, directory)
  } catch (error) {
    // Another run may have created the directory at the same time.
    fs.rmSync(fresh, { recursive: true })
    if (!fs.existsSync(directory)) throw error
  }
}

/** Creates the directories of the program in contained runs, except for the ones that `isKept` selects. */
export const ownDirectories = (
  { contained: { directories = [] } = {}, name }: Recipe,
  credsvcHome: string,
  isKept: (target: string) => boolean
) => {
  const { env } = process
  const home = builtins.os.homedir()
  const state = path.join(env["XDG_STATE_HOME"] || inHome("~/.local/state"), "credsvc", "agents", name)
  const hidden = new Set(candidates([home], credsvcHome, env).map(realPath))
  const own = directories.flatMap((directory) => {
    const target = relocated(inHome(directory.path), home, env)
    if (isKept(realPath(target))) return []
    const source = path.join(state, directory.path.slice(2))
    create(source, target, directory, hidden)
    return [{ target, source, path: directory.path }]
  })
  return { own, state }
}
