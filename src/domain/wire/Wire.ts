/**
 * Converts between camelCase in code and snake_case on the wire; no other module does. Keys of a `Schema.Record` are
 * data and unchanged.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Struct from "effect/Struct"

/** Each capital starts a word (`baseURL` becomes `base_u_r_l`), so write `baseUrl`. */
export type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head> ? `${Head}${SnakeCase<Tail>}`
  : `_${Lowercase<Head>}${SnakeCase<Tail>}`
  : S

type WireKeys<Fields extends Schema.Struct.Fields> = {
  readonly [K in keyof Fields]: K extends string ? SnakeCase<K> : K
}

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const wireKeys = (fields: Schema.Struct.Fields): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, snakeCase(name)]))

type Descriptions<Keys> = { readonly [K in Keys & string]?: string }

/** The annotations from which generated JSON schemas take names and descriptions. No error message contains them. */
const about = (
  component: string | undefined,
  description: string | undefined,
  propertyDescriptions: Descriptions<string> | undefined
) => ({
  ...(component === undefined ? {} : { component }),
  ...(description === undefined ? {} : { description }),
  ...(propertyDescriptions === undefined ? {} : { propertyDescriptions })
})

/** Makes a schema a component of JSON schemas and of the OpenAPI description. `identifier` would change messages. */
export const named =
  <S extends Schema.Top>(component: string, description: string, properties?: Descriptions<keyof S["Type"]>) =>
  (schema: S): S["Rebuild"] => schema.annotate(about(component, description, properties))

/**
 * `Schema.Struct` with encoded keys in snake_case. `component` makes it a component of JSON schemas and of the OpenAPI
 * description, where `description` and `properties` explain it.
 *
 * `Schema.encodeKeys` and `Schema.annotateEncoded` do the same, but copy the whole schema twice for the annotations.
 */
export const wire = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
  component?: string,
  description?: string,
  properties?: Descriptions<keyof Fields>
): Schema.encodeKeys<Schema.Struct<Fields>, WireKeys<Fields>> => {
  const names = wireKeys(fields)
  if (new Set(Object.values(names)).size < Object.keys(names).length) throw new Error("two fields have one encoded key")
  const encoded = Schema.Struct(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [names[name], Schema.toEncoded(field)]))
  )
  const annotated = component === undefined ? encoded : encoded.annotate(about(component, description, properties))
  const decoded = Object.fromEntries(Object.entries(names).map(([name, key]) => [key, name]))
  const renamed = SchemaTransformation.transform<object, object>({
    decode: Struct.renameKeys(decoded),
    encode: Struct.renameKeys(names)
  })
  return annotated.pipe(Schema.decodeTo(Schema.Struct(fields), renamed as never)) as never
}
