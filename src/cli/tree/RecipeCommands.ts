import { command, group, lazy } from "./CommandParts.ts"
import * as Param from "./Param.ts"

export const recipes = group("recipes", {
  description:
    "Show the recipes that `credsvc run` applies to programs such as coding agents. Files in ~/.credsvc/recipes are " +
    "your own recipes",
  summary: "Show what `credsvc run` applies to programs such as coding agents",
  examples: "credsvc recipes show claude"
}, [
  command("show", {
    params: {
      name: Param.argument("recipe", "Name of the recipe or of the program")
    },
    handler: lazy(() => import("../commands/ShowRecipe.ts").then((m) => m.showRecipe)),
    fails: ["InvalidRequestError"],
    document: "the recipe",
    description: "Print a recipe, as a JSON file",
    examples: `
  credsvc recipes show claude
  credsvc recipes show codex > codex.json  # Start a recipe of your own, to be saved as ~/.credsvc/recipes/codex.json`
  })
])
