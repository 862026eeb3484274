/** The command tree as data: what may stand at each position of a command line. */
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Context from "effect/Context"
import { builtInFlows } from "../../domain/wire/ProviderName.ts"
import { declarations } from "../parse/GlobalFlagDeclarations.ts"
import { StartsProgram } from "../tree/CommandFacts.ts"

/** The kind of an argument. `command`: the rest is another program's command line. `topic`: a credsvc command. */
export type ValueKind = keyof typeof namesOf | "command" | ReadonlyArray<string>

/**
 * Names that only the daemon knows. `connected`: a provider that has a connection. `assignment`: `<provider>=<connection>`.
 */
export type NameKind = Exclude<keyof typeof namesOf, "text" | "file" | "topic">

export interface FlagModel {
  readonly names: ReadonlyArray<string>
  readonly description: string
  readonly value?: ValueKind | undefined
}

export interface CommandModel {
  readonly name: string
  readonly description: string
  readonly flags: ReadonlyArray<FlagModel>
  readonly arguments: ReadonlyArray<{ readonly value: ValueKind; readonly variadic: boolean }>
  readonly commands: ReadonlyArray<CommandModel>
}

export interface CompletionModel {
  readonly root: CommandModel
  readonly globalFlags: ReadonlyArray<FlagModel>
}

/** The names of flags and arguments by the kind of their values. A name after its command precedes the name alone. */
const namesOf = {
  connected: ["get", "export", "logout", "revoke", "set-default", "set-contained-only", "grant", "withdraw"]
    .map((command) => `${command} provider`),
  assignment: ["run", "create", "ssh", "explain"].map((command) => `${command} connection`),
  profile: ["grant to", "withdraw from", "profile", "handle"],
  sandbox: ["env name", "rotate name", "delete name", "sandbox"],
  provider: ["list filter", "provider"],
  connection: ["connection"],
  policy: ["policy"],
  run: ["run"],
  identity: ["identity"],
  topic: ["help command"],
  // A new name has no candidates to complete.
  text: ["create handle"],
  file: ["path", "rules", "record", "write", "hide", "directory", "file", "input", "log-file", "socket"]
    .concat("front-socket", "tls-cert", "tls-key")
} satisfies Readonly<Record<string, ReadonlyArray<string>>>

const kinds = new Map<string, ValueKind>([
  ...Object.entries(namesOf).flatMap(([kind, names]) =>
    names.map((name) => [name, kind as Extract<ValueKind, string>] as const)
  ),
  ["login flow", builtInFlows]
])

const kindOf = (
  command: string,
  { name, type }: Completions.FlagDescriptor | Completions.ArgumentDescriptor
): ValueKind => type._tag === "Choice" ? type.values : kinds.get(`${command} ${name}`) ?? kinds.get(name) ?? "text"

const flagOf = (command: string, flag: Completions.FlagDescriptor): FlagModel => ({
  names: [`--${flag.name}`, ...flag.aliases.map((alias) => `${alias.length === 1 ? "-" : "--"}${alias}`)],
  description: flag.description ?? "",
  value: flag.type._tag === "Boolean" ? undefined : kindOf(command, flag)
})

const commandOf = (command: Completions.CommandDescriptor, declared: Command.Command.Any): CommandModel => {
  const below = declared.subcommands.flatMap(({ commands }): ReadonlyArray<Command.Command.Any> => commands)
  return {
    name: command.name,
    description: command.description ?? "",
    flags: command.flags.map((flag) => flagOf(command.name, flag)),
    arguments: command.arguments.map((argument) => ({
      value: argument.variadic && Context.get(declared.annotations, StartsProgram)
        ? "command"
        : kindOf(command.name, argument),
      variadic: argument.variadic
    })),
    commands: command.subcommands.map((each) => commandOf(each, below.find(({ name }) => name === each.name)!))
  }
}

export const completionModel = (tree: Command.Command.Any): CompletionModel => {
  const settings = Command.make("settings", Object.fromEntries(declarations.map((each) => [each.id, each.flag])))
  return {
    root: commandOf(Completions.fromCommand(tree), tree),
    globalFlags: [
      ...commandOf(Completions.fromCommand(settings), settings).flags,
      { names: ["--help", "-h"], description: "Show help" },
      { names: ["--version", "-v"], description: "Show the version" }
    ]
  }
}
