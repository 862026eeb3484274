import * as Command from "effect/cli/Command"
import { described, fails, lazy, printsDocument } from "./CommandParts.ts"
import * as Param from "./Param.ts"

export const recipes = Command.make("recipes").pipe(
  described(
    "Show the recipes that `credsvc run` applies to programs such as coding agents. Files in ~/.credsvc/recipes are " +
      "your own recipes",
    "credsvc recipes show claude",
    "Show what `credsvc run` applies to programs such as coding agents"
  ),
  Command.withSubcommands([
    Command.make("show", {
      name: Param.argument("recipe", "Name of the recipe or of the program")
    }, lazy(() => import("../commands/Recipes.ts").then((m) => m.showRecipe))).pipe(
      fails("InvalidRequestError"),
      printsDocument("the recipe"),
      described(
        "Print a recipe, as a JSON file",
        `
  credsvc recipes show claude
  credsvc recipes show codex > codex.json  # Start a recipe of your own, to be saved as ~/.credsvc/recipes/codex.json`
      )
    )
  ])
)
