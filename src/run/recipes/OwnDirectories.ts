/**
 * The directories that a program has in contained runs, in place of the user's, and its login there. Only the same program, in later
 * contained runs, reads what a command writes there.
 */
import * as Result from "effect/Result"
import * as fs from "node:fs"
import * as path from "node:path"
import type { ContainRequest } from "../../contain/ContainPlan.ts"
import { candidates, isWithin, relocated, type Variables } from "../../contain/HiddenPaths.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { readLoginText } from "../../domain/text/LoginText.ts"
import type { LoginPlaces } from "../../domain/wire/OriginalFile.ts"
import { builtins } from "../../platform/builtins.ts"
import { readRegular } from "../../platform/files/BoundedRead.ts"
import { orElse, realPathOf } from "../../platform/files/ReadOrEmpty.ts"
import { stringsAt } from "../../platform/JsonPointer.ts"
import type { Recipe } from "./RecipeFile.ts"

/** A directory of the run, and the place where the program sees it. */
export type OwnDirectory = ContainRequest["own"][number]

type Directory = NonNullable<NonNullable<Recipe["contained"]>["directories"]>[number]

export const inHome = (file: string): string => file.replace(/^~(?=\/|$)/, builtins.os.homedir())

/** Resolves a path that may start with `~`. Follows variables that move a program's directory, such as `XDG_CONFIG_HOME`. */
export const placeOf = (file: string, variables: Variables = process.env): string =>
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
    const stat = orElse(() => fs.statSync(file, { throwIfNoEntry: false }), undefined)
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
    const target = placeOf(directory.path)
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

type Login = NonNullable<Recipe["login"]>

/** Returns the file of the program's login with these variables. */
export const loginFile = ({ directory = "", file }: Login, variables: Variables = process.env): string => {
  const moved = variables[directory] || undefined
  return moved === undefined ? placeOf(file, variables) : path.resolve(moved, path.basename(file))
}

/** The longest file that is read as a login. */
const MAX_LOGIN_BYTES = 1024 * 1024

/** The text of a regular file. With `device`, the file must be on it and not be a link: a contained command may have written it. */
const textOf = (file: string, device?: number): string | undefined =>
  Result.getOrUndefined(readRegular(file, MAX_LOGIN_BYTES, device))?.toString()

export const hasLogin = (file: string, { real, tokens }: Login): boolean =>
  tokensIn(textOf(file) ?? "", tokens).some((token) => real === true || token.includes(PLACEHOLDER))

/**
 * Writes a login file with placeholders at the top of a private directory of contained runs, because contained commands could replace
 * a subdirectory with a link.
 */
export const putOwnLogin = (
  { file: place, members = [] }: Login,
  own: ReadonlyArray<OwnDirectory>,
  text: string,
  /** The time at which the text was written, in milliseconds. A newer login is kept. */
  writtenAt = Infinity
): void => {
  const file = placeOf(place)
  const directory = own.find(({ target }) => target === path.dirname(file))
  if (directory === undefined) return
  const target = path.join(directory.source, path.basename(file))
  const read = (content: string) => Object.entries(readLoginText(content) ?? {})
  // A link, a FIFO and the like are replaced.
  const before = textOf(target, fs.statSync(directory.source).dev)
  if (before !== undefined && fs.lstatSync(target).mtimeMs > writtenAt) return
  const fresh = `${target}.${builtins.crypto.randomUUID()}`
  const entries = [...read(before ?? ""), ...read(text).filter(([name]) => members.includes(name))]
  fs.writeFileSync(fresh, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`, { flag: "wx", mode: 0o600 })
  fs.renameSync(fresh, target)
}

/** The tokens in the text of a login file. */
export const tokensIn = (text: string, { access, identity, refresh }: LoginPlaces) =>
  stringsAt(readLoginText(text), [...access, refresh, identity])
    .flatMap(([, token]) => token === "" ? [] : [token])

/** Gives contained runs the login that credsvc has taken over, unless the program has a later login there. */
export const takeOver = (login: Login, own: ReadonlyArray<OwnDirectory>): void => {
  const file = loginFile(login)
  const text = textOf(file) ?? ""
  const tokens = tokensIn(text, login.tokens)
  const isTakenOver = tokens.length > 0 && tokens.every((token) => token.includes(PLACEHOLDER))
  // A failure is ignored: another program may be changing these files.
  if (isTakenOver) orElse(() => putOwnLogin(login, own, text, fs.statSync(file).mtimeMs), undefined)
}
