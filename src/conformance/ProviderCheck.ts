/** Checks a provider definition against a fake provider in this process, without a network or real secrets. */
import * as Effect from "effect/Effect"
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { definedBaseUrl } from "../domain/definition/ProviderFields.ts"
import { InvalidRequestError } from "../domain/Errors.ts"
import { parseStrictJson } from "../domain/text/StrictJson.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { BundledProviders } from "../providers/BundledProviders.ts"
import { readCustomDefinition } from "../providers/CustomDefinition.ts"
import { variableProblems } from "../providers/VariableClaims.ts"
import { checkApiKey } from "./ApiKeyCheck.ts"
import * as CheckHome from "./CheckHome.ts"
import { checkOAuth } from "./OAuthCheck.ts"
import type { ProviderReport } from "./ProviderReport.ts"
import { withoutPatterns } from "./SampleGrant.ts"

const tenantOf = (definition: ProviderDefinition): string | null => {
  const defined = definedBaseUrl(definition)
  if (defined !== undefined) return defined.replaceAll(/\{\w+\}/g, "tenant")
  const places = [definition.apiUrl ?? "", ...definition.hosts]
  return places.some((place) => place.startsWith("{base_url}")) ? "https://tenant.example.com" : null
}

/** The number of homes in which checks run in parallel, because they mostly wait for the disk and for polling intervals. */
const homes = 4

const checkEach = (definitions: ReadonlyArray<ProviderDefinition>) =>
  Effect.gen(function*() {
    const profile = yield* (yield* Profiles).active
    const reports: Array<ProviderReport> = []
    for (const definition of definitions) {
      const baseUrl = tenantOf(definition)
      // The requests of the flow `assume_role` do not depend on the definition.
      for (const flow of definition.flows.filter((flow) => flow !== "assume_role")) {
        const checks = definition.authType === "api_key"
          ? yield* checkApiKey(profile, definition, baseUrl)
          : yield* checkOAuth(profile, definition, flow, baseUrl)
        reports.push({ provider: definition.name, flow, checks })
      }
    }
    return reports
  }).pipe(Effect.provide(CheckHome.layerOf(definitions)), Effect.scoped, Effect.orDie)

export const checkProviders = (
  definitions: ReadonlyArray<ProviderDefinition>
): Effect.Effect<ReadonlyArray<ProviderReport>> => {
  const shares = Array.from(
    { length: Math.min(homes, definitions.length) },
    (_, home) => definitions.filter((_, index) => index % homes === home).map(withoutPatterns)
  )
  return Effect.map(Effect.all(shares.map(checkEach), { concurrency: "unbounded" }), (reports) => reports.flat())
}

/** Checks the definition in a string, as a custom definition beside the bundled providers. */
export const checkDocument = (text: string): Effect.Effect<ReadonlyArray<ProviderReport>, InvalidRequestError> =>
  Effect.fromResult(parseStrictJson(text)).pipe(
    Effect.mapError((problem) => InvalidRequestError.of([problem])),
    Effect.flatMap((document) =>
      Effect.gen(function*() {
        const definition = yield* readCustomDefinition(document, { allowInsecureLoopback: true })
        const problems = variableProblems(definition, (yield* BundledProviders).providers, [])
        return problems.length === 0 ? definition : yield* Effect.fail(problems)
      }).pipe(Effect.mapError((problems) => InvalidRequestError.of(problems)), Effect.provide(BundledProviders.layer))
    ),
    Effect.flatMap((definition) => checkProviders([definition]))
  )
