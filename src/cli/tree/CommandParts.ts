/** The flags, arguments and handlers that the commands of the tree are made of. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import * as Option from "effect/Option"
import { errorExitCodes, operationGroups, type OperationId, type PublishedErrorName } from "../../api/Operations.ts"
import { PolicyName } from "../../domain/rules/PolicyName.ts"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import { atHome } from "../AtHome.ts"
import {
  CalledOperations,
  ExitCodes,
  OwnErrors,
  PrintedDocument,
  PrintedOperation,
  type ProgramExitCode,
  StartsProgram
} from "../CommandFacts.ts"
import { parseDuration } from "../Since.ts"

type Handler<Input, E, R> = (input: Input) => Effect.Effect<void, E, R>

/** Loads a handler when its command runs, so that help and completion load none. */
export const bare = <Input, E, R>(load: () => Promise<Handler<Input, E, R>>) => (input: Input) =>
  Effect.flatMap(Effect.promise(load), (handle) => handle(input))

/** Loads a handler like `bare`, and provides the home directory to it. */
export const lazy = <Input, E, R>(load: () => Promise<Handler<Input, E, R>>) => (input: Input) =>
  atHome(() => load().then((handle) => handle(input)))

export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDefault(false), Flag.withDescription(description))

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

/** Annotates a command that calls no operation of the daemon with the errors of its own, whose exit codes follow. */
export const fails = (...errors: ReadonlyArray<PublishedErrorName>) => ends([], errors)

/**
 * Annotates a command with the operations that it calls, whose exit codes follow from their errors, and with errors of
 * its own or exit codes of the program that it runs.
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

/** Annotates a command whose variadic argument is the command line of a program: all words after its first one belong to it. */
export const programArguments = Command.annotate(StartsProgram, true)

export const whole = (name: string, minimum: number, maximum: number) => {
  const isValid = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
  return Flag.String(name).pipe(
    Flag.filterMap(
      (text) => isValid(text) ? Option.some(Number(text)) : Option.none(),
      () => `a whole number from ${minimum} to ${maximum}`
    )
  )
}

/** A flag for the path of a file. An empty path would be the working directory. */
export const path = (name: string, metavar = "<file>") =>
  Flag.String(name).pipe(Flag.filter((text) => text !== "", () => metavar), Flag.withMetavar(metavar))

export const provider = Argument.String("provider").pipe(
  Argument.withDescription("Provider name, as shown by `credsvc list`")
)

export const connectionArgument = Argument.String("connection").pipe(
  Argument.withSchema(ConnectionName),
  Argument.withDescription("Connection name")
)

/** Undefined for the connection named "default". */
export const connectionFlag = Flag.String("connection").pipe(
  Flag.withSchema(ConnectionName),
  Flag.withMetavar("<name>"),
  Flag.optional,
  Flag.withDescription("Connection name (default: default)")
)

export const lines = (what: string) =>
  whole("lines", 1, 99_999).pipe(
    Flag.withAlias("n"),
    Flag.withMetavar("<count>"),
    Flag.withDescription(what)
  )

export const assignments = Flag.String("connection").pipe(
  Flag.atLeast(0),
  Flag.withMetavar("<provider>=<name>"),
  Flag.withDescription("Use this connection instead of the provider's default; repeatable")
)

export const unmatched = Flag.Literals("unmatched", ["allow", "deny"]).pipe(
  Flag.withDefault("allow"),
  Flag.withDescription("Allow or deny requests to hosts that belong to no provider (default: allow)")
)

const MINUTE = 60_000
const DAY = 86_400_000

/** A duration in milliseconds, from a minute to this number of days. */
export const duration = (name: string, days = 30) =>
  Flag.String(name).pipe(
    Flag.filterMap(
      (text) =>
        Option.fromUndefinedOr(parseDuration(text)).pipe(Option.filter((ms) => ms >= MINUTE && ms <= days * DAY)),
      () =>
        days === 1
          ? "a duration from 1m to 1d, such as 45m or 8h"
          : `a duration from 1m to ${days}d, such as 45m, 8h or 7d`
    ),
    Flag.withMetavar("<duration>")
  )

/** Flags with rules. */
export const ownRuleFlags = {
  allow: Flag.String("allow").pipe(
    Flag.atLeast(0),
    Flag.withMetavar("<rule>"),
    Flag.withDescription(
      "Allow only requests that match a rule such as 'GET api.github.com/repos/acme/**', of all requests to hosts of " +
        "providers; repeatable"
    )
  ),
  deny: Flag.String("deny").pipe(
    Flag.atLeast(0),
    Flag.withMetavar("<rule>"),
    Flag.withDescription("Refuse requests that match a rule, although they are allowed otherwise; repeatable")
  ),
  readOnly: toggle("read-only", "Allow only GET, HEAD and OPTIONS requests to hosts of providers, and GraphQL queries"),
  rules: path("rules").pipe(
    Flag.optional,
    Flag.withDescription(
      "Read rules from a JSON file, in addition to those of the other flags; no file is read by default"
    )
  )
}

/** Flags that limit the requests to the hosts of providers. */
export const ruleFlags = {
  ...ownRuleFlags,
  policies: Flag.String("policy").pipe(
    Flag.withSchema(PolicyName),
    Flag.atLeast(0),
    Flag.withMetavar("<name>"),
    Flag.withDescription(
      "Allow only requests that this policy allows as well, see `credsvc policy`; repeatable, each one narrows further"
    )
  )
}
export const strict = toggle(
  "strict",
  "Add no more credentials after a request has had a placeholder where no credential belongs"
)

export const yes = toggle("yes", "Do not ask for confirmation; required without a terminal and with --json")

/** Providers, each with the connection that is chosen for it, if any. */
export const chosen = (providers: ReadonlyArray<string>, connections: Readonly<Record<string, string>>): string =>
  providers.map((provider) => {
    const connection = Object.hasOwn(connections, provider) ? connections[provider] : undefined
    return connection === undefined ? provider : `${provider}=${connection}`
  }).join(", ")
