/** Reads the definition of a custom provider. Also checks with `PublicSuffixes`, and how long its patterns take to match. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { readDefinition } from "../domain/definition/DefinitionReader.ts"
import type { HostOptions } from "../domain/definition/HostPattern.ts"
import { type OAuthProvider, type ProviderDefinition, StoredGrantKind } from "../domain/definition/Provider.ts"
import { sectionName, sectionOf } from "../domain/definition/ProviderFields.ts"
import { suffixProblems } from "../domain/definition/PublicSuffixes.ts"
import { storedGrantOf } from "../domain/definition/StoredGrants.ts"
import type { Problem } from "../domain/Errors.ts"
import { parseStrictJson } from "../domain/text/StrictJson.ts"
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

/** Reads the stored definition of the provider with this name, or reports all its problems. */
export const readStoredDefinition = Effect.fnUntraced(function*(name: string, bytes: Uint8Array) {
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: (): ReadonlyArray<Problem> => [{ path: "", message: "is not UTF-8 text" }]
  })
  const document = yield* Effect.mapError(Effect.fromResult(parseStrictJson(text)), (problem) => [problem])
  // A stored definition itself records the user's permission for loopback addresses.
  const allowInsecureLoopback = Predicate.isObject(document) && document["allow_insecure_loopback"] === true
  const definition = yield* readCustomDefinition(document, { allowInsecureLoopback })
  if (definition.name === name) return definition
  return yield* Effect.fail<ReadonlyArray<Problem>>([{ path: "/name", message: "must match the file name" }])
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
