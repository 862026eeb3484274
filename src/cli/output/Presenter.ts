/** Presents the framework's output: help, the version, and usage errors, which are reported like any other failure. */
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import type { HelpDoc } from "effect/cli/HelpDoc"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import type { Problem } from "../../domain/Errors.ts"
import { ExitCode } from "../../domain/ExitCode.ts"
import { exitCodesOf, firstGroups, PrintedDocument, PrintedOperation } from "../tree/CommandFacts.ts"
import { type Printer, printFailure } from "./Report.ts"
import { sanitizeLine } from "./Sanitize.ts"
import { wrapHelp } from "./Text.ts"

const orList = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`

const didYouMean = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `. Did you mean ${orList(suggestions)}?`

/** Maps command names of other tools to the commands of credsvc. */
const otherNames: Readonly<Record<string, string>> = {
  add: "login",
  auth: "login",
  connect: "login",
  connections: "list",
  delete: "logout",
  import: "scan",
  ls: "list",
  remove: "logout",
  rm: "logout",
  set: "login",
  show: "get",
  status: "doctor",
  store: "login",
  version: "--version"
}

const secretLike = /key|token|secret|password|credential/i

const choices = /^"[^"]*"(?: \| "[^"]*")*$/

/** Extracts the expected value from the framework's message. A list of choices becomes "a, b or c". */
const expectation = (expected: string): string => {
  const text = expected.replace(/^(?:Schema validation failed:\s*)?(?:Expected:?\s+)?/, "").replace(/, got .*$/s, "")
  return choices.test(text) ? orList(text.split(" | ").map((choice) => choice.slice(1, -1))) : text
}

const typedFlag = (name: string, flags: HelpDoc["flags"], args: ReadonlyArray<string>): string => {
  const aliases = flags.find((flag) => flag.name === name)?.aliases ?? []
  return aliases.find((alias) => args.includes(alias)) ?? `--${name}`
}

interface Invocation {
  readonly commandPath: ReadonlyArray<string>
  readonly helpDoc: HelpDoc
  readonly args: ReadonlyArray<string>
}

const usageProblem = (error: CliError.NonShowHelpErrors, { args, commandPath, helpDoc }: Invocation): Problem => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const hint = commandPath[1] === "login" && secretLike.test(error.option)
        ? ". Secrets are never accepted as arguments: omit the flag to be asked, or use --stdin"
        : didYouMean(error.suggestions)
      return { path: error.option, message: `unknown flag ${error.option} for "${commandPath.join(" ")}"${hint}` }
    }
    case "UnknownSubcommand":
      return {
        path: error.subcommand,
        message: `unknown command "${[...commandPath.slice(1), error.subcommand].join(" ")}"${
          didYouMean(
            commandPath.length === 1 && Object.hasOwn(otherNames, error.subcommand)
              ? [otherNames[error.subcommand]!]
              : error.suggestions
          )
        }`
      }
    case "MissingArgument":
      return { path: `<${error.argument}>`, message: `missing argument <${error.argument}>` }
    case "MissingOption":
      return { path: `--${error.option}`, message: `missing flag --${error.option}` }
    case "InvalidValue": {
      const name = error.kind === "argument" ? `<${error.option}>` : typedFlag(error.option, helpDoc.flags, args)
      const expected = expectation(error.expected)
      return {
        path: name,
        message: error.value === "" && error.kind === "flag"
          ? `missing value for ${name}: expected ${expected}`
          : `invalid value "${error.value}" for ${name}: expected ${expected}`
      }
    }
    case "UnexpectedArgument":
      return { path: "", message: "too many arguments" }
    default:
      return { path: "", message: error.message }
  }
}

const helpDocument = (doc: HelpDoc) => {
  const flag = (each: HelpDoc["flags"][number]) => ({
    name: `--${each.name}`,
    aliases: each.aliases,
    type: each.type,
    required: each.required,
    description: Option.getOrNull(each.description)
  })
  return {
    description: doc.description,
    usage: doc.usage,
    arguments: (doc.args ?? []).map((each) => ({
      name: each.name,
      type: each.type,
      required: each.required,
      variadic: each.variadic,
      description: Option.getOrNull(each.description)
    })),
    flags: doc.flags.map(flag),
    global_flags: (doc.globalFlags ?? []).map(flag),
    commands: (doc.subcommands ?? []).flatMap((group) =>
      group.commands.map((each) => ({ name: each.name, description: each.description }))
    ),
    examples: doc.examples ?? [],
    exit_codes: exitCodesOf(doc.annotations),
    json_output: Context.get(doc.annotations, PrintedOperation) ?? null
  }
}

/** The help of the program with only the commands of `firstGroups`. */
const firstHelp = (doc: HelpDoc): HelpDoc => ({
  ...doc,
  subcommands: (doc.subcommands ?? []).filter(({ group }) => firstGroups.some((each) => each === group))
})

const helpText = (doc: HelpDoc, output: Printer, isFirst: boolean): string => {
  const text = CliOutput.defaultFormatter({ colors: output.colors }).formatHelpDoc(isFirst ? firstHelp(doc) : doc)
    .trimEnd().replace(/([^\n]\n)(\S*EXAMPLES)/, "$1\n$2")
  const codes = exitCodesOf(doc.annotations).map(({ code, meaning }) => `  ${code.padEnd(5)}  ${meaning}`)
  const operation = Context.get(doc.annotations, PrintedOperation)
  const printed = operation === undefined
    ? Context.get(doc.annotations, PrintedDocument)
    : `the response of the operation ${operation}`
  const whole = [
    text,
    ...(isFirst ? ["", "All commands: credsvc help --all. Topics: credsvc help run, flows, profiles or security"] : []),
    ...(printed === undefined ? [] : ["", output.paint("bold", "JSON OUTPUT"), `  ${printed}`]),
    ...(codes.length === 0 ? [] : ["", output.paint("bold", "EXIT CODES"), ...codes])
  ]
  return wrapHelp(whole.join("\n"), output.columns())
}

export const presenter = (output: Printer, args: ReadonlyArray<string>): CliOutput.Presenter => ({
  present: (event) => {
    switch (event._tag) {
      case "Version":
        return output.either(() => ({ version: event.version }), () => event.version)
      case "Help": {
        const isFirst = event.commandPath.length === 1 && !args.includes("--all")
        return output.either(() => helpDocument(event.helpDoc), () => helpText(event.helpDoc, output, isFirst))
      }
      case "InvalidInvocation": {
        const problems = event.errors.map((error) => usageProblem(error, { ...event, args }))
          .map(({ message, path }) => ({ path: sanitizeLine(path), message: sanitizeLine(message) }))
        return printFailure(output, {
          error: "InvalidRequestError",
          message: problems.map((problem) => problem.message).join("; "),
          fields: { problems },
          exitCode: ExitCode.usage
        }, `usage: ${event.helpDoc.usage}\nmore:  ${event.commandPath.join(" ")} --help`)
      }
    }
  }
})
