/** Rejects hosts of a definition that are too wide, by the public suffix list. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Problem } from "../Errors.ts"
import { placementAt } from "../injection/Placement.ts"
import { parseHostPattern, templateSuffix } from "./HostPattern.ts"
import type { ProviderDefinition } from "./Provider.ts"
import { definedBaseUrls, sectionName } from "./ProviderFields.ts"

/**
 * Rejects hosts directly under a registry suffix, and wildcards under a suffix of a hosting company (`*.github.io`): anyone can
 * register names there. A template of a base URL may use the latter, because each connection names its own URL.
 */
export const suffixProblems = (definition: ProviderDefinition): Effect.Effect<ReadonlyArray<Problem>> =>
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
