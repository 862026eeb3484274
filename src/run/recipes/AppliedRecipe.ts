/** Applies a recipe to a run. No recipe makes a path of the user writable or shows a hidden one. */
import * as path from "node:path"
import { isWithin } from "../../contain/HiddenPaths.ts"
import { builtins } from "../../platform/builtins.ts"
import { inHome, ownDirectories, realPath, resolvedPath } from "./OwnDirectories.ts"
import { hasLogin, loginFile, takeOver } from "./ProgramLoginFile.ts"
import type { Recipe } from "./RecipeFile.ts"

const shortPath = (file: string): string => {
  const home = builtins.os.homedir()
  return isWithin(home, file) ? `~/${path.relative(home, file)}` : file
}

/** The path on this machine of the file that the command sees at a path, or undefined if that is hidden. */
type SourceOf = (file: string) => string | undefined

/** Removes the variables that would hide the program's own login, if it has one or logs in now. `words`: its arguments. */
const withOwnLogin = (
  login: NonNullable<Recipe["login"]>,
  words: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>>,
  sourceOf: SourceOf
) => {
  const changed: Record<string, string> = { ...variables }
  const file = sourceOf(loginFile(login, changed))
  const hasFile = file !== undefined && hasLogin(file, login)
  const byVariable = login.variable ?? ""
  const first = login.arguments ?? []
  const isLogin = first.length > 0 && first.every((word, index) => words[index] === word)
  if (!hasFile && !isLogin && changed[byVariable] === undefined) return { variables: changed, unset: [] }
  Object.assign(changed, login.set)
  const unset = [...login.unset ?? [], ...hasFile ? [byVariable] : []].filter((name) => name in changed)
  for (const variable of unset) delete changed[variable]
  return { variables: changed, unset }
}

/** Applies a recipe to a command. */
export const applyRecipe = ({ at, command, credsvcHome, recipe, writable }: {
  readonly recipe: Recipe
  readonly command: ReadonlyArray<string>
  /** The index of the program in the command. */
  readonly at: number
  /** The paths that the user makes writable in a contained run, where the run uses the user's directories; undefined in other runs. */
  readonly writable: ReadonlyArray<string> | undefined
  readonly credsvcHome: string
}) => {
  const { contained = {}, hooks = [], login, name } = recipe
  const { arguments: added = [], directories = [], hide = [], set = {} } = writable === undefined ? {} : contained
  const kept = (writable ?? []).map((file) => realPath(path.resolve(inHome(file))))
  const isKept = (directory: string): boolean =>
    writable === undefined || kept.some((file) => isWithin(directory, file) || isWithin(file, directory))
  const { own, state } = ownDirectories(recipe, credsvcHome, isKept)
  if (login !== undefined && own.length > 0) takeOver(login, own)
  // The variables name the program's private directories, so they are set only if all of these exist.
  const values = Object.entries(own.length < directories.length ? {} : set)
    .map(([variable, value]) => [variable, inHome(value)])
  return {
    command: [...command.slice(0, at + 1), ...added, ...command.slice(at + 1)],
    /** The environment of this process with the variables that the recipe sets. */
    environment: { ...Object.fromEntries(values), ...process.env },
    own,
    hooks,
    hide: hide.map((file) => resolvedPath(file)),
    /** The providers that the program logs in to. */
    logins: [...recipe.logins ?? [], ...login === undefined ? [] : [login.tokens.provider]],
    /** Removes the variables that would hide the program's own login, and says what the recipe has changed. */
    finish: (variables: Readonly<Record<string, string>>, sourceOf: SourceOf) => {
      const replaced = own.filter(({ source, target }) => sourceOf(target) === source)
      const targets = replaced.map(({ target }) => shortPath(target)).join(", ")
      // The directories of the run replace the one that the variable names.
      const { [login?.directory ?? ""]: _, ...others } = variables
      const usable = replaced.length > 0 ? others : variables
      const changed = login === undefined
        ? { variables, unset: [] }
        : withOwnLogin(login, command.slice(at + 1), usable, sourceOf)
      const did = [
        ...hooks.map((hook) => `hook ${hook}`),
        ...replaced.length > 0 ? [`${targets} ${replaced.length === 1 ? "is" : "are"} in ${shortPath(state)}`] : [],
        ...added.length > 0 ? [`adds ${added.join(" ")}`] : [],
        ...changed.unset.length > 0
          ? [`unsets ${changed.unset.join(", ")} so that the program uses its own login`]
          : []
      ]
      return {
        variables: changed.variables,
        notice: did.length === 0 ? undefined : `Recipe ${name}: ${did.join("; ")}. Without the recipe: --no-recipe`
      }
    }
  }
}
export type AppliedRecipe = ReturnType<typeof applyRecipe>
