/** The file with a program's login: the user's, and the one with placeholders in the directories of contained runs. */
import * as Result from "effect/Result"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Variables } from "../../contain/HiddenPaths.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { readLoginText } from "../../domain/text/LoginText.ts"
import type { LoginPlaces } from "../../domain/wire/OriginalFile.ts"
import { builtins } from "../../platform/builtins.ts"
import { readRegular } from "../../platform/files/BoundedRead.ts"
import { readOr } from "../../platform/files/ReadOrEmpty.ts"
import { stringsAt } from "../../platform/JsonPointer.ts"
import { type OwnDirectory, resolvedPath } from "./OwnDirectories.ts"
import type { Recipe } from "./RecipeFile.ts"

type Login = NonNullable<Recipe["login"]>

/** Returns the file of the program's login with these variables. */
export const loginFile = ({ directory = "", file }: Login, variables: Variables = process.env): string => {
  const moved = variables[directory] || undefined
  return moved === undefined ? resolvedPath(file, variables) : path.resolve(moved, path.basename(file))
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
  const file = resolvedPath(place)
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
  if (isTakenOver) readOr(() => putOwnLogin(login, own, text, fs.statSync(file).mtimeMs), undefined)
}
