/** Calls the operation of a command, and prints its response: with `--json` unchanged, otherwise as text. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type { Operation } from "../../api/Operations.ts"
import { providerName } from "../commands/provider/ProviderArgument.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"
import { perform, type Prepare, type Values } from "./OperationCall.ts"

/** The handler of a command that is one operation. */
export const handlerOf = (
  operation: Operation,
  { defaults, document, fails, prepare, text }: {
    readonly defaults: Values
    readonly prepare: (() => Promise<Prepare>) | undefined
    readonly fails: (response: unknown) => boolean
    readonly document: (response: unknown) => unknown
    readonly text: (response: unknown, output: Output["Service"], given: Values) => Effect.Effect<void>
  }
) =>
  Effect.fnUntraced(function*(input: Values) {
    const output = yield* Output
    const given = Record.map(input, (value) => Option.isOption(value) ? Option.getOrUndefined(value) : value)
    if (typeof given["provider"] === "string") yield* providerName(given["provider"])
    const values = operation.parameters.map(({ name }) => [name, given[name] ?? defaults[name]])
    // With --yes, there is nothing to ask.
    const isReady = prepare === undefined || input["yes"] === true
    const prepared = isReady ? undefined : yield* (yield* Effect.promise(prepare))(input)
    const response = yield* perform(operation, { ...Object.fromEntries(values), ...prepared })
    yield* output.json ? output.document(document(response)) : text(response, output, given)
    if (fails(response)) return yield* Effect.fail(new Exited(1))
  }, provideDaemon())
