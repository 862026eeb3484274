/** Completes generated JSON schemas with the names and descriptions of `domain/wire/Wire.ts`. Runs only when documents are generated. */
import * as Schema from "effect/Schema"
import { snakeCase } from "../domain/wire/Wire.ts"

export type Json = Record<string, any>

/** The annotations that generated schemas must keep, because `extractComponents` reads them. */
export const keptAnnotations = {
  includeAnnotationKey: (key: string): boolean => key === "component" || key === "propertyDescriptions"
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const isEqual = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

/** Moves the keywords in `allOf` into the schema itself, unless both have the same keyword. */
const flattened = (schema: Json): Json => {
  if (!Array.isArray(schema["allOf"])) return schema
  const { allOf, ...own } = schema
  const kept: Array<Json> = []
  for (const member of allOf as ReadonlyArray<Json>) {
    if (Object.keys(member).every((key) => !Object.hasOwn(own, key))) Object.assign(own, member)
    else kept.push(member)
  }
  return kept.length === 0 ? own : { ...own, allOf: kept }
}

/** Separates members that have only a description from the other members. */
const divided = (members: ReadonlyArray<Json>): readonly [ReadonlyArray<Json>, ReadonlyArray<Json>] => {
  const isDescription = (member: Json) => Object.keys(member).every((key) => key === "description")
  return [members.filter(isDescription), members.filter((member) => !isDescription(member))]
}

const withDescriptions = ({ propertyDescriptions, ...schema }: Json): Json => {
  if (propertyDescriptions === undefined) return schema
  const properties = { ...schema["properties"] as Json }
  for (const [name, description] of Object.entries(propertyDescriptions)) {
    const key = snakeCase(name)
    if (!Object.hasOwn(properties, key)) throw new Error(`a description names the unknown property ${key}`)
    properties[key] = { ...properties[key], description }
  }
  return { ...schema, properties }
}

const withConstant = (schema: Json): Json => {
  const { enum: values, ...rest } = schema
  return Array.isArray(values) && values.length === 1 ? { ...rest, const: values[0] } : schema
}

/** Removes `prefixItems` that repeat `items`: code generators would allow no further items. */
const withoutFirstItems = (schema: Json): Json => {
  const { prefixItems, ...rest } = schema
  const isRedundant = Array.isArray(prefixItems) && prefixItems.every((item) => isEqual(item, rest["items"])) &&
    rest["minItems"] >= prefixItems.length
  return isRedundant ? rest : schema
}

const simplified = (schema: Json): Json => withConstant(withoutFirstItems(withDescriptions(flattened(schema))))

/** Replaces each schema with a name by a reference, and adds it to `components`. Two schemas must not share a name. */
export const extractComponents = (value: unknown, components: Json, prefix: string): any => {
  if (Array.isArray(value)) return value.map((item) => extractComponents(item, components, prefix))
  if (!isObject(value)) return value
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === "propertyDescriptions" ? item : extractComponents(item, components, prefix)
    ])
  )
  // In the properties of a schema, `component` can be the name of a property.
  if (typeof inner["component"] !== "string") return simplified(inner)
  const { allOf, component, ...named } = inner
  // Annotations of a single use of the schema are not part of the component.
  const [ofUse, ofSchema] = divided(allOf ?? [])
  const schema = simplified(ofSchema.length === 0 ? named : { ...named, allOf: ofSchema })
  if (Object.hasOwn(components, component) && !isEqual(components[component], schema)) {
    throw new Error(`two schemas have the name ${component}`)
  }
  components[component] = schema
  return Object.assign({ $ref: `${prefix}${component}` }, ...ofUse)
}

/** The JSON schema of a value on the wire, with the components that it refers to. */
export const jsonSchemaOf = (schema: Schema.Constraint): { readonly schema: Json; readonly definitions: Json } => {
  const document = Schema.toJsonSchemaDocument(schema, keptAnnotations)
  const definitions: Json = {}
  for (const [name, definition] of Object.entries(document.definitions)) {
    definitions[name] = extractComponents(definition, definitions, "#/$defs/")
  }
  return { schema: extractComponents(document.schema, definitions, "#/$defs/"), definitions }
}

/** The name of the component that a reference names; undefined for other values. */
export const componentNameOf = (schema: unknown): string | undefined =>
  isObject(schema) ? /^#\/(?:components\/schemas|\$defs)\/(.+)$/.exec(schema["$ref"] ?? "")?.[1] : undefined

/** The property whose value distinguishes the members of a union, if there is one. */
const discriminatorOf = (members: ReadonlyArray<Json>): string | undefined => {
  const differs = (name: string) => {
    const values = members.map(({ properties }) => properties?.[name]?.const as unknown)
    return !values.includes(undefined) && new Set(values).size === members.length
  }
  return ["error", ...Object.keys(members[0]?.["properties"] ?? {})].find(differs)
}

/** Adds a discriminator to each union of objects. */
export const withDiscriminators = (value: unknown, components: Json): any => {
  if (Array.isArray(value)) return value.map((item) => withDiscriminators(item, components))
  if (!isObject(value)) return value
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withDiscriminators(item, components)])
  )
  const names = Array.isArray(inner["anyOf"]) ? (inner["anyOf"] as ReadonlyArray<unknown>).map(componentNameOf) : []
  if (names.length < 2 || names.includes(undefined)) return inner
  const members = names.map((name) => components[name!])
  const propertyName = discriminatorOf(members)
  if (propertyName === undefined) return inner
  const { anyOf, ...rest } = inner
  const mapping = Object.fromEntries(
    (anyOf as ReadonlyArray<Json>).map(({ $ref }, at) => [members[at].properties[propertyName].const, $ref])
  )
  return { ...rest, oneOf: anyOf, discriminator: { propertyName, mapping } }
}
