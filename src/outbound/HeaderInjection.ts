/**
 * Computes the request head for the upstream from the client's end-to-end fields and the resolved credential, and the response head for
 * the client.
 *
 * Field names are compared in lower case, so duplicates and unusual spellings are removed too.
 */
import * as Redacted from "effect/Redacted"
import { holdsPlaceholder, PLACEHOLDER } from "../domain/injection/Placeholder.ts"
import { pathOf } from "../domain/injection/Route.ts"
import { uriDecoded } from "../domain/text/PercentEncoding.ts"
import type { Placements } from "../domain/wire/Resolve.ts"
import { fieldsThat, type HeaderPairs, isFieldName, isFieldValue } from "../http/HeaderFields.ts"
import type { SecretSearch } from "../http/scrub/SecretSearch.ts"
import type { BodyPlaces } from "./BodyInjection.ts"
import { HOP_BY_HOP, nominatedNames, valueHoldsPlaceholder } from "./EndToEndFields.ts"
import { filledPath, pathPlace, shownPath, withoutPlaces } from "./PathInjection.ts"

/** Fields for framing, routing or authentication, which are not allowed in a trailer section (RFC 9110 section 6.5.1). */
const HEAD_ONLY: ReadonlySet<string> = new Set(
  "authorization content-encoding content-length content-range content-type cookie host set-cookie".split(" ")
)

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

/** Returns path and query with the credential. Removes parameters with the placeholder, because servers repeat them in links. */
export const requestTarget = (target: string, injection: Injection | undefined): string => {
  if (injection === undefined) return target
  const at = target.indexOf("?")
  if (injection.path.length === 0) return withQuery(target, at, injection)
  const path = filledPath(at === -1 ? target : target.slice(0, at), injection.path, injection.placeholders)
  return withQuery(at === -1 ? path : path + target.slice(at), at === -1 ? -1 : path.length, injection)
}

/** A path up to this length has no segment as long as a token. */
const SHORT_PATH = 32

/** A segment as long as a token, unless it is a hexadecimal resource ID. */
const tokenLike = /(?<=\/)(?![0-9a-f-]+(?:\/|$))([^/]{6})[^/]{26,}/gi

/** The path for logs, without query and credential. Webhook URLs contain secrets, so token-like segments are shortened. */
export const loggedPath = (target: string, injection: Injection): string => {
  const path = shownPath(pathOf(target), injection.path)
  return path.length <= SHORT_PATH ? path : path.replace(tokenLike, "$1...")
}

/** Whether a query has a placeholder. The usual marker has no characters that clients encode. */
const queryHoldsPlaceholder = (text: string, exact: ReadonlyArray<string>): boolean =>
  exact.length === 0 ? text.includes(PLACEHOLDER) : holdsPlaceholder(uriDecoded(text) ?? text, exact)

/** The decoded name of a parameter, in lower case. */
const parameterName = (text: string): string => {
  const spaced = text.replaceAll("+", " ")
  return (uriDecoded(spaced) ?? spaced).toLowerCase()
}

const withQuery = (target: string, at: number, injection: Injection): string => {
  if (at === -1 && injection.query.length === 0) return target
  const exact = injection.placeholders
  if (at !== -1 && injection.removeQuery.size === 0 && !queryHoldsPlaceholder(target.slice(at), exact)) return target
  const kept: Array<string> = []
  for (const pair of at === -1 ? [] : target.slice(at + 1).split("&")) {
    const equals = pair.indexOf("=")
    const name = parameterName(equals === -1 ? pair : pair.slice(0, equals))
    if (injection.removeQuery.has(name)) continue
    if (!queryHoldsPlaceholder(pair, exact)) kept.push(pair)
  }
  for (const [name, value] of injection.query) kept.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  const path = at === -1 ? target : target.slice(0, at)
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`
}

/** Parameters in which clients send a credential, also where the definition has another place for it. */
const CREDENTIAL_PARAMETER = /(?:key|token|secret|password|auth|signature|credential|jwt)$|(?:^|[_-])id$|^x-amz-/i

/**
 * Removes the places of a credential from path and query of a client's request: the definition's places and, except in token
 * requests, parameters whose names suggest a credential. The proxy removes placeholders from these parameters.
 */
export const outsidePlaces = (target: string, { path, removeQuery }: Injection, isTokenRequest: boolean): string => {
  const [before = "", ...query] = target.split("?")
  const parameters = query.join("?").split("&").filter((pair) => {
    const name = parameterName(pair.split("=", 1)[0]!)
    return !removeQuery.has(name) && (isTokenRequest || !CREDENTIAL_PARAMETER.test(name))
  })
  return `${withoutPlaces(before, path)}?${parameters.join("&")}`
}

/** Removes percent-encoding, including that of unreserved characters and repeated encoding as in nested URLs. */
const percentDecoded = (text: string): string =>
  text.replaceAll(/%(?:25)*([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/**
 * Replaces secrets in a part of a response head by the placeholder, and a part with an unusual spelling of a secret as a whole.
 */
export const withoutSecrets = (text: string, search: SecretSearch | undefined): string => {
  if (search === undefined) return text
  const replaced = search.replacedIn(text)
  return search.isIn(percentDecoded(replaced)) ? PLACEHOLDER : replaced
}

/**
 * The end-to-end header fields of a response as flat pairs. Secrets of the request are replaced by the placeholder, so that a
 * redirect discloses them neither to the client nor to another host. A field with an unusual spelling is replaced as a whole.
 */
export const responseHeaders = (
  raw: ReadonlyArray<string>,
  canSendTrailers: boolean,
  search?: SecretSearch
): HeaderPairs => {
  const hop = nominatedNames(raw)
  const out = fieldsThat(
    raw,
    (name) => hop?.has(name) !== true && (!HOP_BY_HOP.has(name) || (canSendTrailers && name === "trailer"))
  )
  const text = out.join("\n")
  // One search of all fields costs as much as a search of one.
  if (search === undefined || !(search.isIn(text) || search.isIn(percentDecoded(text)))) return out
  return out.map((field) => withoutSecrets(field, search))
}

const isTrailer = (name: string): boolean => !name.startsWith(":") && !HOP_BY_HOP.has(name) && !HEAD_ONLY.has(name)

export const responseTrailers = (raw: ReadonlyArray<string>, search?: SecretSearch): HeaderPairs =>
  responseHeaders(fieldsThat(raw, isTrailer), false, search)
