/**
 * Applies a recipe to a run.
 *
 * In a contained run, the program has its own directories in place of the user's: what a command writes there is read only by
 * the program in later contained runs. No recipe makes a path of the user writable or shows a hidden one.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import type { ContainRequest } from "../../contain/ContainPlan.ts"
import { candidates, isWithin, relocated, type Variables } from "../../contain/HiddenPaths.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { readLoginText } from "../../domain/text/LoginText.ts"
import { builtins } from "../../platform/builtins.ts"
import { orElse, realPathOf } from "../../platform/files/IfPresent.ts"
import { pointed, pointersIn } from "../../platform/JsonPointer.ts"
import type { Hook } from "../ChildEnvironment.ts"
import type { Recipe } from "./RecipeFile.ts"

const inHome = (file: string): string => file.replace(/^~(?=\/|$)/, builtins.os.homedir())

const shortened = (file: string): string => {
  const home = builtins.os.homedir()
  return isWithin(home, file) ? `~/${path.relative(home, file)}` : file
}

type Directory = NonNullable<NonNullable<Recipe["contained"]>["directories"]>[number]
type Login = NonNullable<Recipe["login"]>

const realPath = (file: string): string => realPathOf(file) ?? file

/** Creates a directory of the run with the user's settings, except for what contained runs hide. */
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

/** Returns the file of the program's login with these variables. */
export const loginFile = ({ directory = "", file }: Login, variables: Variables = process.env): string => {
  const moved = variables[directory] || undefined
  return moved === undefined
    ? relocated(inHome(file), builtins.os.homedir(), variables)
    : path.resolve(moved, path.basename(file))
}

