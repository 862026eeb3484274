/** Describes what a provider definition claims, for the user who registers it. */
import * as Effect from "effect/Effect"
import type { ResponseOf } from "../../../api/Operations.ts"
import { Output } from "../../output/Output.ts"

type Claims = ResponseOf<"providers.check">

const overlapSentence = (name: string, overlap: Claims["overlaps"][number]): string => {
  const { host, other_host, other_provider } = overlap
  const other = other_host === host ? other_provider : `${other_provider} (${other_host})`
  if (overlap.other_source === "custom") return `${host} overlaps a host of the custom provider ${other}.`
  return overlap.taken_over
    ? `${name} takes over ${host} from ${other}.`
    : `Requests to ${host} use ${other} while ${other_provider} has a connection. ` +
      `To use ${name} instead: --take-over ${host}`
}

export const tellClaims = Effect.fnUntraced(function*(name: string, { overlaps, variables }: Claims) {
  const output = yield* Output
  if (variables.length > 0) {
    yield* output.note(
      ["Variables that `credsvc run` sets:", ...variables.map((variable) => `    ${variable}`)].join("\n")
    )
  }
  for (const overlap of overlaps) yield* output.warn(overlapSentence(name, overlap))
})
