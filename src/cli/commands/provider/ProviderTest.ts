/** `credsvc provider test`: checks a definition. */
import * as Effect from "effect/Effect"
import { Output } from "../../output/Output.ts"
import { Exited } from "../../output/Report.ts"
import { readText } from "../../parse/InputText.ts"

export const test = Effect.fnUntraced(function*(input: { readonly path: string }) {
  const output = yield* Output
  const { checkDocument } = yield* Effect.promise(() => import("../../../conformance/ProviderCheck.ts"))
  const flows = yield* checkDocument(yield* readText({ file: input.path, flag: "<path>" }))
  const failed = flows.some(({ checks }) => checks.some(({ problem }) => problem !== undefined))
  if (output.json) {
    yield* output.document({
      flows: flows.map(({ checks, flow, provider }) => ({
        provider,
        flow,
        checks: checks.map(({ name, problem }) => ({ name, problem: problem ?? null }))
      }))
    })
  } else {
    yield* output.data(output.table(flows.flatMap(({ checks, flow }) => checks.map((check) => ({ flow, ...check }))), {
      FLOW: ({ flow }) => flow,
      CHECK: ({ name }) => name,
      STATUS: ({ problem }) =>
        problem === undefined ? { text: "ok", style: "green" } : { text: "failed", style: "red" },
      PROBLEM: ({ problem }) => problem ?? ""
    }))
  }
  if (failed) return yield* Effect.fail(new Exited(1))
})
