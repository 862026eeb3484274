/**
 * How a command that did not succeed ends: what is said, where, and with which exit code.
 *
 * With `--json` a failure is one document on stdout, `{"error", "message", …}` with the fields of its class; without, a
 * sentence on stderr. Wrong usage is a failure like any other and exits 2. What nobody foresaw is told by its
 * name only, since its text may hold what must not be shown.
 */
import * as Cause from "effect/Cause"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import type { HelpDoc } from "effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import { ExitCode, type Problem } from "../domain/Errors.ts"
import { exitCodesOf } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"
import { sanitize, sanitizeLine, wrapHelp } from "./Text.ts"

type Printer = Output["Service"]

interface Failure {
  readonly error: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly exitCode: number
}

/** Ends the process with this code after everything is released; whatever had to be said has been said. */
export class Exited {
  readonly _tag = "Exited"
  readonly exitCode: number
  constructor(exitCode: number) {
    this.exitCode = exitCode
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const shared = new Set([
  "_tag",
  "type",
  "title",
  "status",
  "detail",
  "error",
  "instance",
  "name",
  "message",
  "stack",
  "cause"
])

// Messages of these come from the engine or the operating system, never from what was being processed.
const tellable = (error: Error): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError ||
  ("syscall" in error && "code" in error) || error.name === "OutputError" || "_tag" in error

/** A person has set the profile by a flag or a variable, and not by the header that carries it. */
const withoutHeader = (message: string): string => message.replace(/^Credsvc-Profile: t/, "T")

const describe = (error: unknown): Failure => {
  if (isRecord(error) && typeof error["_tag"] === "string") {
    const message = typeof error["detail"] === "string" && error["detail"] !== "" ? error["detail"] : error["message"]
    return {
      error: error["_tag"],
      message: typeof message === "string" && message !== "" ? withoutHeader(message) : error["_tag"],
      fields: Object.fromEntries(
        Object.entries(error).filter(([key, value]) => !shared.has(key) && !key.startsWith("~") && value !== "")
      ),
      exitCode: Runtime.getErrorExitCode(error)
    }
  }
  const name = error instanceof Error ? error.name : typeof error
  const reason = error instanceof Error && tellable(error) ? `${name}: ${error.message}` : name
  return {
    error: "UnexpectedError",
    message: `Something unexpected went wrong (${reason}). The debug log has more: credsvc log --raw`,
    fields: {},
    exitCode: ExitCode.unexpected
  }
}

const print = (output: Printer, failure: Failure, hint?: string): Effect.Effect<void> =>
  output.json
    ? output.document({ error: failure.error, message: failure.message, ...failure.fields })
    : output.draw(
      `${output.paintMessage("red", "error:")} ${sanitize(failure.message)}\n${
        hint === undefined ? "" : `${output.paintMessage("dim", hint)}\n`
      }`
    )

const isShowHelp = (error: unknown): error is CliError.ShowHelp => isRecord(error) && error["_tag"] === "ShowHelp"

/** Tells a failure, and answers the exit code. `signal` is the code for a process that was asked to stop. */
export const report = (
  output: Printer,
  cause: Cause.Cause<unknown>,
  signal: number | undefined
): Effect.Effect<number> => {
  if (Cause.hasInterruptsOnly(cause)) {
    const exitCode = signal ?? ExitCode.unexpected
    return output.json
      ? Effect.as(print(output, { error: "InterruptedError", message: "Interrupted.", fields: {}, exitCode }), exitCode)
      : Effect.succeed(exitCode)
  }
  const error = Cause.squash(cause)
  if (error instanceof Exited) return Effect.succeed(error.exitCode)
  // The presenter below has told it.
  if (isShowHelp(error)) return Effect.succeed(error.errors.length > 0 ? ExitCode.usage : ExitCode.success)
  const failure = describe(error)
  return Effect.as(print(output, failure), failure.exitCode)
}

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

/** What the framework has to say itself: help, the version, and wrong usage. */
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
        return print(output, {
          error: "InvalidRequestError",
          message: problems.map((problem) => problem.message).join(" "),
          fields: { problems },
          exitCode: ExitCode.usage
        }, `usage: ${event.helpDoc.usage}\nmore:  ${event.commandPath.join(" ")} --help`)
      }
    }
  }
})
