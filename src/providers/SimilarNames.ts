/** Suggests names of providers for an unknown name. */
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { editDistance } from "../domain/text/EditDistance.ts"
import { isProviderName } from "../domain/wire/Names.ts"

const nameDistance = (left: string, right: string): number =>
  right.startsWith(`${left}-`) || left.startsWith(`${right}-`) ? 1 : editDistance(left, right)

/** Suggests up to three names: the provider with this alias, or else names with the same prefix or with few differing letters. */
export const similarNames = (
  name: string,
  providers: Iterable<{ readonly name: string; readonly definition: ProviderDefinition }>
): ReadonlyArray<string> => {
  if (!isProviderName(name)) return []
  const most = Math.min(2, Math.max(1, Math.floor(name.length / 3)))
  return [...providers]
    .map((provider) => ({
      candidate: provider.name,
      distance: provider.definition.aliases.some((alias) => alias === name) ? 0 : nameDistance(name, provider.name)
    }))
    .filter(({ distance }) => distance <= most)
    .toSorted((left, right) => left.distance - right.distance)
    .filter(({ distance }, _, [closest]) => closest!.distance > 0 || distance === 0)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}
