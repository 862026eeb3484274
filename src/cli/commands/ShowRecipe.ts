/** Prints a recipe as a file that the user can change and put into the home of credsvc. */
import * as Effect from "effect/Effect"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { allRecipes } from "../../run/recipes/Recipes.ts"
import { Output } from "../output/Output.ts"

export const showRecipe = Effect.fnUntraced(function*({ name }: { readonly name: string }) {
  const output = yield* Output
  const known = yield* allRecipes
  const found = known.find((recipe) => recipe.name === name || recipe.programs.includes(name))
  if (found === undefined) {
    const names = known.map((recipe) => recipe.name).join(", ")
    return yield* InvalidRequestError.at("<recipe>", `unknown recipe "${name}": expected one of ${names}`)
  }
  yield* output.document(found)
})
