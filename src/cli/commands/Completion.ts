import * as Effect from "effect/Effect"
import { completionScripts } from "../completion/CompletionScripts.ts"
import { Output } from "../output/Output.ts"

export const completion = Effect.fnUntraced(function*({ shell }: { readonly shell: keyof typeof completionScripts }) {
  const output = yield* Output
  const script = completionScripts[shell]
  yield* output.either(() => ({ shell, script }), () => script.trimEnd())
})
