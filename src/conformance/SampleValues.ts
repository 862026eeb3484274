/** Sample values for a check of a definition, in place of the user's input. They need not match the fields' patterns. */
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { credentialFields } from "../domain/definition/ProviderFields.ts"

export type Values = Readonly<Record<string, string>>

/** Returns a value that differs for each name. It is also valid base64, and valid as part of a host name. */
export const sampleValue = (name: string): string => {
  const text = `${name.replaceAll("_", "")}4f9a1c7e2b8d`
  return text.slice(0, text.length - text.length % 4)
}

/** Returns a value for each field of the credential. */
export const sampleFields = (definition: ProviderDefinition): Values =>
  Object.fromEntries(credentialFields(definition).map(({ name }) => [name, sampleValue(name)]))

/** Replaces the names in braces with their values. */
export const fillTemplate = (template: string, values: Values): string =>
  template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => values[name] ?? "")

/** Returns a copy of a definition whose fields accept every value. */
export const withoutPatterns = (definition: ProviderDefinition): ProviderDefinition =>
  JSON.parse(
    JSON.stringify(definition),
    (name, value: unknown) => name === "pattern" || name === "keyPattern" ? undefined : value
  )
