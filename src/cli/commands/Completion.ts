import type * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import { Output } from "../Output.ts"

export const completion = (tree: () => Command.Command.Any) =>
  Effect.fnUntraced(function*({ shell }: { readonly shell: Completions.Shell }) {
    const output = yield* Output
    const script = Completions.generate("credsvc", shell, Completions.fromCommand(tree()))
    yield* output.either(() => ({ shell, script }), () => script.trimEnd())
  })
