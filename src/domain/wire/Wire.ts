/**
 * Converts between camelCase in code and snake_case on the wire; no other module does. Keys of a `Schema.Record` are
 * data and unchanged.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Struct from "effect/Struct"

/** Converts a name to snake_case. Each capital starts a word (`baseURL` becomes `base_u_r_l`), so write `baseUrl`. */
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

/** A field of a schema of the interface: its schema, and what it means. */
type Field = Schema.Top | readonly [schema: Schema.Top, description: string]

type Fields = { readonly [name: string]: Field }

/** The fields without their descriptions. */
type Schemas<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends readonly [infer S extends Schema.Top, string] ? S
    : F[K] extends Schema.Top ? F[K]
    : never
}

/** The annotations from which generated JSON schemas take names and descriptions. No error message contains them. */
const about = (component: string | undefined, description: string | undefined, fields: Fields = {}) => ({
  ...(component === undefined ? {} : { component, description }),
  propertyDescriptions: Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => Array.isArray(field) ? [[name, field[1]]] : [])
  )
})

const schemasOf = <F extends Fields>(fields: F): Schemas<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, Array.isArray(field) ? field[0] : field])
  ) as Schemas<F>

/** Makes a schema a component of JSON schemas and of the OpenAPI description. `identifier` would change error messages. */
export const named = <S extends Schema.Top>(component: string, description: string) => (schema: S): S["Rebuild"] =>
  schema.annotate({ component, description })

/** A field that may be absent, and then has this value. */
export const withDefault = <S extends Schema.Constraint>(schema: S, value: S["Encoded"]) =>
  Schema.withDecodingDefaultKey<S>(Effect.succeed(value))(schema)

/** `Schema.Struct` as a component, like `wire`, for fields whose names are the same in code and on the wire. */
export const struct = <const F extends Fields>(
  component: string,
  description: string,
  fields: F
): Schema.Struct<Schemas<F>> => Schema.Struct(schemasOf(fields)).annotate(about(component, description, fields))

type WireStruct<F extends Fields> = Schema.encodeKeys<Schema.Struct<Schemas<F>>, WireKeys<Schemas<F>>>

/**
 * `Schema.Struct` with encoded keys in snake_case. `component` makes it a component of JSON schemas and of the OpenAPI
 * description. `description` and the descriptions of the fields explain the component.
 *
 * `Schema.encodeKeys` and `Schema.annotateEncoded` do the same, but copy the whole schema twice for the annotations.
 */
export const wire: {
  <const F extends Fields>(fields: F): WireStruct<F>
  <const F extends Fields>(component: string, description: string | undefined, fields: F): WireStruct<F>
} = (...given: readonly [Fields] | readonly [string, string | undefined, Fields]) => {
  const [component, description, fields] = given.length === 1 ? [undefined, undefined, given[0]] : given
  const schemas = schemasOf(fields)
  const names = wireKeys(schemas)
  if (new Set(Object.values(names)).size < Object.keys(names).length) {
    throw new Error("two fields have the same encoded key")
  }
  const encoded = Schema.Struct(
    Object.fromEntries(Object.entries(schemas).map(([name, field]) => [names[name], Schema.toEncoded(field)]))
  )
  const annotated = component === undefined ? encoded : encoded.annotate(about(component, description, fields))
  const decoded = Object.fromEntries(Object.entries(names).map(([name, key]) => [key, name]))
  const renamed = SchemaTransformation.transform<object, object>({
    decode: Struct.renameKeys(decoded),
    encode: Struct.renameKeys(names)
  })
  return annotated.pipe(Schema.decodeTo(Schema.Struct(schemas), renamed as never)) as never
}

/** RFC 3339 in UTC on the wire, `DateTime.Utc` in code. */
export const Timestamp = Schema.DateTimeUtcFromString.pipe(Schema.annotateEncoded({
  component: "Timestamp",
  description: "A time, RFC 3339 in UTC",
  format: "date-time"
}))
