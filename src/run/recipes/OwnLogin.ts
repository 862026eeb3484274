/** The login of a program: its file, and a copy with placeholders in the program's own directories of contained runs. */
import * as fs from "node:fs"
import * as path from "node:path"
import { isWithin, relocated, type Variables } from "../../contain/HiddenPaths.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { readLoginText } from "../../domain/text/LoginText.ts"
import type { LoginPlaces } from "../../domain/wire/OriginalFile.ts"
import { builtins } from "../../platform/builtins.ts"
import { orElse } from "../../platform/files/IfPresent.ts"
import { stringsAt } from "../../platform/JsonPointer.ts"
import { inHome, ownDirectories } from "./OwnDirectories.ts"
import type { Recipe } from "./RecipeFile.ts"

type Login = NonNullable<Recipe["login"]>

/** Returns the file of the program's login with these variables. */
export const loginFile = ({ directory = "", file }: Login, variables: Variables = process.env): string => {
  const moved = variables[directory] || undefined
  return moved === undefined
    ? relocated(inHome(file), builtins.os.homedir(), variables)
    : path.resolve(moved, path.basename(file))
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

export const hasLogin = (file: string, pattern: string): boolean => RegExp(pattern).test(readLogin(file, 0)?.text ?? "")

/** Puts a login with placeholders, as the text of its file, where the program has it in contained runs. */
const putOwnLogin = (
  { members = [], file }: Login,
  own: ReadonlyArray<{ readonly source: string; readonly path: string }>,
  text: string,
  /** The time at which the text was written, in milliseconds. A newer login is kept. */
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

/** The tokens in the text of a login file. */
export const tokensIn = (text: string, { access, copies = [], identity, refresh }: LoginPlaces) =>
  stringsAt(readLoginText(text)?.document, [access, ...copies, refresh, identity])
    .flatMap(([, token]) => token === "" ? [] : [token])

/** Gives contained runs the login that credsvc has taken over, unless the program has logged in there since. */
export const takeOver = (
  login: Login,
  places: LoginPlaces,
  own: Parameters<typeof putOwnLogin>[1]
): void => {
  const { text, writtenAt } = readLogin(loginFile(login), 0) ?? { text: "", writtenAt: 0 }
  const tokens = tokensIn(text, places)
  const isTakenOver = tokens.length > 0 && tokens.every((token) => token.includes(PLACEHOLDER))
  // Another program may be writing there.
  if (isTakenOver) orElse(() => putOwnLogin(login, own, text, writtenAt), undefined)
}

/** Creates the directories of contained runs, and puts a login there. */
export const giveOwnLogin = (recipe: Recipe, credsvcHome: string, text: string): void => {
  if (recipe.login !== undefined) putOwnLogin(recipe.login, ownDirectories(recipe, credsvcHome, () => false).own, text)
}
