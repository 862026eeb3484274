/** Completes the OpenAPI description with what endpoint definitions cannot express. */
import { describedPages } from "./LoginPages.ts"

type Json = Record<string, any>

const profileHeader = {
  name: "Credsvc-Profile",
  in: "header",
  required: false,
  description: "The profile to use. Defaults to the active profile.",
  schema: { type: "string" }
}

const refusal = {
  description:
    "Rejected before routing: invalid `Host` or `Origin` (403), method (405), size (413), media type (415), " +
    "authority (421), or too many requests (429).",
  content: {
    "application/problem+json": {
      schema: {
        type: "object",
        required: ["type", "title", "status", "error", "detail"],
        properties: {
          type: { type: "string", const: "urn:credsvc:error:request-refused" },
          title: { type: "string" },
          status: { type: "integer" },
          error: { type: "string", const: "RequestRefusedError" },
          detail: { type: "string" }
        }
      }
    }
  }
}

const methods = ["get", "post", "put", "delete", "patch"]

/** Renames error schemas. Only the encoded form of an error is part of the API. */
const unencoded = (document: Json): Json => JSON.parse(JSON.stringify(document).replaceAll("ErrorEncoded\"", "Error\""))

/** Adds the profile header, the guard's responses, the pages of a login and the body of `providers.register`. */
export const describe = (document: Json): Json => {
  document["components"] ??= {}
  // No operation requires a token. With an empty section, documentation tools would show a token field.
  if (Object.keys(document["components"].securitySchemes ?? {}).length === 0) {
    delete document["components"].securitySchemes
  }
  document["components"].responses = { ...document["components"].responses, RequestRefused: refusal }
  for (const [path, item] of Object.entries(document["paths"] as Json)) {
    for (const method of methods) {
      const operation = (item as Json)[method]
      if (operation === undefined) continue
      operation.responses ??= {}
      operation.responses.default ??= { $ref: "#/components/responses/RequestRefused" }
      if (!path.startsWith("/health") && !path.startsWith("/ready") && !path.startsWith("/profiles")) {
        operation.parameters = [...(operation.parameters ?? []), profileHeader]
      }
    }
  }
  for (const { method, operation, path } of describedPages) {
    const responses = { ...operation.responses, default: { $ref: "#/components/responses/RequestRefused" } }
    document["paths"][path] = { ...document["paths"][path], [method]: { ...operation, responses } }
  }
  // The responses of `get` and `register` and the body of `register` share one schema.
  const reference = { $ref: "#/components/schemas/ProviderDefinition" }
  const get = document["paths"]["/providers/{provider}"]?.get?.responses?.["200"]?.content?.["application/json"]
  const register = document["paths"]["/providers"]?.post
  if (get !== undefined && register?.requestBody !== undefined) {
    document["components"].schemas = { ...document["components"].schemas, ProviderDefinition: get.schema }
    get.schema = reference
    register.requestBody.content["application/json"].schema = reference
    const registered = register.responses?.["201"]?.content?.["application/json"]
    if (registered !== undefined) registered.schema = reference
  }
  return unencoded(document)
}
