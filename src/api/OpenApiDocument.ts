/**
 * Creates the OpenAPI document, with what endpoint definitions cannot express. The build replaces this module with the finished
 * document, because generating it needs much code.
 */
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ProviderDefinition } from "../domain/definition/Provider.ts"
import { Api, operations } from "./Api.ts"
import { exampleChanges, exampleOf } from "./Examples.ts"
import { componentNameOf, extractComponents, type Json, keptAnnotations, withDiscriminators } from "./JsonSchemas.ts"
import { describedPages } from "./LoginPages.ts"
import type { OperationFacts } from "./OperationParts.ts"

const prefix = "#/components/schemas/"
const problemType = "application/problem+json"

const parameters = {
  Profile: {
    name: "Credsvc-Profile",
    in: "header",
    required: false,
    description: "The profile to use. Defaults to the active profile.",
    schema: { $ref: `${prefix}ProfileHandle` },
    example: "quiet-heron-4821"
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    required: false,
    description:
      "The entity tag of an earlier response. The daemon responds with 304 if that response is still current.",
    schema: { type: "string" },
    example: "\"8f14e45f\""
  }
}

const entityTag = {
  ETag: { description: "The version of the response, for If-None-Match.", schema: { type: "string" }, required: true }
}

const proof = {
  "Credsvc-Proof": {
    description: "With `nonce`: proves that the daemon can read the access key.",
    schema: { type: "string" }
  }
}

const withoutProfile = /^\/(?:health|ready|profiles|runs$|identities$)/

const refusal = (description: string) => ({
  description,
  content: {
    [problemType]: {
      schema: { $ref: `${prefix}RequestRefusedError` },
      example: {
        type: "urn:credsvc:error:request-refused",
        title: "Request refused",
        status: 403,
        error: "RequestRefusedError",
        detail: "The daemon does not accept requests from other sites."
      }
    }
  }
})

const refusals = {
  Malformed: refusal("The request is malformed. Rejected before routing."),
  OtherSite: refusal("The `Host` or the origin of the request is not the daemon's own. Rejected before routing."),
  TooLarge: refusal("The body is too large. Rejected before routing."),
  WrongMediaType: refusal("The body does not have the media type of the operation. Rejected before routing."),
  Unsigned: refusal("The request comes from another machine, and no enrolled identity has signed it."),
  TooManyRequests: refusal(
    "Too many requests from this identity (`Retry-After` says when to try again), too many logins in progress, or " +
      "too many clients that wait for a login."
  ),
  UnsupportedMethod: refusal("The route does not support this method, or the request is a protocol upgrade."),
  TooManyHeaders: refusal("The request has too many headers. Rejected before routing.")
}

const accessKey = {
  type: "apiKey",
  in: "header",
  name: "Credsvc-Client",
  description:
    "No operation requires a token on the machine of the daemon. The daemon admits connections, not requests. On Linux it admits every loopback " +
    "connection whose socket belongs to the daemon's user, and closes others without a response. A connection whose " +
    "first request is `GET /health?nonce=<nonce>` with this header is admitted by the header alone. If other machines can reach " +
    "the daemon, only such connections count as local. The value is a time in Unix milliseconds, a dot, and a keyed hash of the nonce, " +
    "both ends of the connection and the time. The key is a file in the home " +
    "directory that only the user can read."
}

const signature = {
  type: "apiKey",
  in: "header",
  name: "Signature",
  description:
    "Requests from other machines are signed by an enrolled identity (RFC 9421, Ed25519), with the tag `credsvc`, " +
    "`created`, a `nonce` of 16 to 64 characters and the thumbprint of the key (RFC 7638) as `keyid`. The signature covers " +
    "`@method`, `@authority`, `@path`, `@query`, the `Content-Digest` (RFC 9530) of a body, and every `Credsvc-…` field."
}

const security = [{}, { accessKey: [] }, { signature: [] }]

