/**
 * Converts between camelCase in code and snake_case on the wire; no other module does.
 *
 * `wire(fields)` is `Schema.Struct(fields)` with encoded keys in snake_case, in the types and at run time. Use `wire`
 * for nested objects too; keys of a `Schema.Record` are data and unchanged.
 */
import * as Schema from "effect/Schema"

/**
 * `accessToken` becomes `access_token`. Each capital starts a word (`baseURL` becomes `base_u_r_l`), so write
 * `baseUrl`.
 */
export type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head> ? `${Head}${SnakeCase<Tail>}`
  : `_${Lowercase<Head>}${SnakeCase<Tail>}`
  : S

/** The mapping for `Schema.encodeKeys`, derived from the names. */
type WireKeys<Fields extends Schema.Struct.Fields> = {
  readonly [K in keyof Fields]: K extends string ? SnakeCase<K> : K
}

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const wireKeys = <const Fields extends Schema.Struct.Fields>(fields: Fields): WireKeys<Fields> =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, snakeCase(name)])) as WireKeys<Fields>

/**
 * `identifier` names the encoded form, which makes it a separate component in JSON schemas and in the OpenAPI
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
