/** Resolved credentials in the form that is applied to requests. */
import * as Redacted from "effect/Redacted"
import type { Placements } from "../../src/domain/wire/Resolve.ts"
import { type Injection, injectionOf } from "../../src/outbound/HeaderInjection.ts"
import * as fc from "./FastCheck.ts"

const secretly = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))

/** An injection of these header fields. */
export const injection = (
  headers: Readonly<Record<string, string>>,
  more: {
    readonly query?: Readonly<Record<string, string>>
    readonly path?: Readonly<Record<string, string>>
    readonly defaults?: Readonly<Record<string, string>>
    readonly strip?: Partial<Placements["strip"]>
  } = {}
) =>
  injectionOf({
    headers: secretly(headers),
    query: secretly(more.query ?? {}),
    path: secretly(more.path ?? {}),
    defaults: secretly(more.defaults ?? {}),
    secrets: [],
    strip: { headers: [], query: [], ...more.strip }
  })

/** The secret of `credential`. */
export const SECRET = "s3cret-Zq/7&+%= k"

/** Any selection of the places of a credential. */
export const credential = fc.record({
  authorization: fc.boolean(),
  key: fc.boolean(),
  fallback: fc.boolean(),
  parameter: fc.boolean(),
  path: fc.boolean(),
  strip: fc.boolean()
}).map(({ authorization, fallback, key, parameter, path, strip }) => ({
  headers: {
    ...(authorization ? { Authorization: `Bearer ${SECRET}` } : {}),
    ...(key ? { "x-api-key": SECRET } : {})
  },
  defaults: fallback ? { "X-Default": SECRET } : {},
  query: parameter ? { key: SECRET } : {},
  path: path
    ? { "/bot{t}": `/bot${encodeURIComponent(SECRET)}`, "/file/bot{t}": `/file/bot${encodeURIComponent(SECRET)}` }
    : {},
  strip: { headers: strip ? ["authorization", "x-api-key"] : [], query: strip ? ["key", "token"] : [] }
}))
type Credential = typeof credential extends fc.Arbitrary<infer A> ? A : never

export const injectionFor = (given: Credential): Injection => injection(given.headers, given)

export const occurrences = (text: string, part: string) => text.split(part).length - 1