const standardMembers: Readonly<Record<string, string>> = {
  type: "A URI that identifies the kind of problem",
  title: "The kind of problem in words",
  status: "The HTTP status",
  error: "The name of the error class",
  detail: "What is wrong, and what to do",
  instance: "Not used"
}

const methods = ["get", "post", "put", "delete", "patch"]

const operationsOf = (paths: Json): ReadonlyArray<{ readonly path: string; readonly operation: Json }> =>
  Object.entries<Json>(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => item[method] === undefined ? [] : [{ path, operation: item[method] as Json }])
  )

const isSuccess = (status: string): boolean => status.startsWith("2")

/** Describes the standard members of a problem (RFC 9457), and requires them, because the daemon always sends them. */
const describeProblem = (name: string, schema: Json): void => {
  const properties = schema["properties"] as Json
  for (const [member, description] of Object.entries(standardMembers)) {
    properties[member] = { ...properties[member], description }
  }
  properties["status"].type = "integer"
  // The guard uses this class with several statuses.
  if (name === "RequestRefusedError") {
    properties["status"] = { type: "integer", minimum: 400, maximum: 499, description: standardMembers["status"] }
  }
  schema["required"] = Object.keys(properties).filter((member) => member !== "instance")
  schema["description"] = properties["title"].const
}

/** Moves the description of a schema to its parameter, where documentation shows it. */
const describeParameter = (parameter: Json, components: Json): Json => {
  const { description, ...schema } = parameter["schema"] as Json
  const said = parameter["description"] ?? description ?? components[componentNameOf(schema) ?? ""]?.description
  return { ...parameter, schema, ...(said === undefined ? {} : { description: said }) }
}

const isProblem = (schema: Json): boolean => schema["properties"]?.error !== undefined && "type" in schema["properties"]

const refused = { $ref: `${prefix}RequestRefusedError` }

/** Adds a response of the guard to the operation's own responses with this status. */
const addRefusal = (responses: Json, status: string, name: keyof typeof refusals): void => {
  const own = responses[status]
  if (own === undefined) {
    responses[status] = { $ref: `#/components/responses/${name}` }
    return
  }
  const problem = own.content?.[problemType]
  const schemas: ReadonlyArray<Json> = problem === undefined ? [] : problem.schema.anyOf ?? [problem.schema]
  const isDeclared = schemas.some(({ $ref }) => $ref === refused.$ref)
  const all = isDeclared ? schemas : [...schemas, refused]
  responses[status] = {
    ...own,
    description: isDeclared ? own.description : `${own.description} | Request refused`,
    content: { ...own.content, [problemType]: { schema: all.length === 1 ? all[0] : { anyOf: all } } }
  }
}

const refusalsOfAll = {
  400: "Malformed",
  401: "Unsigned",
  403: "OtherSite",
  405: "UnsupportedMethod",
  429: "TooManyRequests",
  431: "TooManyHeaders"
} as const

/** Adds the responses that the daemon sends before it calls the operation. */
const addRefusals = (operation: Json): void => {
  const { requestBody, responses } = operation
  const ofBody = requestBody === undefined ? {} : { 413: "TooLarge", 415: "WrongMediaType" } as const
  for (const [status, name] of Object.entries({ ...refusalsOfAll, ...ofBody })) addRefusal(responses, status, name)
}

const addExamples = (operation: Json, components: Json): void => {
  const { operationId, requestBody = {}, responses } = operation
  for (const body of Object.values<Json>(requestBody.content ?? {})) {
    body["example"] = exampleOf(body["schema"], components)
  }
  for (const [status, { content }] of Object.entries<Json>(responses)) {
    const body = isSuccess(status) || status === "503" ? content?.["application/json"] : undefined
    if (body === undefined) continue
    const example = exampleOf(body.schema, components)
    body.example = operationId in exampleChanges
      ? Object.assign(example as object, exampleChanges[operationId])
      : example
  }
}

