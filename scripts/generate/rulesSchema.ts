/** Generates docs/rules.schema.json, with which editors check files with rules for runs. */
import { jsonSchemaOf } from "../../src/api/JsonSchemas.ts"
import { RulesFile } from "../../src/domain/rules/RulesFile.ts"
import { closed } from "./providerSchema.ts"
import { sortedJson } from "./sortedJson.ts"

export const rulesSchema = (): string => {
  const { definitions, schema } = jsonSchemaOf(RulesFile)
  return sortedJson(closed({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "credsvc rules",
    ...schema,
    $defs: definitions
  }))
}