/** Creates the directories of the program in contained runs, except for the ones that `isKept` selects. */
const ownDirectories = (
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

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants
/** The longest file that is read as a login. */
const MAX_LOGIN_BYTES = 1024 * 1024

/**
 * Calls `use` with a path of a directory below `root`. Contained commands write there, so each step is opened without following a link,
 * and the path leads to the directory that was opened even if directories are renamed meanwhile.
 */
const inOpened = <A>(root: string, steps: ReadonlyArray<string>, use: (directory: string) => A): A => {
  const fd = fs.openSync(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    const opened = process.platform === "linux" ? `/proc/self/fd/${fd}` : root
    const [step, ...rest] = steps
    return step === undefined ? use(opened) : inOpened(`${opened}/${step}`, rest, use)
  } finally {
    fs.closeSync(fd)
  }
}

/** A file that a contained command may have written; undefined for a link, a FIFO and the like, which are replaced. */
const readLogin = (
  file: string,
  noLink = O_NOFOLLOW
): { readonly text: string; readonly writtenAt: number } | undefined =>
  orElse(() => {
    const fd = fs.openSync(file, O_RDONLY | noLink | O_NONBLOCK)
    try {
      const stat = fs.fstatSync(fd)
      if (!stat.isFile() || stat.size > MAX_LOGIN_BYTES) return undefined
      return { text: fs.readFileSync(fd, "utf8"), writtenAt: stat.mtimeMs }
    } finally {
      fs.closeSync(fd)
    }
  }, undefined)

/** Puts a login with placeholders, as the text of its file, where the program has it in contained runs. */
const putOwnLogin = (
  { members = [], file }: Login,
  own: ReadonlyArray<{ readonly source: string; readonly path: string }>,
  text: string,
  /** The time at which the text was written, in milliseconds. A newer login stays. */
  writtenAt = Infinity
): void => {
  const directory = own.find((each) => isWithin(each.path, file))
  if (directory === undefined) return
  const steps = path.relative(directory.path, file).split(path.sep)
  const read = (content: string) => readLoginText(content)?.document ?? {}
  const login = Object.entries(read(text)).filter(([name]) => members.includes(name))
  inOpened(directory.source, steps.slice(0, -1), (opened) => {
    const target = `${opened}/${steps.at(-1)!}`
    const before = readLogin(target)
    if (before !== undefined && before.writtenAt > writtenAt) return
    const fresh = `${target}.${builtins.crypto.randomUUID()}`
    const document = { ...read(before?.text ?? ""), ...Object.fromEntries(login) }
    const fd = fs.openSync(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      fs.writeFileSync(fd, `${JSON.stringify(document, null, 2)}\n`)
    } finally {
      fs.closeSync(fd)
    }
    fs.renameSync(fresh, target)
  })
}

/** Gives contained runs the login that credsvc has taken over, unless the program has logged in there since. */
const takeOver = (
  login: Login,
  { access, copies = [], identity, refresh }: NonNullable<Login["tokens"]>,
  own: Parameters<typeof putOwnLogin>[1]
): void => {
  try {
    const file = loginFile(login)
    const text = fs.readFileSync(file, "utf8")
    const document = readLoginText(text)?.document
    const tokens = [access, ...copies, refresh, identity].flatMap((place) =>
      place === undefined ? [] : pointersIn(document, place).map((pointer) => pointed(document, pointer))
    )
    const isTakenOver = tokens.length > 0 && tokens.every((token) => String(token).includes(PLACEHOLDER))
    if (isTakenOver) putOwnLogin(login, own, text, fs.statSync(file).mtimeMs)
  } catch {
    // No file, or one that another program writes.
  }
}

/** Creates the directories of contained runs, and puts a login there. */
export const giveOwnLogin = (recipe: Recipe, credsvcHome: string, text: string): void => {
  if (recipe.login !== undefined) putOwnLogin(recipe.login, ownDirectories(recipe, credsvcHome, () => false).own, text)
}

export interface AppliedRecipe {
  readonly command: ReadonlyArray<string>
  /** The environment of this process with the variables that the recipe sets. */
  readonly environment: Variables
  readonly own: ContainRequest["own"]
  readonly hooks: ReadonlyArray<Hook>
  readonly hide: ReadonlyArray<string>
  /** The providers that the program logs in to. */
  readonly logins: ReadonlyArray<string>
  /** Removes the variables that would hide the program's own login, and says what the recipe has changed. */
  readonly finish: (
    variables: Readonly<Record<string, string>>,
    /** The path on this machine of what the command sees at a path. Undefined if that is hidden. */
    sourceOf: (file: string) => string | undefined
  ) => { readonly variables: Readonly<Record<string, string>>; readonly notice: string | undefined }
}

/** The recipe for a command, which has the program at the index `at`. */
export const applyRecipe = (
  recipe: Recipe,
  command: ReadonlyArray<string>,
  at: number,
  /** Paths that the user makes writable in a contained run, and that are therefore kept. */
  writable: ReadonlyArray<string> | undefined,
  credsvcHome: string
): AppliedRecipe => {
  const { contained = {}, hooks = [], login, name } = recipe
  const { arguments: added = [], directories = [], hide = [], set = {} } = writable === undefined ? {} : contained
  const { env } = process
  const original = (file: string): string => relocated(inHome(file), builtins.os.homedir(), env)
  const kept = (writable ?? []).map((file) => realPath(path.resolve(inHome(file))))
  const isKept = (directory: string): boolean =>
    writable === undefined || kept.some((file) => isWithin(directory, file) || isWithin(file, directory))
  const { own, state } = ownDirectories(recipe, credsvcHome, isKept)
  if (login?.tokens !== undefined && own.length > 0) takeOver(login, login.tokens, own)
  // They configure the program for directories of its own.
  const values = Object.entries(own.length < directories.length ? {} : set).map(([variable, value]) => [
    variable,
    value.startsWith("~/") ? inHome(value) : value
  ])
  return {
    command: [...command.slice(0, at + 1), ...added, ...command.slice(at + 1)],
    environment: { ...Object.fromEntries(values), ...env },
    own: own.map(({ source, target }) => ({ source, target })),
    hooks,
    hide: hide.map(original),
    logins: [...recipe.logins ?? [], ...login?.tokens === undefined ? [] : [login.tokens.provider]],
    finish: (variables, sourceOf) => {
      const changed: Record<string, string> = { ...variables }
      const did = hooks.map((hook) => `hook ${hook}`)
      const replaced = own.filter(({ source, target }) => sourceOf(target) === source)
      if (replaced.length > 0) {
        const targets = replaced.map(({ target }) => shortened(target)).join(", ")
        did.push(`${targets} ${replaced.length === 1 ? "is" : "are"} in ${shortened(state)}`)
      }
      if (added.length > 0) did.push(`adds ${added.join(" ")}`)
      if (login !== undefined) {
        // The directories of the run replace the one that the variable names.
        if (login.directory !== undefined && replaced.length > 0) delete changed[login.directory]
        const file = sourceOf(loginFile(login, changed))
        const hasFile = file !== undefined && hasLogin(file, login.pattern)
        const byVariable = login.variable ?? ""
        const words = login.arguments ?? []
        const isLogin = words.length > 0 && words.every((word, index) => command[at + 1 + index] === word)
        if (hasFile || isLogin || changed[byVariable] !== undefined) {
          Object.assign(changed, login.set)
          const unset = [...login.unset ?? [], ...hasFile ? [byVariable] : []].filter((name) => name in changed)
          for (const variable of unset) delete changed[variable]
          if (unset.length > 0) did.push(`${unset.join(", ")} unset for its own login`)
        }
      }
      return {
        variables: changed,
        notice: did.length === 0 ? undefined : `Recipe ${name}: ${did.join("; ")}. Without it: --no-recipe`
      }
    }
  }
}

const hasLogin = (file: string, pattern: string): boolean => RegExp(pattern).test(readLogin(file, 0)?.text ?? "")