/** The components that a value refers to, directly or through others. */
const reached = (value: unknown, components: Json, found = new Set<string>()): ReadonlySet<string> => {
  const name = componentNameOf(value)
  if (name !== undefined && !found.has(name)) {
    found.add(name)
    reached(components[name], components, found)
  }
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) reached(inner, components, found)
  }
  return found
}

/** Allows unknown fields in responses, which clients ignore. Schemas that only requests use stay closed. */
const openResponses = (paths: Json, components: Json): void => {
  const responses = operationsOf(paths).map(({ operation }) => operation["responses"])
  for (const name of reached(responses, components)) {
    if (components[name].additionalProperties === false) delete components[name].additionalProperties
  }
}

/** Adds the parameters, the descriptions of responses and the security of an operation. */
const completeOperation = (
  operation: Json,
  path: string,
  components: Json,
  { hasEntityTag, isHeld }: OperationFacts
): void => {
  const headers = hasEntityTag === true ? entityTag : operation["operationId"] === "system.health" ? proof : undefined
  operation["parameters"] = [
    ...operation["parameters"].map((parameter: Json) => describeParameter(parameter, components)),
    ...(withoutProfile.test(path) ? [] : [{ $ref: "#/components/parameters/Profile" }]),
    ...(hasEntityTag === true ? [{ $ref: "#/components/parameters/IfNoneMatch" }] : [])
  ]
  for (const [status, response] of Object.entries<Json>(operation["responses"])) {
    const [content] = Object.values<Json>(response["content"] ?? {})
    const { description } = components[componentNameOf(content?.["schema"]) ?? ""] ?? {}
    if (description !== undefined && response["description"] === "Success") response["description"] = description
    if (isSuccess(status) && headers !== undefined) response["headers"] = headers
  }
  if (hasEntityTag === true) {
    operation["responses"]["304"] = {
      description: "Not modified since the response with this entity tag.",
      headers: entityTag
    }
  }
  operation["security"] = isHeld === true ? security.slice(1) : security
}

/** Completes the generated document. */
const describeApi = (generated: object): Json => {
  const definition = Schema.toJsonSchemaDocument(ProviderDefinition, { ...keptAnnotations, onExcessProperty: "error" })
  const facts = new Map<unknown, OperationFacts>(operations.map(({ facts, id }) => [id, facts]))
  // Only the encoded form of an error is part of the API.
  const document: Json = JSON.parse(JSON.stringify(generated).replaceAll("ErrorEncoded\"", "Error\""))
  for (const path of ["/providers", "/providers/check"]) {
    document["paths"][path].post.requestBody.content["application/json"].schema = definition.schema
  }
  const components: Json = {}
  for (const [name, schema] of Object.entries(document["components"].schemas)) {
    components[name] = extractComponents(schema, components, prefix)
    if (isProblem(components[name])) describeProblem(name, components[name])
  }
  const paths = extractComponents(document["paths"], components, prefix)
  for (const { path, operation } of operationsOf(paths)) {
    completeOperation(operation, path, components, facts.get(operation["operationId"])!)
  }
  for (const { method, operation, path } of describedPages) {
    const page = extractComponents(operation, components, prefix)
    page.parameters = page.parameters.map((parameter: Json) => describeParameter(parameter, components))
    paths[path] = { ...paths[path], [method]: { ...page, security: [{}, { accessKey: [] }] } }
  }
  for (const { operation } of operationsOf(paths)) {
    addRefusals(operation)
    addExamples(operation, components)
  }
  openResponses(paths, components)
  return {
    ...document,
    info: { ...document["info"], contact: { name: "credsvc" } },
    paths: withDiscriminators(paths, components),
    components: {
      schemas: withDiscriminators(components, components),
      parameters,
      responses: refusals,
      securitySchemes: { accessKey, signature }
    },
    security
  }
}

export const apiDocument: Readonly<Record<string, unknown>> = describeApi(OpenApi.fromApi(Api, keptAnnotations))
