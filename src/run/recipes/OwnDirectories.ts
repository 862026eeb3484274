/**
 * The directories that a program has in contained runs, in place of the user's. Only the same program, in later contained runs, reads
 * what a command writes there.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import type { ContainRequest } from "../../contain/ContainPlan.ts"
import { candidates, isWithin, relocated, type Variables } from "../../contain/HiddenPaths.ts"
import { builtins } from "../../platform/builtins.ts"
import { readOr, realPathOf } from "../../platform/files/ReadOrEmpty.ts"
import type { Recipe } from "./RecipeFile.ts"

/** A directory of the run, and the place where the program sees it. */
export type OwnDirectory = ContainRequest["own"][number]

type Directory = NonNullable<NonNullable<Recipe["contained"]>["directories"]>[number]

export const inHome = (file: string): string => file.replace(/^~(?=\/|$)/, builtins.os.homedir())

/** Resolves a path that may start with `~`. Follows variables that move a program's directory, such as `XDG_CONFIG_HOME`. */
export const resolvedPath = (file: string, variables: Variables = process.env): string =>
  relocated(inHome(file), builtins.os.homedir(), variables)

export const realPath = (file: string): string => realPathOf(file) ?? file

/** Creates a directory of the run with the user's settings, except for files that contained runs hide. */
const create = (
  directory: string,
  original: string,
  { copy = [], files = {} }: Directory,
  hidden: ReadonlyArray<string>
) => {
  if (fs.existsSync(directory)) return
  fs.mkdirSync(path.dirname(directory), { recursive: true, mode: 0o700 })
  const fresh = fs.mkdtempSync(`${directory}.`)
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(fresh, name)), { recursive: true, mode: 0o700 })
    fs.writeFileSync(path.join(fresh, name), text, { mode: 0o600 })
  }
  // A link may lead into a hidden directory, or to a device that can be read forever.
  const isHidden = (file: string): boolean => hidden.some((each) => isWithin(each, file))
  const isOrdinary = (file: string): boolean => {
    const stat = readOr(() => fs.statSync(file, { throwIfNoEntry: false }), undefined)
    return stat?.isFile() === true || stat?.isDirectory() === true
  }
  const filter = (file: string): boolean => isOrdinary(file) && !isHidden(realPath(file))
  for (const name of copy.filter((name) => fs.existsSync(path.join(original, name)))) {
    fs.cpSync(path.join(original, name), path.join(fresh, name), { recursive: true, dereference: true, filter })
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
  const base = env["XDG_STATE_HOME"] || inHome("~/.local/state")
  const state = path.join(base, "credsvc", "agents", name)
  // The home of root is in the list for other users.
  const hidden = candidates([home], credsvcHome, env).map(realPath).filter((each) => !isWithin(each, realPath(home)))
  const own = directories.flatMap((directory): ReadonlyArray<OwnDirectory> => {
    const target = resolvedPath(directory.path)
    if (isKept(realPath(target))) return []
    const source = path.join(state, directory.path.slice(2))
    // The run would see what a link leads to, and an earlier run may have created the link.
    for (let at = source; at !== base && isWithin(base, at); at = path.dirname(at)) {
      if (fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
        throw new Error(`${source} must not be reached by a symbolic link below ${base}: delete ${at}`)
      }
    }
    create(source, target, directory, hidden)
    return [{ target, source }]
  })
  return { own, state }
}
