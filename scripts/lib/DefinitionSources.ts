/** Checks that each bundled definition states the sources of its facts. */
import type { ProviderDefinition } from "../../src/domain/definition/Provider.ts"

/** The definitions without a source, one sentence each. */
export const sourceProblems = (
  definitions: ReadonlyMap<string, Pick<ProviderDefinition, "sources">>
): ReadonlyArray<string> =>
  [...definitions].flatMap(([name, { sources }]) =>
    sources.length === 0 ? [`providers/${name}.json: /sources needs at least one source`] : []
  )
