/** Confirms an operation that deletes something. */
import * as Effect from "effect/Effect"
import { InputCancelledError } from "../../domain/Errors.ts"
import { Output } from "./Output.ts"
import * as Prompt from "./Prompt.ts"

/** Asks the user. Fails without a terminal and with `--json`, where nobody can answer: `--yes` is required there. */
export const confirmed = Effect.fnUntraced(function*(question: string, unchanged: string) {
  const { interactive } = yield* Output
  if (!interactive) {
    return yield* new InputCancelledError({
      detail: `${unchanged} Nobody can confirm it without a terminal or with --json: add --yes.`
    })
  }
  if (!(yield* Prompt.confirm(question))) return yield* new InputCancelledError({ detail: unchanged })
})
