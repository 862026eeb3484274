/** Checks that each bundled definition states the sources of its facts. */
import type { ProviderDefinition } from "../../src/domain/Provider.ts"

/**
 * The problems with the sources of the definitions, one sentence each. `unaudited` names the definitions that nobody has
 * checked yet; an entry that has sources or does not exist is a problem, so the list can only become shorter.
 */
export const sourceProblems = (
  definitions: ReadonlyMap<string, Pick<ProviderDefinition, "sources">>,
  unaudited: ReadonlySet<string>
): ReadonlyArray<string> => [
  ...[...definitions].flatMap(([name, { sources }]) =>
    sources.length === 0 && !unaudited.has(name) ? [`providers/${name}.json: /sources needs at least one source`] : []
  ),
  ...[...unaudited].flatMap((name) => {
    const definition = definitions.get(name)
    if (definition === undefined) {
      return [`${name} is listed as unaudited, but has no definition; remove it from the list`]
    }
    return definition.sources.length > 0
      ? [`${name} is listed as unaudited, but has sources; remove it from the list`]
      : []
  })
]
