/** Computes how a request carries the credential of a connection. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { keyPairFields } from "../definition/AwsSigV4.ts"
import { headerParts, type HmacPlacement } from "../definition/Hmac.ts"
import { placesIn } from "../definition/HmacTemplate.ts"
import type { Placement, ProviderDefinition } from "../definition/Provider.ts"
import {
  hasFurtherPlace,
  lookupFields,
  mainField,
  optionalFields,
  secretFields,
  sectionOf
} from "../definition/ProviderFields.ts"
import type { HmacSigning, Placements } from "../wire/Resolve.ts"
import { hasPart, PLACEHOLDER } from "./Placeholder.ts"

/** Values by field: `access_token` (and `client_id`) of an OAuth connection, the fields of an API key connection. */
export type FieldValues = Readonly<Record<string, Redacted.Redacted<string>>>

/**
 * The placements for one request. `entry` is the matched entry of `hosts`. `plain` are the values that were not secret at the login. The
 * failure is a sentence without values.
 */
export const placements = (
  definition: ProviderDefinition,
  values: FieldValues,
  entry?: string,
  plain?: Readonly<Record<string, string>>
): Result.Result<Placements, string> =>
  Result.gen(function*() {
    const placement = placementAt(definition, entry)
    const used = new Set<string>()
    const placed = (template: string): string => {
      for (const [, name = ""] of template.matchAll(FIELD)) used.add(name)
      return template
    }
    const hmac = placement.hmac === undefined ? undefined : yield* hmacSigning(placement.hmac, values)
    for (const template of Object.values(placement.hmac?.headers ?? {})) placed(template)
    const { encoded, headers, query } = yield* mainPlaces(definition, placement, values, placed)
    const isFilled = filledBy(definition, values)
    const filledIn = (places: ReadonlyArray<readonly [name: string, template: string]>, fillOne: Fill = fillRedacted) =>
      Result.gen(function*() {
        const filled: Record<string, Redacted.Redacted<string>> = {}
        for (const [name, template] of places.filter(isFilled)) filled[name] = yield* fillOne(placed(template), values)
        return filled
      })
    Object.assign(headers, yield* filledIn(Object.entries(placement.headers), header))
    Object.assign(query, yield* filledIn(Object.entries(placement.query)))
    const body = yield* filledIn(Object.entries(placement.body))
    const messages = placement.messages && {
      first: placement.messages.first,
      fields: yield* filledIn(Object.entries(placement.messages.fields))
    }
    const path = yield* filledIn(placement.pathTemplates.map((template) => [template, template]), beginning)
    const defaults = yield* filledIn(Object.entries(definition.extraHeaders), header)
    const secrets = secretFields(definition, plain).filter((name) => used.has(name)).map((name) => values[name]!)
    const exact = exactPlaceholders(definition)
    return {
      headers,
      query,
      ...(Object.keys(path).length === 0 ? {} : { path }),
      ...(Object.keys(body).length === 0 ? {} : { body }),
      ...(messages === undefined ? {} : { messages }),
      defaults,
      secrets: secrets.length === 0 ? [] : [...secrets, ...encoded.map((text) => Redacted.make(text))],
      strip: {
        headers: [...Object.keys(headers), ...Object.keys(hmac?.headers ?? {})].map((name) => name.toLowerCase()),
        query: Object.keys(query),
        ...(exact.length === 0 ? {} : { placeholders: exact })
      },
      ...(hmac === undefined ? {} : { hmac })
    }
  })

/** The places of the main secret. `encoded`: its encoded form, which is a secret as well. */
const mainPlaces = (
  definition: ProviderDefinition,
  placement: Placement,
  values: FieldValues,
  placed: (template: string) => string
) =>
  Result.gen(function*() {
    const headers: Record<string, Redacted.Redacted<string>> = {}
    const query: Record<string, Redacted.Redacted<string>> = {}
    const encoded: Array<string> = []
    const field = mainField(definition)
    const main = `{${field}}`
    if (placement.issuedTokensOnly === true) {
      // The client sends a token that the API has issued, or no credential.
    } else if (placement.awsSigv4 !== undefined) yield* checkKeyPair(values)
    else if (placement.hmac !== undefined) {
      // The signature is the credential.
    } else if (placement.basic !== undefined) {
      const username = yield* fill(placed(placement.basic.username), values)
      const password = yield* fill(placed(placement.basic.password), values)
      if (username.includes(":")) return yield* Result.fail("The user name for HTTP Basic contains a colon.")
      encoded.push(base64(`${username}:${password}`))
      headers["Authorization"] = Redacted.make(`Basic ${encoded[0]}`)
    } else if (placement.queryParam !== undefined) {
      query[placement.queryParam] = Redacted.make(yield* fill(placed(main), values))
    } else if (placement.headerName !== undefined || !hasFurtherPlace(placement, field)) {
      const { headerName = "Authorization", headerPrefix = "Bearer" } = placement
      headers[headerName] = yield* header(placed(headerPrefix === "" ? main : `${headerPrefix} ${main}`), values)
    }
    return { headers, query, encoded }
  })

/** The placeholders without the usual text, which the proxy recognizes only in requests to this provider. */
export const exactPlaceholders = (definition: ProviderDefinition): ReadonlyArray<string> =>
  [
    definition.placeholder,
    ...Object.values(definition.placeholderByPrefix),
    ...sectionOf(definition).fields.flatMap(({ placeholder }) => placeholder ?? [])
  ].filter((placeholder, index, all) => !placeholder.includes(PLACEHOLDER) && all.indexOf(placeholder) === index)

