/** Describes what a provider definition claims, for the user who registers it. */
import * as Effect from "effect/Effect"
import type { ProviderClaims, ProviderOverlap } from "../../../api/ProvidersGroup.ts"
import { Output } from "../../output/Output.ts"

const overlapSentence = (name: string, overlap: ProviderOverlap): string => {
  const { host, otherHost, otherProvider, otherSource, takenOver } = overlap
  const other = otherHost === host ? otherProvider : `${otherProvider} (${otherHost})`
  if (otherSource === "custom") return `${host} overlaps the custom provider ${other}.`
  return takenOver
    ? `${name} takes over ${host} from ${other}.`
    : `Requests to ${host} use ${other} while it has a connection. ` +
      `To use ${name} instead: --take-over ${host}`
}

export const tellClaims = Effect.fnUntraced(function*(name: string, { overlaps, variables }: ProviderClaims) {
  const output = yield* Output
  if (variables.length > 0) {
    yield* output.note(
      ["Variables that `credsvc run` sets:", ...variables.map((variable) => `    ${variable}`)].join("\n")
    )
  }
  for (const overlap of overlaps) yield* output.warn(overlapSentence(name, overlap))
})
