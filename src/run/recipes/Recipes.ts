/** Reads the bundled recipes, and the user's own in `recipes` of the home of credsvc. */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { Paths } from "../../config/Paths.ts"
import { findProgram } from "../../platform/files/FindProgram.ts"
import { realPathOf } from "../../platform/files/IfPresent.ts"
import { readAsset, readJsonFiles } from "../../platform/files/PackageFiles.ts"
import type { Recipe } from "./RecipeFile.ts"

export interface KnownRecipe {
  readonly source: "bundled" | "own"
  readonly recipe: Recipe
}

/** The build writes them into one file. */
const bundled = (): ReadonlyArray<Recipe> => {
  const built = readAsset("recipes.json", import.meta.url)
  if (built !== undefined) return JSON.parse(built)
  return readJsonFiles(new URL("../../../recipes/", import.meta.url)).map(({ text }) => JSON.parse(text))
}

const own = Effect.fnUntraced(function*(directory: string) {
  // `credsvc recipes show codex > …/codex.json` finds the empty file that the shell has just created.
  const files = readJsonFiles(pathToFileURL(directory + path.sep)).filter(({ text }) => text !== "")
  if (files.length === 0) return []
  const { readRecipeFile } = yield* Effect.promise(() => import("./RecipeFile.ts"))
  return yield* Effect.forEach(
    files,
    ({ name, text }) => Effect.fromResult(readRecipeFile(path.join(directory, name), text))
  )
})

/** All recipes, sorted by name. One of the user replaces the bundled one of the same name. */
export const allRecipes = Effect.gen(function*() {
  const { recipes } = yield* Paths
  const known = [
    ...bundled().map((recipe): KnownRecipe => ({ source: "bundled", recipe })),
    ...(yield* own(recipes)).map((recipe): KnownRecipe => ({ source: "own", recipe }))
  ]
  return [...new Map(known.map((each) => [each.recipe.name, each])).values()]
    .toSorted((one, other) => one.recipe.name < other.recipe.name ? -1 : 1)
})

/** The login files of programs in directories that variables name. */
export const movedLogins = (known: ReadonlyArray<KnownRecipe>): ReadonlyArray<string> =>
  known.flatMap(({ recipe: { login } }) => {
    const directory = process.env[login?.directory ?? ""] ?? ""
    return login === undefined || directory === "" ? [] : [path.resolve(directory, path.basename(login.file))]
  })

/** Whether a file is the program of a recipe, by its name or by the package that it is in. */
export const isProgramOf = ({ packages = [], programs }: Pick<Recipe, "packages" | "programs">, file: string) =>
  programs.includes(path.basename(file)) || packages.some((name) => file.includes(`/node_modules/${name}/`))

const packageRunners = new Set(["npx", "pnpx", "bunx"])

/** The recipe of a command, by its name or by what its path resolves to. `at`: the index of the program. */
export const recipeOf = (
  known: ReadonlyArray<KnownRecipe>,
  command: ReadonlyArray<string>
): { readonly recipe: Recipe; readonly at: number } | undefined => {
  const [program = ""] = command
  const runner = packageRunners.has(path.basename(program))
  const at = runner ? command.findIndex((word, index) => index > 0 && !word.startsWith("-")) : 0
  const file = findProgram(program)
  const real = file === undefined ? "" : realPathOf(file) ?? ""
  // A recipe of the user comes first.
  const found = known.toSorted((one, other) => Number(one.source === "bundled") - Number(other.source === "bundled"))
    .find(({ recipe }) =>
      runner
        ? recipe.packages?.includes((command[at] ?? "").replace(/(.)@.*$/, "$1")) === true
        : [program, real].some((each) => isProgramOf(recipe, each))
    )
  return found && { recipe: found.recipe, at }
}
