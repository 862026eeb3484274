/** The OpenAPI document. The build replaces this module with the finished document, because generating it needs much code. */
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ProviderDefinition } from "../domain/definition/Provider.ts"
import { Api, operations } from "./Api.ts"
import { describe } from "./Description.ts"
import { annotated } from "./JsonSchemas.ts"

const definition = Schema.toJsonSchemaDocument(ProviderDefinition, { ...annotated, onExcessProperty: "error" })

export const apiDocument: Readonly<Record<string, unknown>> = describe(
  OpenApi.fromApi(Api, annotated),
  definition.schema,
  new Map(operations.map(({ facts, id }) => [id, facts]))
)
