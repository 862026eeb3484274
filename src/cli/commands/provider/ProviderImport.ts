import * as Effect from "effect/Effect"
import { InvalidRequestError } from "../../../domain/Errors.ts"
import { parseStrictJson } from "../../../domain/StrictJson.ts"
import { readDefinition } from "../../definitions/DefinitionFile.ts"
import { importDefinition } from "../../definitions/ForeignDefinition.ts"
import { Output } from "../../output/Output.ts"

export const importFile = Effect.fnUntraced(function*(input: { readonly path: string }) {
  const output = yield* Output
  const text = yield* readDefinition(input.path)
  const { document, notes } = yield* Effect.fromResult(parseStrictJson(text)).pipe(
    Effect.mapError((problem) => [problem]),
    Effect.flatMap((parsed) => Effect.fromResult(importDefinition(parsed))),
    Effect.mapError((problems) => InvalidRequestError.of(problems))
  )
  yield* output.document(document)
  for (const note of notes) yield* output.note(note)
})
