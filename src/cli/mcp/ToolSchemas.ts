/** The JSON schemas of the tools. The build replaces this module with its value, because the conversion needs much code. */
import type * as Schema from "effect/Schema"
import { jsonSchemaOf } from "../../api/JsonSchemas.ts"
import { tools } from "./Tools.ts"

const jsonSchema = (schema: Schema.Constraint) => {
  const { definitions, schema: root } = jsonSchemaOf(schema)
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}

/** Maps the name of a tool to its schemas. */
export const toolSchemas: Readonly<Record<string, Record<"inputSchema" | "outputSchema", object>>> = Object.fromEntries(
  tools.map(({ input, name, output }) => [name, {
    inputSchema: { ...jsonSchema(input), additionalProperties: false },
    outputSchema: jsonSchema(output)
  }])
)
