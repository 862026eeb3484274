/** Generates docs/cli.md: every command with its arguments, flags and examples, from its own help. */
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import type { ArgDoc, FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { errorExitCodes, operationGroups, type PublishedErrorName } from "../../src/api/Operations.ts"
import { wholeTree } from "../../src/cli/api/WholeTree.ts"
import { topics } from "../../src/cli/commands/Topics.ts"
import {
  CalledOperations,
  exitCodesOf,
  OwnErrors,
  PrintedDocument,
  PrintedOperation
} from "../../src/cli/tree/CommandFacts.ts"
import { operations } from "../../src/cli/tree/CommandParts.ts"

const helpOf = (commandPath: ReadonlyArray<string>): Effect.Effect<HelpDoc> =>
  Effect.gen(function*() {
    let help: HelpDoc | undefined
    const capture: CliOutput.Presenter = {
      present: (event) =>
        Effect.sync(() => {
          if (event._tag === "Help") help = event.helpDoc
        })
    }
    yield* Command.runWith(wholeTree, { version: "" })([...commandPath, "--help"]).pipe(
      Effect.provide([
        CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
        CliOutput.layerPresenter(capture)
      ]),
      Effect.exit
    )
    if (help === undefined) return yield* Effect.die(new Error(`no help for ${commandPath.join(" ")}`))
    return help
    // Printing help does not need the services that the commands require.
  }) as Effect.Effect<HelpDoc>

/** The help of every command, in the order in which the tree lists them. */
export const allHelp: Effect.Effect<ReadonlyArray<HelpDoc>> = Effect.gen(function*() {
  const all: Array<HelpDoc> = []
  const visit = (commandPath: ReadonlyArray<string>): Effect.Effect<void> =>
    Effect.gen(function*() {
      const help = yield* helpOf(commandPath)
      all.push(help)
      for (const { commands } of help.subcommands ?? []) {
        for (const { name } of commands) yield* visit([...commandPath, name])
      }
    })
  yield* visit([])
  return all
})

/** Whether the command is an operation of the HTTP interface or a group of operations. One table lists all of these. */
export const isBelowApi = ({ commandPath = [] }: HelpDoc): boolean => commandPath[1] === "api" && commandPath.length > 2

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const flagRow = (flag: FlagDoc): string => {
  const names = [`--${flag.name}`, ...flag.aliases].map((name) => `\`${name}\``).join(", ")
  const value = flag.type === "boolean" ? "" : ` \`${flag.type}\``
  return `| ${names}${cell(value)} | ${cell(Option.getOrElse(flag.description, () => ""))} |`
}

const argumentRow = (argument: ArgDoc): string => {
  const name = `${argument.name}${argument.variadic ? "..." : ""}`
  const optional = argument.required ? "" : " (optional)"
  return `| \`${name}\` | ${cell(Option.getOrElse(argument.description, () => ""))}${optional} |`
}

const operationRows = (): ReadonlyArray<string> => [
  "| Operation | | Flags | Response |",
  "|---|---|---|---|",
  ...operationGroups.flatMap(({ operations }) =>
    operations.map(({ group, hasBody, name, parameters, response, reveals, summary }) => {
      const flags = [
        ...parameters.map(({ flag }) => flag),
        ...(hasBody ? ["input"] : []),
        ...(reveals === "never" ? [] : ["show-secret"])
      ]
      return `| \`${group} ${name}\` | ${cell(summary)} | ${
        flags.map((flag) => `\`--${flag}\``).join(", ")
      } | \`${response}\` |`
    })
  )
]

/** The errors of the command and of the operations that it calls, by their exit code. */
const errorsOf = ({ annotations }: HelpDoc): ReadonlyMap<string, ReadonlyArray<string>> => {
  const names = new Set<PublishedErrorName>([
    ...Context.get(annotations, OwnErrors),
    ...Context.get(annotations, CalledOperations).flatMap((id) => operations.get(id)?.errors ?? []).map(({ name }) =>
      name
    )
  ])
  return Map.groupBy([...names].toSorted(), (name) => String(errorExitCodes[name]))
}

const exitCodeRows = (help: HelpDoc): ReadonlyArray<string> => {
  const codes = exitCodesOf(help.annotations)
  if (codes.length === 0) return []
  const errors = errorsOf(help)
  if (errors.size === 0) {
    return ["", "| Exit code | |", "|---|---|", ...codes.map(({ code, meaning }) => `| ${code} | ${meaning} |`)]
  }
  const rows = codes.map(({ code, meaning }) => `| ${code} | ${meaning} | ${(errors.get(code) ?? []).join(", ")} |`)
  return ["", "| Exit code | | Errors |", "|---|---|---|", ...rows]
}

const jsonLines = ({ annotations, commandPath = [] }: HelpDoc): ReadonlyArray<string> => {
  const document = Context.get(annotations, PrintedDocument)
  if (document !== undefined) {
    const name = commandPath.slice(1).join(" ")
    return ["", `With \`--json\`: ${document} (\`${name}\` of [cli.schema.json](cli.schema.json)).`]
  }
  const id = Context.get(annotations, PrintedOperation)
  const printed = id && operations.get(id)
  return printed === undefined
    ? []
    : ["", `With \`--json\`: \`${printed.response}\` of [openapi.json](openapi.json), as \`${printed.id}\` responds.`]
}

const part = (help: HelpDoc): string => {
  const name = (help.commandPath ?? []).join(" ")
  const lines = [`## ${name}`, "", help.description, "", "```", help.usage, "```"]
  if ((help.args ?? []).length > 0) {
    lines.push("", "| Argument | |", "|---|---|", ...help.args!.map(argumentRow))
  }
  if (help.flags.length > 0) lines.push("", "| Flag | |", "|---|---|", ...help.flags.map(flagRow))
  for (const { commands, group } of name === "credsvc api" ? [] : help.subcommands ?? []) {
    lines.push("", group === undefined ? "Commands:" : `${group}:`, "")
    for (const command of commands) {
      const anchor = `${name} ${command.name}`.replaceAll(" ", "-")
      lines.push(`- [\`${command.name}\`](#${anchor}): ${command.shortDescription ?? command.description}`)
    }
  }
  if ((help.examples ?? []).length > 0) {
    lines.push("", "```sh")
    for (const { command, description } of help.examples!) {
      if (description !== undefined) lines.push(`# ${description}`)
      lines.push(command)
    }
    lines.push("```")
  }
  if (name === "credsvc api") lines.push("", ...operationRows())
  lines.push(...jsonLines(help), ...exitCodeRows(help))
  return `${lines.join("\n")}\n`
}

export const cli = async (): Promise<string> => {
  const all = await Effect.runPromise(allHelp)
  const globals = all[0]!.globalFlags ?? []
  return `# The command line

Data goes to stdout, everything else to stderr. Global flags can be before or after a command; \`run\` passes everything
after \`--\` to the command. Exit codes are in [errors.md](errors.md).

| Global flag | |
|---|---|
${globals.map(flagRow).join("\n")}

${all.filter((help) => !isBelowApi(help)).map(part).join("\n")}
# Topics

${[...topics].map(([name, text]) => `## credsvc help ${name}\n\n\`\`\`\n${text}\n\`\`\`\n`).join("\n")}`
}
