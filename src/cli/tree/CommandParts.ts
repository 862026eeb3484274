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
import type * as Param from "./Param.ts"

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

interface Help {
  readonly description: string
  /** What lists of commands show instead of the description. */
  readonly summary?: string
  /** The text that `examplesOf` reads. */
  readonly examples: string
}

export const described = ({ description, examples, summary = description }: Help) =>
  flow(
    Command.withDescription(description),
    Command.withShortDescription(summary),
    Command.withExamples(examplesOf(examples))
  )

/** The operations of the interface, by their IDs. */
export const operations = new Map(operationGroups.flatMap((group) => group.operations).map((each) => [each.id, each]))

const isError = (name: ProgramExitCode | PublishedErrorName): name is PublishedErrorName =>
  Object.hasOwn(errorExitCodes, name)

/** A command with a handler. Its exit codes follow from the errors of the operations that it calls, and from its own. */
export const command = <const Params extends Command.Command.Config, E, R>(
  name: string,
  options: Help & {
    readonly params?: Params
    readonly handler: Handler<Param.InputOf<Params>, E, R>
    /** The operations that it calls. Absent if it works without the daemon. */
    readonly calls?: ReadonlyArray<OperationId>
    /** Its own errors, and the exit codes of the program that it runs. */
    readonly fails?: ReadonlyArray<ProgramExitCode | PublishedErrorName>
    /** The operation whose response it prints with `--json`. */
    readonly prints?: OperationId
    /** What it prints with `--json` if that has a schema in `scripts/lib/JsonDocuments.ts`; completes "With --json:". */
    readonly document?: string
    /** Whether its variadic argument is the command line of a program: the program gets all words after its first. */
    readonly startsProgram?: boolean
  }
) => {
  const { calls: called, fails: own = [] } = options
  const errors = [...called === undefined ? [] : ["DaemonUnavailableError" as const], ...own.filter(isError)]
  const codes = [
    ...(called ?? []).flatMap((id) => operations.get(id)!.exitCodes),
    ...errors.map((error) => errorExitCodes[error])
  ]
  return Command.make(name, options.params ?? {} as Params, options.handler).pipe(
    described(options),
    Command.annotate(ExitCodes, [
      // Every command can exit with 1 and 2, so only higher codes are listed.
      ...[...new Set(codes)].filter((code) => code > 2).toSorted((a, b) => a - b).map((code) => `${code}` as "3"),
      ...own.filter((error): error is ProgramExitCode => !isError(error))
    ]),
    Command.annotate(OwnErrors, errors),
    Command.annotate(CalledOperations, called ?? []),
    Command.annotate(PrintedOperation, options.prints),
    Command.annotate(PrintedDocument, options.document),
    Command.annotate(StartsProgram, options.startsProgram ?? false)
  )
}

/** A command that consists of subcommands. */
export const group = <const Commands extends ReadonlyArray<Command.Command.Any>>(
  name: string,
  help: Help,
  commands: Commands
) => Command.make(name).pipe(described(help), Command.withSubcommands(commands))

/** Providers, each with the connection that is chosen for it, if any. */
export const chosen = (providers: ReadonlyArray<string>, connections: Readonly<Record<string, string>>): string =>
  providers.map((provider) => {
    const connection = Object.hasOwn(connections, provider) ? connections[provider] : undefined
    return connection === undefined ? provider : `${provider}=${connection}`
  }).join(", ")
