/**
 * The one place where camelCase meets snake_case.
 *
 * `wire(fields)` is `Schema.Struct(fields)` whose encoded keys are the snake_case form of the names, for the compiler
 * and at run time. Nested objects are written with `wire` themselves; keys of a `Schema.Record` are data and stay.
 */
import * as Schema from "effect/Schema"

/** `accessToken` to `access_token`. An acronym is one word per letter (`baseURL` is `base_u_r_l`): write `baseUrl`. */
export type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head> ? `${Head}${SnakeCase<Tail>}`
  : `_${Lowercase<Head>}${SnakeCase<Tail>}`
  : S

/** The mapping that `Schema.encodeKeys` takes, derived from the names. */
export type WireKeys<Fields extends Schema.Struct.Fields> = {
  readonly [K in keyof Fields]: K extends string ? SnakeCase<K> : K
}

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const wireKeys = <const Fields extends Schema.Struct.Fields>(fields: Fields): WireKeys<Fields> =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, snakeCase(name)])) as WireKeys<Fields>

/** `identifier` names the encoded form, which makes it a component of its own in JSON schemas and in the OpenAPI description. */
export const wire = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
  identifier?: string
): Schema.encodeKeys<Schema.Struct<Fields>, WireKeys<Fields>> => {
  const codec = Schema.Struct(fields).pipe(
    Schema.encodeKeys<Schema.Struct<Fields>, WireKeys<Fields>>(wireKeys(fields))
  )
  return identifier === undefined ? codec : Schema.annotateEncoded({ identifier })(codec as never) as typeof codec
}
