/** Checks that each exact placeholder belongs to one provider. */
import type { ProviderDefinition } from "../../src/domain/definition/Provider.ts"
import { exactPlaceholders } from "../../src/domain/injection/Placement.ts"

/** The exact placeholders that contain one of another provider, one sentence each. */
export const exactPlaceholderProblems = (
  definitions: ReadonlyMap<string, ProviderDefinition>
): ReadonlyArray<string> => {
  const all = [...definitions].flatMap(([name, definition]) =>
    exactPlaceholders(definition).map((placeholder) => ({ name, placeholder }))
  )
  return all.flatMap(({ name, placeholder }) =>
    all.filter((other) => other.name !== name && placeholder.includes(other.placeholder))
      .map((other) => `providers/${name}.json: its placeholder contains that of ${other.name}`)
  )
}
