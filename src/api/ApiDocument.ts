/** The OpenAPI document. The build replaces this module with the finished document, because generating it needs much code. */
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ProviderDefinition } from "../domain/definition/Provider.ts"
import { Api, operations } from "./Api.ts"
import { keptAnnotations } from "./JsonSchemas.ts"
import { describeApi } from "./OpenApiDescription.ts"

const definition = Schema.toJsonSchemaDocument(ProviderDefinition, { ...keptAnnotations, onExcessProperty: "error" })

export const apiDocument: Readonly<Record<string, unknown>> = describeApi(
  OpenApi.fromApi(Api, keptAnnotations),
  definition.schema,
  new Map(operations.map(({ facts, id }) => [id, facts]))
)
