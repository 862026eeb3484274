import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { credentialFields } from "../domain/definition/ProviderFields.ts"
import { sampleOf } from "./SampleText.ts"

export type Entered = Readonly<Record<string, string>>

/** Valid input for the fields of a definition, or the problem if a pattern is too complex. */
export const enteredFor = (definition: ProviderDefinition): Entered | string => {
  const values: Record<string, string> = {}
  for (const { name, pattern } of credentialFields(definition)) {
    const sample = pattern === undefined ? `${name.replaceAll("_", "-")}-4f9a1c7e2b8d` : sampleOf(pattern)
    if (sample === undefined) return `cannot generate a sample for the pattern of ${name}`
    values[name] = sample
  }
  return values
}
