/**
 * Commands that are one operation of the HTTP interface: their arguments, exit codes, help and JSON document follow from the
 * operation.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type * as Flag from "effect/cli/Flag"
import type * as Effect from "effect/Effect"
import type { Operation, OperationId, Parameter, ParameterOf, ResponseOf } from "../../api/Operations.ts"
import { PolicyName } from "../../domain/rules/PolicyName.ts"
import { QuestionId } from "../../domain/rules/Question.ts"
import { IdentityName } from "../../domain/wire/Identity.ts"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { RunName } from "../../domain/wire/Run.ts"
import { SandboxName } from "../../domain/wire/Sandbox.ts"
import type { Prepare, Values } from "../api/OperationRequest.ts"
import type { Output } from "../output/Output.ts"
import { calls, connectionArgument, lazy, operations, prints, provider } from "./CommandParts.ts"

type Param = Argument.Argument<unknown> | Flag.Flag<unknown>

export const questionArgument = Argument.String("id").pipe(
  Argument.withSchema(QuestionId),
  Argument.withDescription("The ID of the request, as shown by `credsvc approve`")
)

/** The arguments for parameters in paths, by the name of the parameter, or by its group and name. */
const standard: Readonly<Record<string, Argument.Argument<unknown>>> = {
  provider,
  connection: connectionArgument,
  handle: Argument.String("handle").pipe(
    Argument.withSchema(ProfileHandle),
    Argument.withDescription("Profile name, as shown by `credsvc profile list`")
  ),
  id: questionArgument,
  "identities name": Argument.String("identity").pipe(
    Argument.withSchema(IdentityName),
    Argument.withDescription("Identity name, as shown by `credsvc admin identities`")
  ),
  "policies name": Argument.String("policy").pipe(
    Argument.withSchema(PolicyName),
    Argument.withDescription("Policy name, as shown by `credsvc policy list`")
  ),
  "runs name": Argument.String("run").pipe(
    Argument.withSchema(RunName),
    Argument.withDescription("The name of the run, as shown by `credsvc runs`")
  ),
  "sandboxes name": Argument.String("name").pipe(
    Argument.withSchema(SandboxName),
    Argument.withDescription("Sandbox name, as shown by `credsvc sandbox list`")
  )
}

const argumentOf = (group: string, { description, name }: Parameter): Argument.Argument<unknown> =>
  standard[`${group} ${name}`] ?? standard[name] ?? Argument.String(name).pipe(Argument.withDescription(description))

/** "List runs", described as "Lists the registered runs …", needs no more than the description. */
const helpOf = ({ description, summary }: Operation): string =>
  description.startsWith(`${summary.split(" ")[0]}s `) ? description : `${summary}. ${description}`

export const operationCommand = <Id extends OperationId>(id: Id, options: {
  /** The name, if it is not that of the operation. */
  readonly name?: string
  /** The arguments of parameters outside of the path, and of those that are optional here. */
  readonly args?: { readonly [Name in ParameterOf<Id>]?: Param }
  /** Further flags, for `prepare`. */
  readonly flags?: Readonly<Record<string, Param>>
  /** The values of parameters that are not given. */
  readonly defaults?: { readonly [Name in ParameterOf<Id>]?: unknown }
  readonly prepare?: () => Promise<Prepare>
  /** The operations that `prepare` calls. */
  readonly alsoCalls?: ReadonlyArray<OperationId>
  /** The help, if that of the operation does not fit. */
  readonly description?: string
  readonly summary?: string
  readonly examples: ReadonlyArray<Command.Command.Example>
  /** Whether the response is a failure, with exit code 1. */
  readonly fails?: (response: ResponseOf<Id>) => boolean
  /** Prints the response without `--json`. */
  readonly text: (response: ResponseOf<Id>, output: Output["Service"], given: Values) => Effect.Effect<void>
}) => {
  const operation = operations.get(id)!
  const { args, defaults = {}, summary = operation.summary } = options
  const positional = operation.parameters.filter(({ name, place }) =>
    place === "path" && !Object.hasOwn(args ?? {}, name)
  )
  const config: Record<string, Param> = {
    ...Object.fromEntries(positional.map((each) => [each.name, argumentOf(operation.group, each)])),
    ...args as Record<string, Param>,
    ...options.flags
  }
  return Command.make(
    options.name ?? operation.name,
    config,
    lazy(() =>
      import("../api/OperationHandler.ts").then(({ perform }) =>
        perform(operation, {
          defaults,
          prepare: options.prepare,
          fails: (response) => options.fails?.(response as ResponseOf<Id>) ?? false,
          text: (response, output, given) => options.text(response as ResponseOf<Id>, output, given)
        })
      )
    )
  ).pipe(
    calls([id, ...options.alsoCalls ?? []]),
    prints(id),
    Command.withDescription(options.description ?? options.summary ?? helpOf(operation)),
    Command.withShortDescription(summary),
    Command.withExamples(options.examples)
  )
}
