/**
 * Converts between camelCase in code and snake_case on the wire; no other module does. Keys of a `Schema.Record` are
 * data and unchanged.
 */
import * as Schema from "effect/Schema"

/** Each capital starts a word (`baseURL` becomes `base_u_r_l`), so write `baseUrl`. */
export type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head> ? `${Head}${SnakeCase<Tail>}`
  : `_${Lowercase<Head>}${SnakeCase<Tail>}`
  : S

type WireKeys<Fields extends Schema.Struct.Fields> = {
  readonly [K in keyof Fields]: K extends string ? SnakeCase<K> : K
}

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const wireKeys = <const Fields extends Schema.Struct.Fields>(fields: Fields): WireKeys<Fields> =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, snakeCase(name)])) as WireKeys<Fields>

/**
 * `Schema.Struct` with encoded keys in snake_case. `identifier` makes it a component of JSON schemas and of the OpenAPI
 * description.
 */
export const wire = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
  identifier?: string
): Schema.encodeKeys<Schema.Struct<Fields>, WireKeys<Fields>> => {
  const codec = Schema.Struct(fields).pipe(
    Schema.encodeKeys<Schema.Struct<Fields>, WireKeys<Fields>>(wireKeys(fields))
  )
  return identifier === undefined ? codec : Schema.annotateEncoded({ identifier })(codec as never) as typeof codec
}