/**
 * Whether there are values for a template. False if an optional field was left empty, during the lookup itself, and for connections
 * that are older than the lookup in the definition: their clients send the value themselves.
 */
const filledBy = (definition: ProviderDefinition, values: FieldValues) => {
  const missing = [...optionalFields(definition), ...lookupFields(definition)]
    .filter((name) => !Object.hasOwn(values, name)).map((name) => `{${name}}`)
  return ([, template]: readonly [string, string]): boolean => !missing.some((place) => template.includes(place))
}

/** The placeholder for the main secret, by the longest known prefix or suffix. The child process learns only this part of the secret. */
export const placeholderFor = (definition: ProviderDefinition, values: FieldValues): string => {
  const field = mainField(definition)
  const secret = Object.hasOwn(values, field) ? Redacted.value(values[field]!) : ""
  const [longest] = Object.keys(definition.placeholderByPrefix)
    .filter((part) => hasPart(secret, part))
    .toSorted((left, right) => right.length - left.length)
  return longest === undefined ? definition.placeholder : definition.placeholderByPrefix[longest]!
}

/** The placement for an entry of `hosts`. */
export const placementAt = (definition: ProviderDefinition, entry: string | undefined): Placement => {
  const section = sectionOf(definition)
  return entry !== undefined && Object.hasOwn(section.perHost, entry) ? section.perHost[entry]! : section
}

/** Checks that the access key ID and the session token are valid in a header field. The secret is not sent. */
const checkKeyPair = (values: FieldValues): Result.Result<void, string> => {
  const { accessKeyId, secretAccessKey, sessionToken } = keyPairFields
  for (const field of [accessKeyId, secretAccessKey]) {
    if (!Object.hasOwn(values, field)) return Result.fail(`The connection has no value for ${field}.`)
  }
  if (!/^[\x21-\x2b\x2d\x2e\x30-\x7e]+$/.test(Redacted.value(values[accessKeyId]!))) {
    return Result.fail("The access key ID contains a slash, a comma, or a character that is not allowed in a header.")
  }
  return !Object.hasOwn(values, sessionToken) || /^[\x21-\x7e]+$/.test(Redacted.value(values[sessionToken]!))
    ? Result.succeed(undefined)
    : Result.fail("The session token contains a character that is not allowed in a header.")
}

const nothing: ReadonlySet<string> = new Set()

const unfilled: ReadonlySet<string> = new Set(headerParts)

/** The key in base64, and the headers with the fields filled in. */
const hmacSigning = (placement: HmacPlacement, values: FieldValues): Result.Result<HmacSigning, string> =>
  Result.gen(function*() {
    const { encoding, headers: templates, key, keyEncoding, message, timestamp } = placement
    const secret = yield* fill(`{${key}}`, values)
    if (keyEncoding === "base64" && !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(secret)) {
      return yield* Result.fail(`The value of ${key} is not in base64, so requests cannot be signed.`)
    }
    const headers: Record<string, Redacted.Redacted<string>> = {}
    for (const [name, template] of Object.entries(templates)) {
      for (const field of placesIn(template).filter((place) => !unfilled.has(place))) {
        // The proxy would read a brace as part of a placeholder of the template.
        if (/[{}]/.test(yield* fill(`{${field}}`, values))) {
          return yield* Result.fail(
            `The value of ${field} contains a brace, which values for this provider must not contain.`
          )
        }
      }
      headers[name] = yield* header(template, values, unfilled)
    }
    const signingKey = Redacted.make(keyEncoding === "base64" ? secret : base64(secret))
    return { key: signingKey, message, timestamp, encoding, headers }
  })

const FIELD = /\{([^{}]*)\}/g

const fill = (
  template: string,
  values: FieldValues,
  encoded: (value: string) => string = (value) => value,
  kept: ReadonlySet<string> = nothing
): Result.Result<string, string> => {
  let missing: string | undefined
  const text = template.replaceAll(FIELD, (place, name: string) => {
    if (kept.has(name)) return place
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) missing = name
    return value === undefined ? "" : encoded(Redacted.value(value))
  })
  return missing === undefined ? Result.succeed(text) : Result.fail(`The connection has no value for ${missing}.`)
}

type Fill = (template: string, values: FieldValues) => Result.Result<Redacted.Redacted<string>, string>

const fillRedacted: Fill = (template, values) => Result.map(fill(template, values), Redacted.make)

const header = (
  template: string,
  values: FieldValues,
  kept?: ReadonlySet<string>
): Result.Result<Redacted.Redacted<string>, string> =>
  fill(template, values, undefined, kept).pipe(
    Result.flatMap((text) =>
      /^[\u0020-\u007e\u0080-\u00ff]*$/.test(text)
        ? Result.succeed(Redacted.make(text))
        : Result.fail("The stored value contains a character that is not allowed in a header.")
    )
  )

/** Characters that RFC 3986 section 3.3 allows in a segment stay; all others are percent-encoded. */
const pathSegment = (value: string): string =>
  encodeURIComponent(value.toWellFormed()).replaceAll(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent)

const beginning = (template: string, values: FieldValues): Result.Result<Redacted.Redacted<string>, string> =>
  fill(template, values, pathSegment).pipe(
    Result.flatMap((path) =>
      /\/\.{0,2}(?:\/|$)/.test(path)
        ? Result.fail("The stored value contains a character that is not allowed in a path.")
        : Result.succeed(Redacted.make(path))
    )
  )

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
