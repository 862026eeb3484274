/**
 * Commands that are one operation of the HTTP interface: their arguments, exit codes, help and JSON document follow from the
 * operation.
 */
import type * as Argument from "effect/cli/Argument"
import type * as Flag from "effect/cli/Flag"
import type * as Effect from "effect/Effect"
import type { Operation, OperationId, Parameter, ParameterOf, ResponseOf } from "../../api/Operations.ts"
import { QuestionId } from "../../domain/rules/Question.ts"
import { PolicyName } from "../../domain/rules/RuleSchemas.ts"
import { IdentityName } from "../../domain/wire/Identity.ts"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { RunName } from "../../domain/wire/Run.ts"
import { TrustName } from "../../domain/wire/Trust.ts"
import type { Prepare, Values } from "../api/OperationCall.ts"
import type { Output } from "../output/Output.ts"
import { command, lazy, operations } from "./CommandParts.ts"
import * as Param from "./Param.ts"

type Param = Argument.Argument<unknown> | Flag.Flag<unknown>

export const questionArgument = Param.argument("id", "The ID of the request, as shown by `credsvc approve`", QuestionId)

/** The arguments for parameters in paths, by the name of the parameter, or by its group and name. */
const standard: Readonly<Record<string, Argument.Argument<unknown>>> = {
  provider: Param.provider,
  connection: Param.connectionArgument,
  handle: Param.argument("handle", "Profile name, as shown by `credsvc profile list`", ProfileHandle),
  id: questionArgument,
  "identities name": Param.argument("identity", "Identity name, as shown by `credsvc admin identities`", IdentityName),
  "policies name": Param.argument("policy", "Policy name, as shown by `credsvc policy list`", PolicyName),
  "runs name": Param.argument("run", "The name of the run, as shown by `credsvc runs`", RunName),
  "trusts name": Param.argument("trust", "Trust name, as shown by `credsvc admin trust list`", TrustName),
  "sandboxes name": Param.sandboxArgument
}

const argumentOf = (group: string, { description, name }: Parameter): Argument.Argument<unknown> =>
  standard[`${group} ${name}`] ?? standard[name] ?? Param.argument(name, description)

/** Composes the help. The description replaces a summary that it repeats, such as "List runs" in "Lists the registered runs". */
const helpOf = ({ description, summary }: Operation): string =>
  description.startsWith(`${summary.split(" ")[0]}s `) ? description : `${summary}. ${description}`

export const operationCommand = <Id extends OperationId>(id: Id, options: {
  /** The name of the command, if it differs from the name of the operation. */
  readonly name?: string
  /** The arguments for parameters outside of the path, and for parameters that are optional in this command. */
  readonly args?: { readonly [Name in ParameterOf<Id>]?: Param }
  /** More flags, which `prepare` reads. The flag `yes` skips `prepare`. */
  readonly flags?: Readonly<Record<string, Param>>
  /** The values that the command sends for absent parameters. */
  readonly defaults?: { readonly [Name in ParameterOf<Id>]?: unknown }
  readonly prepare?: () => Promise<Prepare>
  /** The operations that `prepare` calls. */
  readonly alsoCalls?: ReadonlyArray<OperationId>
  /** The help, if the description of the operation does not fit. */
  readonly description?: string
  readonly summary?: string
  readonly examples: string
  /** Whether the response is a failure, with exit code 1. */
  readonly fails?: (response: ResponseOf<Id>) => boolean
  /** What `--json` prints, if not the response. `is` completes "With --json:". */
  readonly document?: { readonly is: string; readonly of: (response: ResponseOf<Id>) => unknown }
  /** Prints the response as text, if `--json` is not set. */
  readonly text: (response: ResponseOf<Id>, output: Output["Service"], given: Values) => Effect.Effect<void>
}) => {
  const operation = operations.get(id)!
  const { args, defaults = {}, document, summary = operation.summary } = options
  const positional = operation.parameters.filter(({ name, place }) =>
    place === "path" && !Object.hasOwn(args ?? {}, name)
  )
  const config: Record<string, Param> = {
    ...Object.fromEntries(positional.map((each) => [each.name, argumentOf(operation.group, each)])),
    ...args as Record<string, Param>,
    ...options.flags
  }
  return command(options.name ?? operation.name, {
    params: config,
    handler: lazy(() =>
      import("../api/OperationHandler.ts").then(({ handlerOf }) =>
        handlerOf(operation, {
          defaults,
          prepare: options.prepare,
          fails: (response) => options.fails?.(response as ResponseOf<Id>) ?? false,
          document: (response) => document === undefined ? response : document.of(response as ResponseOf<Id>),
          text: (response, output, given) => options.text(response as ResponseOf<Id>, output, given)
        })
      )
    ),
    calls: [id, ...options.alsoCalls ?? []],
    ...document === undefined ? { prints: id } : { document: document.is },
    description: options.description ?? options.summary ?? helpOf(operation),
    summary,
    examples: options.examples
  })
}
