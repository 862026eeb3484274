/**
 * The operations of the HTTP interface as commands, derived from `Api`: parameters, help texts and exit codes. The build
 * replaces this module with the computed value.
 */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import type * as Schema from "effect/Schema"
import { published, type PublishedError } from "../domain/Errors.ts"
import { ExitCode } from "../domain/ExitCode.ts"
import type { SnakeCase } from "../domain/wire/Wire.ts"
import { Api } from "./Api.ts"
import { componentNameOf } from "./JsonSchemas.ts"
import { apiDocument } from "./OpenApiDocument.ts"
import { factsOf } from "./OperationParts.ts"

type Json = Readonly<Record<string, any>>

type Group = typeof Api extends HttpApi.HttpApi<string, infer Groups extends HttpApiGroup.Constraint> ? Groups : never

type IdsOf<Each> = Each extends { readonly identifier: infer Name extends string; readonly endpoints: infer Endpoints }
  ? `${Name}.${keyof Endpoints & string}`
  : never

/** The group and the name of an operation, as in `connections.setDefault`. */
export type OperationId = IdsOf<Group>

type EndpointOf<Id extends OperationId> = Id extends `${infer Name}.${infer Own}`
  ? Extract<Group, { readonly identifier: Name }>["endpoints"] extends infer Endpoints
    ? Own extends keyof Endpoints ? Endpoints[Own] & HttpApiEndpoint.ConstraintRequest : never
  : never
  : never

type EncodedOf<Codec> = Codec extends { readonly schema: infer Own extends Schema.Constraint } ? Own["Encoded"] : never

/** The JSON of the response of an operation. */
export type ResponseOf<Id extends OperationId> = EncodedOf<EndpointOf<Id>["~Success"]>

type TypeOf<Codec> = Codec extends { readonly schema: infer Own extends Schema.Constraint } ? Own["Type"] : never

/** The type of the field that has this name in JSON. */
type Named<Type, Name> = {
  [Own in keyof Type]: Own extends string ? SnakeCase<Own> extends Name ? Type[Own] : never : never
}[keyof Type]

/** The JSON of a schema, but with its secrets still `Redacted`. */
type Sent<Type, Json> = [Extract<Type, Redacted.Redacted<unknown>>] extends [never]
  ? Json extends ReadonlyArray<infer Each> ?
    ReadonlyArray<Sent<Type extends ReadonlyArray<infer Own> ? Own : never, Each>>
  : Json extends object ? { readonly [Name in keyof Json]: Sent<Named<Type, Name>, Json[Name]> }
  : Json
  : Redacted.Redacted<Json>

/** The fields of a part of a request: none if the operation lacks the part, or if the part may be any JSON value. */
type FieldsOf<Codec> = [EncodedOf<Codec>] extends [never] ? {}
  : unknown extends EncodedOf<Codec> ? {}
  : Sent<TypeOf<Codec>, EncodedOf<Codec>>

/** The values of the parameters of an operation, as they are sent, with secrets `Redacted`. */
export type ValuesOf<Id extends OperationId> =
  & FieldsOf<EndpointOf<Id>["~Params"]>
  & FieldsOf<EndpointOf<Id>["~Query"]>
  & FieldsOf<EndpointOf<Id>["~Payload"]>

/** The names of the parameters of an operation, as they are sent. */
export type ParameterOf<Id extends OperationId> = keyof ValuesOf<Id> & string

export type Place = "path" | "query" | "header" | "body"

export interface Parameter {
  /** The name in the request. */
  readonly name: string
  readonly flag: string
  readonly place: Place
  /** `toggle`: true if the flag is set, otherwise omitted. A list contains the allowed words. */
  readonly kind: "text" | "number" | "boolean" | "toggle" | ReadonlyArray<string>
  readonly repeatable: boolean
  readonly required: boolean
  readonly description: string
}

export interface OperationTarget {
  readonly method: string
  readonly path: string
  readonly hasBody: boolean
}

export interface Operation extends OperationTarget {
  readonly id: OperationId
  readonly group: string
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly parameters: ReadonlyArray<Parameter>
  /** Required fields of the body that no flag can set: objects, lists of objects, and secrets. */
  readonly onlyInBody: ReadonlyArray<string>
  readonly reveals: "always" | "on_request" | "never"
  /** Whether the response stays open after its first line. */
  readonly isHeld: boolean
  /** The names of its errors, and their exit codes. */
  readonly errors: ReadonlyArray<{ readonly name: PublishedErrorName; readonly exitCode: number }>
  /** The exit codes of its failures, besides the exit codes that every command has. */
  readonly exitCodes: ReadonlyArray<number>
  /** The component that describes the response. */
  readonly response: string | undefined
}

const kebab = (name: string): string =>
  name.replaceAll("_", "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace(/^-/, "")

const resolved = (schema: Json | undefined, document: Json): Json => {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema?.["$ref"] ?? "")?.[1]
  return name === undefined ? schema ?? {} : resolved(document["components"].schemas[name], document)
}

const placeTitles: Readonly<Record<Place, string>> = {
  path: "Path parameter",
  query: "Query parameter",
  header: "Header",
  body: "Field"
}

const booleanWords = new Set(["true", "false"])

