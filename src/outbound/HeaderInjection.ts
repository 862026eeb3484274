/**
 * Puts a resolved credential into the header fields of a request.
 *
 * Field names are compared in lower case, so duplicates and unusual spellings are removed too.
 */
import * as Redacted from "effect/Redacted"
import type { Placements } from "../domain/wire/Resolve.ts"
import { fieldsThat, type HeaderPairs, isFieldName, isFieldValue } from "../http/HeaderFields.ts"
import type { BodyPlaces } from "./BodyInjection.ts"
import { HOP_BY_HOP, isTrailer, valueHoldsPlaceholder } from "./EndToEndFields.ts"
import { pathPlace } from "./PathInjection.ts"

/** The stored credential contains characters that a header field cannot carry. The message does not quote it. */
export class UnusableCredentialError extends Error {
  constructor(name: string) {
    super(`the stored credential cannot be sent in ${name}: it contains a character that HTTP does not allow there`)
  }
}

type Values = Readonly<Record<string, Redacted.Redacted<string>>>

const revealedEntries = (values: Values): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(values).map(([name, value]) => [name, Redacted.value(value)])

const placesOf = (values: Values): BodyPlaces => new Map(revealedEntries(values))

/**
 * Converts a resolved credential to the form that is applied to requests, which exists as long as the requests that share it. Throws
 * an `UnusableCredentialError`.
 */
export const injectionOf = (credential: Placements) => {
  const remove = new Set<string>()
  const removeQuery = new Set<string>()
  const set: Array<string> = []
  // The fields that contain the credential, by their lower-case HTTP/2 names: header compression must not index them. Also the
  // default fields, because any of them may contain the credential.
  const secret: Array<string> = []
  for (const name in credential.headers) {
    const value = Redacted.value(credential.headers[name]!)
    const lower = name.toLowerCase()
    if (!isFieldName(name) || HOP_BY_HOP.has(lower) || !isFieldValue(value)) {
      throw new UnusableCredentialError(`the header ${isFieldName(name) ? name : "it names"}`)
    }
    remove.add(lower)
    secret.push(lower)
    set.push(name, value)
  }
  for (const name of credential.strip.headers) remove.add(name.toLowerCase())
  for (const name of credential.strip.query) removeQuery.add(name.toLowerCase())
  for (const name in credential.query) removeQuery.add(name.toLowerCase())
  const defaults: Array<readonly [lower: string, name: string, value: string]> = []
  for (const name in credential.defaults) {
    const value = Redacted.value(credential.defaults[name]!)
    const lower = name.toLowerCase()
    secret.push(lower)
    if (isFieldName(name) && isFieldValue(value)) defaults.push([lower, name, value])
  }
  const query = revealedEntries(credential.query)
  // Longer templates first, because `/a/{id}` also matches paths of `/a/{id}.json`.
  const path = revealedEntries(credential.path ?? {}).toSorted(([one], [other]) => other.length - one.length)
    .map(([template, value]) => pathPlace(template, value))
  if (query.length > 0 || path.length > 0) secret.push(":path")
  const placeholders = credential.strip.placeholders ?? []
  const { body, messages } = credential
  return {
    remove,
    set,
    defaults,
    query,
    removeQuery,
    path,
    /** Fields of the body to fill; undefined, as for most providers, if it is passed on unchanged. */
    body: body && placesOf(body),
    /** Fields of the first WebSocket messages to fill. */
    messages: messages && { first: messages.first, fields: placesOf(messages.fields) },
    /** The placeholders that do not contain the usual marker. */
    placeholders,
    secret,
    /** The secret values in the request, which the response must not disclose. */
    values: credential.secrets.map((secret) => Redacted.value(secret))
  }
}

/** A credential in the form that is applied to requests. */
export type Injection = ReturnType<typeof injectionOf>

/** The injection with `fields` instead of its own fields of the same names. In `fields`, `{token}` stands for `token`. */
export const withToken = (injection: Injection, fields: Readonly<Record<string, string>>, token: string): Injection => {
  const names = Object.keys(fields).map((name) => name.toLowerCase())
  const own = fieldsThat(injection.set, (name) => !names.includes(name))
  const set = Object.entries(fields).flatMap(([name, template]) => [name, template.replaceAll("{token}", () => token)])
  return {
    ...injection,
    remove: new Set([...injection.remove, ...names]),
    set: [...own, ...set],
    secret: [...new Set([...injection.secret, ...names])],
    values: [...injection.values, token]
  }
}

const NO_PLACEHOLDERS: ReadonlyArray<string> = []

/** Whether rules depend on this field to read the body. Such a field is kept even if it contains a placeholder. */
const describesBody = (lower: string): boolean => lower === "content-type" || lower === "content-encoding"

/**
 * The header section of a request as flat pairs: `Host`, the client's end-to-end fields, and the credential instead of the client's
 * own. Placeholders of the credential that were unknown before it was resolved are removed here.
 */
export const requestHeaders = (
  fields: ReadonlyArray<string>,
  host: string,
  injection: Injection | undefined
): HeaderPairs => {
  if (injection === undefined) return ["Host", host, ...fields]
  const { defaults, placeholders, remove, set } = injection
  const out: HeaderPairs = ["Host", host]
  const seen = defaults.length > 0 ? new Set<string>() : undefined
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? ""
    const lower = name.toLowerCase()
    if (remove.has(lower)) continue
    const value = fields[i + 1] ?? ""
    if (placeholders.length > 0 && !describesBody(lower) && valueHoldsPlaceholder(value, placeholders)) continue
    seen?.add(lower)
    out.push(name, value)
  }
  for (const [lower, name, value] of defaults) {
    if (seen?.has(lower) !== true && !remove.has(lower)) out.push(name, value)
  }
  for (const text of set) out.push(text)
  return out
}

/** The trailer section of a request, without credentials and fields that must not be in one (RFC 9110 section 6.5.1). */
export const requestTrailers = (raw: ReadonlyArray<string>, injection: Injection | undefined): HeaderPairs =>
  fieldsThat(raw, (name, value) =>
    isTrailer(name) && injection?.remove.has(name) !== true &&
    !valueHoldsPlaceholder(value, injection?.placeholders ?? NO_PLACEHOLDERS))
