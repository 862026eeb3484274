/** Reads the credential command of a login from its arguments, and confirms it with the user. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { InputCancelledError, InvalidRequestError, type Problem } from "../../domain/Errors.ts"
import { problemsOf } from "../../domain/text/SchemaProblems.ts"
import { CredentialCommand } from "../../domain/wire/CredentialCommand.ts"
import { findProgram } from "../../platform/files/FindProgram.ts"
import { shellWord } from "../../platform/ShellQuote.ts"
import { Output } from "../output/Output.ts"
import * as Prompt from "../output/Prompt.ts"
import { given } from "../parse/Given.ts"
import type { LoginInput } from "../tree/CommandInputs.ts"

const pointers = (values: ReadonlyArray<string>) =>
  Effect.forEach(values, (value) => {
    const [, field, pointer] = /^([a-z][a-z0-9_]*)=(\/.*)$/.exec(value) ?? []
    return field === undefined || pointer === undefined
      ? Effect.fail(
        InvalidRequestError.at("--command-value", `invalid value "${value}": expected <field>=<JSON pointer>`)
      )
      : Effect.succeed([field, pointer] as const)
  }).pipe(Effect.map((entries) => Object.fromEntries(entries)))

const optionOf: Readonly<Record<string, string>> = {
  values: "--command-value",
  expiry: "--command-expiry",
  lifetime: "--command-lifetime"
}

/** Names the option in a problem, instead of the field of the credential command. */
const namingOption = ({ message, path }: Problem): Problem => ({
  path: optionOf[path.split("/")[1] ?? ""] ?? "<command>",
  message
})

const decode = Schema.decodeUnknownEffect(CredentialCommand)

const read = Effect.fnUntraced(function*(input: LoginInput) {
  const [program, ...args] = input.command
  if (program === undefined) {
    return yield* InvalidRequestError.at(
      "",
      "missing argument <command>. Add it after --, as in: " +
        "credsvc login openai --flow credential_command -- op read op://vault/item/key"
    )
  }
  // The absolute path makes the daemon run exactly what the user confirms.
  const file = findProgram(program)
  if (file === undefined) return yield* InvalidRequestError.at("<command>", `"${program}" is not an executable file`)
  return yield* decode({
    argv: [file, ...args],
    values: yield* pointers(input.commandValues),
    ...given({ output: input.commandOutput, expiry: input.commandExpiry, lifetime: input.commandLifetime })
  }).pipe(Effect.mapError((error) => InvalidRequestError.of(problemsOf(error).map(namingOption))))
})

/**
 * Reads the credential command, and makes the user confirm it. Returns undefined for other flows.
 *
 * No flag skips the confirmation: a program that can make the daemon run a command could bypass every limit of a run.
 */
export const confirmedCommand = Effect.fnUntraced(function*(input: LoginInput) {
  const output = yield* Output
  const isWanted = Option.contains(input.flow, "credential_command")
  if (!isWanted) {
    if (input.command.length > 0) {
      return yield* InvalidRequestError.at(
        "",
        "too many arguments. Secrets are never accepted as arguments: if you typed one, remove it from your shell's " +
          "history. Without arguments, login asks for the secret. A credential command requires --flow credential_command."
      )
    }
    const options = {
      "--command-output": Option.isSome(input.commandOutput),
      "--command-value": input.commandValues.length > 0,
      "--command-expiry": Option.isSome(input.commandExpiry),
      "--command-lifetime": Option.isSome(input.commandLifetime)
    }
    const option = Object.entries(options).find(([, isGiven]) => isGiven)?.[0]
    return option === undefined
      ? undefined
      : yield* InvalidRequestError.at(option, "requires --flow credential_command")
  }
  const command = yield* read(input)
  if (!output.interactive || input.stdin) {
    return yield* new InputCancelledError({
      detail:
        "A credential command must be confirmed at a terminal. Log in from a terminal, without --stdin and --quiet."
    })
  }
  yield* output.tell(
    "The daemon will run this command now, and again whenever the credential expires or is refused:\n" +
      `  ${command.argv.map(shellWord).join(" ")}\n` +
      `Its output becomes the credential of ${Option.getOrElse(input.provider, () => "the provider")}.`
  )
  if (!(yield* Prompt.confirm("Let the daemon run this command?"))) {
    return yield* new InputCancelledError({ detail: "The command was not run." })
  }
  return command
})
