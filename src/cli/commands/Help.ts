import * as CliError from "effect/cli/CliError"
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { nearest } from "../../domain/text/EditDistance.ts"
import { Output } from "../output/Output.ts"
import { topics } from "./Topics.ts"

/** Prints a topic, or the help of a command as `--help` does. For `run`, which is both, prints the topic first. */
export const help = (tree: () => Command.Command.Any) =>
  Effect.fnUntraced(function*({ command }: { readonly command: ReadonlyArray<string> }) {
    const output = yield* Output
    const topic = command.length === 1 ? topics.get(command[0]!) : undefined
    let current = tree()
    const commandPath = [current.name]
    for (const name of command) {
      const commands: ReadonlyArray<Command.Command.Any> = current.subcommands.flatMap((group) => group.commands)
      const next = commands.find((each) => each.name === name)
      if (next === undefined) {
        if (topic !== undefined) return yield* output.either(() => ({ topic: name, text: topic }), () => topic)
        const known = [...commands.map((each) => each.name), ...(command.length === 1 ? topics.keys() : [])]
        return yield* new CliError.ShowHelp({
          commandPath,
          errors: [
            new CliError.UnknownSubcommand({ subcommand: name, parent: commandPath, suggestions: nearest(name, known) })
          ]
        })
      }
      commandPath.push(name)
      current = next
    }
    if (topic !== undefined && !output.json) yield* output.data(`${topic}\n`)
    return yield* new CliError.ShowHelp({ commandPath, errors: [] })
  })
