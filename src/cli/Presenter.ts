/** What the framework has to say itself: help, the version, and wrong usage, which is a failure like any other. */
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import type { HelpDoc } from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import { ExitCode, type Problem } from "../domain/Errors.ts"
import { exitCodesOf } from "./ExitCodes.ts"
import { type Printer, printFailure } from "./Report.ts"
import { sanitizeLine, wrapHelp } from "./Text.ts"

const orList = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`

const didYouMean = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : ` Did you mean ${orList(suggestions)}?`

const secretLike = /key|token|secret|password|credential/i

const usageProblem = (error: CliError.NonShowHelpErrors, commandPath: ReadonlyArray<string>): Problem => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const secret = commandPath[1] === "login" && secretLike.test(error.option)
        ? " Secrets are never taken from the command line: leave it out and be asked, or pipe it in with --stdin."
        : didYouMean(error.suggestions)
      return { path: error.option, message: `There is no flag ${error.option} in "${commandPath.join(" ")}".${secret}` }
    }
    case "UnknownSubcommand":
      return {
        path: error.subcommand,
        message: `There is no command "${[...commandPath.slice(1), error.subcommand].join(" ")}".${
          didYouMean(error.suggestions)
        }`
      }
    case "MissingArgument":
      return { path: `<${error.argument}>`, message: `The argument <${error.argument}> is missing.` }
    case "MissingOption":
      return { path: `--${error.option}`, message: `The flag --${error.option} is missing.` }
    case "InvalidValue": {
      const name = error.kind === "argument" ? `<${error.option}>` : `--${error.option}`
      const expected = error.expected.replace(/^(?:Schema validation failed:\s*)?(?:Expected:?\s+)?/, "").replace(
        /, got .*$/s,
        ""
      )
      return error.value === "" && error.kind === "flag"
        ? { path: name, message: `The flag ${name} needs a value: ${expected}.` }
        : { path: name, message: `"${error.value}" is no value for ${name}, which takes ${expected}.` }
    }
    case "UnexpectedArgument":
      return { path: "", message: "There are more arguments than the command takes." }
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
    exit_codes: exitCodesOf(doc.annotations)
  }
}

const helpText = (doc: HelpDoc, output: Printer): string => {
  const text = CliOutput.defaultFormatter({ colors: output.colors }).formatHelpDoc(doc).trimEnd()
  const codes = exitCodesOf(doc.annotations).map(({ code, meaning }) => `  ${code.padEnd(5)}  ${meaning}`)
  const whole = codes.length === 0 ? text : [text, "", output.paint("bold", "EXIT CODES"), ...codes].join("\n")
  return wrapHelp(whole, output.columns())
}

export const presenter = (output: Printer): CliOutput.Presenter => ({
  present: (event) => {
    switch (event._tag) {
      case "Version":
        return output.either(() => ({ version: event.version }), () => event.version)
      case "Help":
        return output.either(() => helpDocument(event.helpDoc), () => helpText(event.helpDoc, output))
      case "InvalidInvocation": {
        const problems = event.errors.map((error) => usageProblem(error, event.commandPath))
          .map(({ message, path }) => ({ path: sanitizeLine(path), message: sanitizeLine(message) }))
        return printFailure(output, {
          error: "InvalidRequestError",
          message: problems.map((problem) => problem.message).join(" "),
          fields: { problems },
          exitCode: ExitCode.usage
        }, `usage: ${event.helpDoc.usage}\nmore:  ${event.commandPath.join(" ")} --help`)
      }
    }
  }
})
