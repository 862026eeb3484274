/** The handlers, help and annotations of the commands of the tree. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import { errorExitCodes, operationGroups, type OperationId, type PublishedErrorName } from "../../api/Operations.ts"
import { atHome } from "../home/LoadedHandler.ts"
import {
  CalledOperations,
  ExitCodes,
  OwnErrors,
  PrintedDocument,
  PrintedOperation,
  type ProgramExitCode,
  StartsProgram
} from "./CommandFacts.ts"

type Handler<Input, E, R> = (input: Input) => Effect.Effect<void, E, R>

/** Loads a handler when its command runs, so that help and completion load none. */
export const bare = <Input, E, R>(load: () => Promise<Handler<Input, E, R>>) => (input: Input) =>
  Effect.flatMap(Effect.promise(load), (handle) => handle(input))

/** Loads a handler like `bare`, and provides the home directory to it. */
export const lazy = <Input, E, R>(load: () => Promise<Handler<Input, E, R>>) => (input: Input) =>
  atHome(() => load().then((handle) => handle(input)))

/** Reads examples of command lines, one on each line, with a description after `  # `. */
const examplesOf = (text: string): ReadonlyArray<Command.Command.Example> =>
  text.trim().split("\n").map((line) => {
    const [command = "", description] = line.trim().split("  # ")
    return description === undefined ? { command } : { command, description }
  })

/** The help of a command. Lists of commands show `short`, or else `description`. */
export const described = (description: string, examples: string, short = description) =>
  flow(
    Command.withDescription(description),
    Command.withShortDescription(short),
    Command.withExamples(examplesOf(examples))
  )

/** The operations of the interface, by their IDs. */
export const operations = new Map(operationGroups.flatMap((group) => group.operations).map((each) => [each.id, each]))

const isError = (name: ProgramExitCode | PublishedErrorName): name is PublishedErrorName =>
  Object.hasOwn(errorExitCodes, name)

const ends = (codes: ReadonlyArray<number>, own: ReadonlyArray<ProgramExitCode | PublishedErrorName>) => {
  const errors = own.filter(isError)
  const failures = new Set([...codes, ...errors.map((name) => errorExitCodes[name])])
  return flow(
    Command.annotate(ExitCodes, [
      // Every command can exit with 1 and 2, so only higher codes are listed.
      ...[...failures].filter((code) => code > 2).toSorted((a, b) => a - b).map((code) => `${code}` as "3"),
      ...own.filter((name): name is ProgramExitCode => !isError(name))
    ]),
    Command.annotate(OwnErrors, errors)
  )
}

/** Annotates a command that calls no operation of the daemon with its own errors, which determine its exit codes. */
export const fails = (...errors: ReadonlyArray<PublishedErrorName>) => ends([], errors)

/**
 * Annotates a command with the operations that it calls, whose errors determine its exit codes, and with its own errors
 * or the exit codes of the program that it runs.
 */
export const calls = (
  called: ReadonlyArray<OperationId>,
  ...own: ReadonlyArray<ProgramExitCode | PublishedErrorName>
) =>
  flow(
    ends(called.flatMap((id) => operations.get(id)!.exitCodes), ["DaemonUnavailableError", ...own]),
    Command.annotate(CalledOperations, called)
  )

/** Annotates a command whose output with `--json` is the response of this operation. */
export const prints = (operation: OperationId) => Command.annotate(PrintedOperation, operation)

/** Annotates a command whose output with `--json` has a schema in `JsonDocuments.ts`. `what` completes "With --json:". */
export const printsDocument = (what: string) => Command.annotate(PrintedDocument, what)

/** Annotates a command whose variadic argument is the command line of a program: the program gets all words after its first. */
export const programArguments = Command.annotate(StartsProgram, true)

/** Providers, each with the connection that is chosen for it, if any. */
export const chosen = (providers: ReadonlyArray<string>, connections: Readonly<Record<string, string>>): string =>
  providers.map((provider) => {
    const connection = Object.hasOwn(connections, provider) ? connections[provider] : undefined
    return connection === undefined ? provider : `${provider}=${connection}`
  }).join(", ")
