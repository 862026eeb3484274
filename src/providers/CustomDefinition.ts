/**
 * Reads the definition of a custom provider. Also checks its hosts against the public suffix list, and how long its patterns take
 * to match.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readDefinition } from "../domain/definition/DefinitionReader.ts"
import { parseHostPattern, templateSuffix } from "../domain/definition/HostPattern.ts"
import type { HostOptions } from "../domain/definition/HostPattern.ts"
import { type OAuthProvider, type ProviderDefinition, StoredGrantKind } from "../domain/definition/Provider.ts"
import { definedBaseUrls, sectionName, sectionOf } from "../domain/definition/ProviderFields.ts"
import { storedGrantOf } from "../domain/definition/StoredGrants.ts"
import type { Problem } from "../domain/Errors.ts"
import { placementAt } from "../domain/injection/Placement.ts"
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

/**
 * Rejects hosts directly under a registry suffix, and wildcards under a suffix of a hosting company (`*.github.io`): anyone can
 * register names there. A template of a base URL may use the latter, because each connection names its own URL.
 */
const suffixProblems = (definition: ProviderDefinition): Effect.Effect<ReadonlyArray<Problem>> =>
  Effect.gen(function*() {
    const section = sectionName(definition)
    const forms = definedBaseUrls(definition).slice(definition.regions.length)
    const hosts = [...definition.hosts.entries()].map(([index, entry]) => ({ path: `/hosts/${index}`, entry }))
    const named = [
      ...hosts,
      ...(definition.apiUrl === undefined
        ? []
        : [{ path: "/api_url", entry: definition.apiUrl.replace(/^https?:\/\//i, "") }])
    ].flatMap(({ entry, path }) => {
      const pattern = parseHostPattern(entry, { allowInsecureLoopback: definition.allowInsecureLoopback })
      if (Result.isFailure(pattern)) return []
      const { host, labels } = pattern.success
      // A signature is valid only for its own host, so it is useless to strangers below the suffix.
      return [{ path, host, wildcard: labels.length > 0 && placementAt(definition, entry).awsSigv4 === undefined }]
    })
    const templates = forms.flatMap((form, index) =>
      form.includes("{")
        ? [{
          path: `/${section}/base_url${forms.length > 1 ? `/${index}` : ""}`,
          host: templateSuffix(form),
          wildcard: false
        }]
        : []
    )
    const { getPublicSuffix } = yield* Effect.promise(() => import("tldts"))
    const isSuffix = (host: string, allowPrivateDomains: boolean) =>
      getPublicSuffix(host, { allowPrivateDomains, validateHostname: false }) === host
    return [...named, ...templates].flatMap(({ host, path, wildcard }) =>
      isSuffix(host, wildcard) ? [{ path, message: "is a public suffix, below which anyone can register a name" }] : []
    )
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
