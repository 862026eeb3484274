/** Reads the definition of a custom provider. Also checks with `PublicSuffixes`, and how long its patterns take to match. */
import * as Effect from "effect/Effect"
import { readDefinition } from "../domain/definition/DefinitionReader.ts"
import type { HostOptions } from "../domain/definition/HostPattern.ts"
import { type OAuthProvider, type ProviderDefinition, StoredGrantKind } from "../domain/definition/Provider.ts"
import { sectionName, sectionOf } from "../domain/definition/ProviderFields.ts"
import { suffixProblems } from "../domain/definition/PublicSuffixes.ts"
import { storedGrantOf } from "../domain/definition/StoredGrants.ts"
import type { Problem } from "../domain/Errors.ts"
import { matchesWhole } from "../platform/PatternMatch.ts"

/** Reads a definition, or reports all its problems. The last checks run only on a definition that passes the earlier ones. */
export const readCustomDefinition = (
  document: unknown,
  options: HostOptions
): Effect.Effect<ProviderDefinition, ReadonlyArray<Problem>> =>
  Effect.gen(function*() {
    const definition = yield* Effect.fromResult(readDefinition(document, options))
    const problems = [...yield* suffixProblems(definition), ...patternProblems(definition)]
    return problems.length === 0 ? definition : yield* Effect.fail(problems)
  })

/** Texts that cause exponential backtracking in unsafe patterns. */
const probes = ["a", "0", "A", "-", "_", "sk-", "aA0"].map((part) => `${part.repeat(64)}!`)

const grantPatterns = ({ oauth }: OAuthProvider) =>
  StoredGrantKind.literals.flatMap((kind) =>
    storedGrantOf(oauth, kind)?.section.fields.map(({ pattern }, index) => ({
      path: `/oauth/${kind}/fields/${index}/pattern`,
      pattern
    })) ?? []
  )

const patternProblems = (definition: ProviderDefinition): ReadonlyArray<Problem> => {
  const patterns = [
    ...(definition.authType === "api_key"
      ? [
        { path: "/api_key/key_pattern", pattern: definition.apiKey.keyPattern },
        ...definition.regions.map(({ keyPattern }, index) => ({
          path: `/regions/${index}/key_pattern`,
          pattern: keyPattern
        }))
      ]
      : grantPatterns(definition)),
    ...sectionOf(definition).fields.map(({ pattern }, index) => ({
      path: `/${sectionName(definition)}/fields/${index}/pattern`,
      pattern
    }))
  ]
  return patterns.flatMap(({ path, pattern }) =>
    pattern !== undefined && probes.some((probe) => matchesWhole(pattern, probe) === "undecided")
      ? [{ path, message: "takes too long to match" }]
      : []
  )
}
