/** Generates docs/provider.schema.json, with which editors check and complete provider definitions. */
import { jsonSchemaOf } from "../../src/api/JsonSchemas.ts"
import { ProviderDefinition } from "../../src/domain/definition/Provider.ts"
import { sortedJson } from "./sortedJson.ts"

/** Forbids unknown fields. The program rejects unknown fields with a parse option, which is not part of the schema itself. */
export const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== "object" || value === null) return value
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]))
  return inner.type === "object" && "properties" in inner ? { ...inner, additionalProperties: false } : inner
}

export const providerSchema = (): string => {
  const { definitions, schema } = jsonSchemaOf(ProviderDefinition)
  return sortedJson(closed({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "credsvc provider definition",
    ...schema,
    $defs: definitions
  }))
}
