import * as CliError from "effect/cli/CliError"
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { nearest } from "../Text.ts"

/** Leaves the printing to the framework, which does the same for `--help`. */
export const help = (tree: () => Command.Command.Any) =>
  Effect.fnUntraced(function*({ command }: { readonly command: ReadonlyArray<string> }) {
    let current = tree()
    const commandPath = [current.name]
    for (const name of command) {
      const commands: ReadonlyArray<Command.Command.Any> = current.subcommands.flatMap((group) => group.commands)
      const next = commands.find((each) => each.name === name)
      if (next === undefined) {
        const suggestions = nearest(name, commands.map((each) => each.name))
        return yield* new CliError.ShowHelp({
          commandPath,
          errors: [new CliError.UnknownSubcommand({ subcommand: name, parent: commandPath, suggestions })]
        })
      }
      commandPath.push(name)
      current = next
    }
    return yield* new CliError.ShowHelp({ commandPath, errors: [] })
  })
