/** Reads the bundled recipes, and the user's own in `recipes` of the home of credsvc. */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { Paths } from "../../config/Paths.ts"
import { findProgram } from "../../platform/files/FindProgram.ts"
import { readAsset, readJsonFiles } from "../../platform/files/PackageFiles.ts"
import { realPathOf } from "../../platform/files/ReadOrEmpty.ts"
import type { Recipe } from "./RecipeFile.ts"

/** The bundled recipes, which the build writes into one file. */
const bundled = (): ReadonlyArray<Recipe> => {
  const built = readAsset("recipes.json", import.meta.url)
  if (built !== undefined) return JSON.parse(built)
  return readJsonFiles(new URL("../../../recipes/", import.meta.url)).map(({ text }) => JSON.parse(text))
}

const readOwn = Effect.fnUntraced(function*(directory: string) {
  // `credsvc recipes show codex > …/codex.json` finds the empty file that the shell has just created.
  const files = readJsonFiles(pathToFileURL(directory + path.sep)).filter(({ text }) => text !== "")
  if (files.length === 0) return []
  const { readRecipeFile } = yield* Effect.promise(() => import("./RecipeFile.ts"))
  return yield* Effect.forEach(
    files,
    ({ name, text }) => Effect.fromResult(readRecipeFile(path.join(directory, name), text))
  )
})

/** All recipes, those of the user first. One of the user replaces the bundled one of the same name. */
export const allRecipes = Effect.gen(function*() {
  const all = [...yield* readOwn((yield* Paths).recipes), ...bundled()]
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index)
})

/** The login files of programs, in directories that variables name. */
export const movedLogins = (known: ReadonlyArray<Recipe>): ReadonlyArray<string> =>
  known.flatMap(({ login }) => {
    const directory = process.env[login?.directory ?? ""] ?? ""
    return login === undefined || directory === "" ? [] : [path.resolve(directory, path.basename(login.file))]
  })

/** Whether a file is the program of a recipe, by its name or by the package that it is in. */
export const isProgramOf = ({ packages = [], programs }: Pick<Recipe, "packages" | "programs">, file: string) =>
  programs.includes(path.basename(file)) || packages.some((name) => file.includes(`/node_modules/${name}/`))

const packageRunners = new Set(["npx", "pnpx", "bunx"])

/** The recipe of a command, if any, by its name or by what its path resolves to. `at`: the index of the program. */
export const recipeOf = (
  known: ReadonlyArray<Recipe>,
  command: ReadonlyArray<string>
): { readonly recipe: Recipe; readonly at: number } | undefined => {
  const [program = ""] = command
  const runner = packageRunners.has(path.basename(program))
  const at = runner ? command.findIndex((word, index) => index > 0 && !word.startsWith("-")) : 0
  const file = findProgram(program)
  const real = file === undefined ? "" : realPathOf(file) ?? ""
  const recipe = known.find((each) =>
    runner
      ? each.packages?.includes((command[at] ?? "").replace(/(.)@.*$/, "$1")) === true
      : [program, real].some((file) => isProgramOf(each, file))
  )
  return recipe && { recipe, at }
}
