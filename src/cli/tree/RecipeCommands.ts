import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { fails, lazy, printsDocument } from "./CommandParts.ts"

export const recipes = Command.make("recipes").pipe(
  Command.withDescription(
    "Show the recipes that `credsvc run` applies to programs such as coding agents. Files in `recipes` of the home of " +
      "credsvc are recipes of your own"
  ),
  Command.withShortDescription("Show what `credsvc run` applies to programs such as coding agents"),
  Command.withExamples([{ command: "credsvc recipes list" }, { command: "credsvc recipes show claude" }]),
  Command.withSubcommands([
    Command.make("list", {}, lazy(() => import("../commands/Recipes.ts").then((m) => m.listRecipes))).pipe(
      fails("InvalidRequestError"),
      printsDocument("the names, programs and sources of the recipes"),
      Command.withDescription("List the recipes"),
      Command.withExamples([{ command: "credsvc recipes list" }])
    ),
    Command.make("show", {
      name: Argument.String("recipe").pipe(Argument.withDescription("Name of the recipe or of the program"))
    }, lazy(() => import("../commands/Recipes.ts").then((m) => m.showRecipe))).pipe(
      fails("InvalidRequestError"),
      printsDocument("the recipe"),
      Command.withDescription("Print a recipe, as a JSON file"),
      Command.withExamples([
        { command: "credsvc recipes show claude" },
        {
          command: "credsvc recipes show codex > codex.json",
          description: "The beginning of a recipe of your own, which goes to ~/.credsvc/recipes/codex.json"
        }
      ])
    )
  ])
)