/** The kind of a flag for values of the schema, or undefined for objects, which only `--input` can give. */
const kindOf = ({ enum: values, type }: Json): Parameter["kind"] | undefined => {
  if (type === "boolean" || (values?.length === 2 && values.every((value: string) => booleanWords.has(value)))) {
    return "toggle"
  }
  if (Array.isArray(values)) return values
  if (type === "integer" || type === "number") return "number"
  return type === "string" ? "text" : undefined
}

const parameterOf = (
  { description, name, place, required, schema }: {
    readonly name: string
    readonly place: Place
    readonly required: boolean
    readonly schema: Json | undefined
    readonly description: string | undefined
  },
  document: Json
): ReadonlyArray<Parameter> => {
  const own = resolved(schema, document)
  const repeatable = own["type"] === "array"
  const kind = kindOf(repeatable ? resolved(own["items"], document) : own)
  if (kind === undefined) return []
  return [{
    name,
    flag: kebab(name),
    place,
    // A toggle that is not set is left out, but a required field must be sent.
    kind: kind === "toggle" && required ? "boolean" : kind,
    repeatable,
    required,
    description: description ?? own["description"] ?? `${placeTitles[place]} \`${name}\``
  }]
}

export type PublishedErrorName = PublishedError["_tag"]

const exitCodeOf = ({ prototype }: (typeof published)[number]): number =>
  (prototype as { readonly [Runtime.errorExitCode]: number })[Runtime.errorExitCode]

/** The errors of an endpoint. Its error classes are copies of the published classes, with the same AST. */
const errorsOf = (errors: ReadonlyArray<Schema.Top>): Operation["errors"] => {
  const asts = new Set(errors.map(({ ast }) => ast))
  return published.filter(({ ast }) => asts.has(ast)).map((each) => ({
    name: each.identifier as PublishedErrorName,
    exitCode: exitCodeOf(each)
  }))
}

const exitCodesOf = (errors: Operation["errors"]): ReadonlyArray<number> =>
  [...new Set(errors.map(({ exitCode }) => exitCode))].filter((code) => code > ExitCode.usage).toSorted((a, b) => a - b)

/** The component of the first successful response, if it has one. */
const responseOf = (described: Json): string | undefined => {
  const success = Object.entries<Json>(described["responses"]).find(([status]) => status.startsWith("2"))
  return componentNameOf(success?.[1]["content"]?.["application/json"]?.schema)
}

const operationOf = (
  group: string,
  endpoint: HttpApiEndpoint.Top,
  schemas: ReadonlyArray<Schema.Top>,
  document: Json
): Operation => {
  const errors = errorsOf(schemas)
  const id = `${group}.${endpoint.identifier}` as OperationId
  const path = endpoint.path as string
  const described: Json = document["paths"][path.replace(/:(\w+)/g, "{$1}")][endpoint.method.toLowerCase()]
  const body = described["requestBody"]?.content?.["application/json"]?.schema
  const fields = resolved(body, document)
  const { hasSecretBody, isHeld, reveals = "never" } = factsOf(endpoint)
  const parameters = [
    ...(described["parameters"] ?? [])
      // Parameters that several operations share are references: the profile, which the global flag --profile selects,
      // and the entity tag of an earlier response, which this client does not keep.
      .filter(({ $ref, name }: Json) => $ref === undefined && !(name === "reveal" && reveals === "on_request"))
      .flatMap(({ description, in: place, name, required, schema }: Json) =>
        parameterOf({ name, place, required: required === true, schema, description }, document)
      ),
    ...Object.entries<Json>(hasSecretBody === true ? {} : fields["properties"] ?? {}).flatMap(([name, schema]) =>
      parameterOf({
        name,
        place: "body",
        required: fields["required"]?.includes(name) === true,
        schema,
        description: schema["description"]
      }, document)
    )
  ]
  return {
    id,
    group,
    name: kebab(endpoint.identifier),
    summary: described["summary"],
    description: described["description"] ?? described["summary"],
    method: endpoint.method,
    path,
    parameters,
    hasBody: body !== undefined,
    onlyInBody: (fields["required"] ?? []).filter((name: string) =>
      !parameters.some((parameter) => parameter.place === "body" && parameter.name === name)
    ),
    reveals,
    isHeld: isHeld === true,
    errors,
    exitCodes: exitCodesOf(errors),
    response: responseOf(described)
  }
}

export interface OperationGroup {
  readonly name: string
  readonly description: string
  readonly operations: ReadonlyArray<Operation>
}

const groupsOf = (document: Json): ReadonlyArray<OperationGroup> => {
  const groups: Array<OperationGroup & { readonly operations: Array<Operation> }> = []
  HttpApi.reflect(Api, {
    onGroup: ({ group }) => {
      const description = Context.getOrUndefined(
        group.annotations as Context.Context<OpenApi.Description>,
        OpenApi.Description
      )
      groups.push({ name: group.identifier, description: description ?? "", operations: [] })
    },
    onEndpoint: ({ endpoint, errors, group }) => {
      groups.find(({ name }) => name === group.identifier)?.operations
        .push(operationOf(group.identifier, endpoint, [...errors.values()].flat(), document))
    }
  })
  return groups
}

export const operationGroups = groupsOf(apiDocument)

/** The exit code of each published error. */
export const errorExitCodes = Object.fromEntries(
  published.map((each) => [each.identifier, exitCodeOf(each)])
) as Readonly<Record<PublishedErrorName, number>>
